# newsimport: build, demonstrate, test, install.  `make help` lists the targets.

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
BASH_COMPLETIONS = $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS = $(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS = $(PREFIX)/share/fish/vendor_completions.d
# Where systemd finds units of users below /usr/local and ~/.local alike; distributions have them in lib.
USER_UNITS = $(PREFIX)/share/systemd/user
# What `make install-files` installs.
PROGRAM = .build/release/newsimport
# The Swift runtime is linked in: the program starts in half the time and needs no toolchain where it runs.
RELEASE = -c release --static-swift-stdlib
LINTED = Sources Tests Tools Examples Package.swift
# What the benchmarks measure, and how often: generated feeds below .build/bench, 200 x 30 (S), 2,000 x 50 (M), 1 x 200,000
# (L) or 20,000 x 10 articles (XL).
SIZE ?= S
ROUNDS ?= 5
# What `make bench-parse` reads instead of the feeds of size M.
CORPUS ?=
# What `make store` writes.
N ?= 5000000
FEEDS ?= 20000
STORE ?= .build/bench/store-$(N).db
# What `make stalls` measures.
STALLS = --records 5000,100000 --repeat 5

.PHONY: .build/release/bench help demo test check docs build setup format lint test-thread test-address fuzz bench counts store bench-contexts bench-parse reference golden stalls install install-files check-install uninstall deb clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## Import feeds from Fixtures/ over loopback into a store of its own, twice
	@.ci/demo

test: setup ## Install what is missing, then run all tests
	swift build --build-tests
	swift test

check: lint build test test-thread check-install docs counts ## Everything that must hold before a change lands

docs: setup ## Build the documentation, .build/docs, and check that it is whole and true
	@.ci/docs

build: setup ## Build the release binary: .build/release/newsimport
	swift build $(RELEASE) --product newsimport
	swift build $(RELEASE) --product fixture-server

setup: ## Install the Debian packages that are missing
	@.ci/setup

lint: ## Check the format of the sources
	swift format lint --strict -r $(LINTED)

format: ## Format the sources
	swift format -i -r $(LINTED)

test-thread: setup ## Run all tests under thread sanitizer
	swift test --sanitize=thread --scratch-path .build-thread

test-address: setup ## Run all tests under address sanitizer
	swift test --sanitize=address --scratch-path .build-address

fuzz: setup ## Look for inputs that break the parsers (FUZZ_TIME=600: seconds of CPU for each law)
	@Tools/Fuzz/run

.build/release/bench: setup
	@swift build --quiet $(RELEASE) --product bench

bench: build .build/release/bench ## Measure stages and whole imports (SIZE=S, M, L or XL; ROUNDS=5; OVER=store)
	.build/release/bench run --size $(SIZE) --rounds $(ROUNDS) $(if $(OVER),--over "$(OVER)")

counts: .build/release/bench ## Compare the instructions of stages with Tools/Benchmarks/counts.json (UPDATE=1 writes it anew)
	@.ci/setup valgrind binutils
	.build/release/bench counts $(if $(UPDATE),--update)

store: .build/release/bench ## Write a store with many articles (N=5000000, FEEDS=20000, STORE=file)
	.build/release/bench store "$(STORE)" --articles $(N) --feeds $(FEEDS)

bench-contexts: setup ## Measure the context layer beside prepared statements
	swift build $(RELEASE) --product context-benchmark
	.build/release/context-benchmark

bench-parse: .build/release/bench ## Measure the parser beside libxml2 alone, over generated feeds or CORPUS=folder
	swift build $(RELEASE) --product parse-benchmark
	@mkdir -p .build/results
	.build/release/parse-benchmark "$(or $(CORPUS),$(shell .build/release/bench corpus --size M))" \
	  .build/results/parse.json $(ROUNDS)

reference: build ## Write docs/commands.md from the program's help
	.build/release/newsimport manual commands.md >docs/commands.md

golden: build ## Write the expected values of Fixtures/ anew, to be reviewed as a diff
	@find Fixtures -name '*.json' | while read -r expected; do \
	  for feed in "$${expected%.json}".*; do \
	    [ "$$feed" = "$$expected" ] || .build/release/newsimport parse "$$feed" 2>/dev/null \
	      | sed 's/"_newsimport":{"file":"[^"]*",/"_newsimport":{/' >"$$expected"; \
	  done; \
	done
	NEWSIMPORT_GOLDEN=1 swift test --filter MachineOutputTests

stalls: setup ## Measure what five arrangements of contexts do to the main queue (STALLS="--records N --repeat N")
	swift build $(RELEASE) --product stalls
	.build/release/stalls $(STALLS) --svg Sources/ManagedContext/ManagedContext.docc/Resources/stalls.svg

install: build install-files ## Install below PREFIX (default /usr/local): program, manual, completions, systemd user units

# The program prints its own manual and completions.
install-files:
	@.ci/setup binutils
	install -D -s -m 755 $(PROGRAM) $(DESTDIR)$(BINDIR)/newsimport
	install -d $(addprefix $(DESTDIR),$(MANDIR)/man1 $(MANDIR)/man5 \
	  $(BASH_COMPLETIONS) $(ZSH_COMPLETIONS) $(FISH_COMPLETIONS) $(USER_UNITS))
	$(PROGRAM) manual newsimport.1 >$(DESTDIR)$(MANDIR)/man1/newsimport.1
	$(PROGRAM) manual newsimport.toml.5 >$(DESTDIR)$(MANDIR)/man5/newsimport.toml.5
	$(PROGRAM) --generate-completion-script bash >$(DESTDIR)$(BASH_COMPLETIONS)/newsimport
	$(PROGRAM) --generate-completion-script zsh >$(DESTDIR)$(ZSH_COMPLETIONS)/_newsimport
	$(PROGRAM) --generate-completion-script fish >$(DESTDIR)$(FISH_COMPLETIONS)/newsimport.fish
	sed 's|@BINDIR@|$(BINDIR)|' Packaging/newsimport.service.in >$(DESTDIR)$(USER_UNITS)/newsimport.service
	install -m 644 Packaging/newsimport.timer $(DESTDIR)$(USER_UNITS)/newsimport.timer
	chmod 644 $(addprefix $(DESTDIR),$(INSTALLED_TEXTS))

INSTALLED_TEXTS = $(MANDIR)/man1/newsimport.1 $(MANDIR)/man5/newsimport.toml.5 $(BASH_COMPLETIONS)/newsimport \
  $(ZSH_COMPLETIONS)/_newsimport $(FISH_COMPLETIONS)/newsimport.fish \
  $(USER_UNITS)/newsimport.service $(USER_UNITS)/newsimport.timer

check-install: build ## Check that what `make install` installs is whole, and that `make uninstall` leaves nothing
	@.ci/check-install $(PROGRAM)

uninstall: ## Remove what `make install` installed
	rm -f $(addprefix $(DESTDIR),$(BINDIR)/newsimport $(INSTALLED_TEXTS))

deb: build ## Make a Debian package: .build/deb/newsimport_VERSION_ARCHITECTURE.deb
	@.ci/setup binutils dpkg-dev
	@Packaging/deb $(PROGRAM)

clean: ## Remove everything that was built
	rm -rf .build .build-thread
