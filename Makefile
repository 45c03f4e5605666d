# newsimport: build, demonstrate, test, install.  `make help` lists the targets.

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
BASH_COMPLETIONS = $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS = $(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS = $(PREFIX)/share/fish/vendor_completions.d
# systemd searches this folder for user units below both /usr/local and ~/.local. Distributions use lib.
USER_UNITS = $(PREFIX)/share/systemd/user
SYSTEM_UNITS = $(PREFIX)/lib/systemd/system
# The program that `make install-files` installs.
PROGRAM = .build/release/newsimport
# The Swift runtime is linked statically: the program starts in half the time and needs no toolchain to run.
# Compact relocations, which only lld writes and glibc 2.36 reads, and no exported symbols: a command takes 4 MB less memory.
# Functions have sections of their own, of which the linker leaves out unused ones and keeps one of equal ones: a program of 36 MB,
# not 38, and 4 MB less memory for an import.
RELEASE = -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic \
	-Xlinker -z -Xlinker pack-relative-relocs -Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --icf=all
LINTED = Sources Tests Tools Examples Package.swift
# The size and the rounds of the benchmarks: generated feeds below .build/bench, 200 x 30 (S), 2,000 x 50 (M),
# 1 x 200,000 (L) or 20,000 x 10 articles (XL).
SIZE ?= S
ROUNDS ?= 5
# A folder of feeds for `make bench-parse`, instead of the generated feeds of size M.
CORPUS ?=
# The articles, feeds and file of `make store`.
N ?= 5000000
FEEDS ?= 20000
STORE ?= .build/bench/store-$(N).db
# The feeds of `make bench-scale`.
SCALE ?= 1000000
# The options of `make crash`, `make soak` and `make publishers`, and the folder of their stores: tests of thousands of stores
# need no disk.
CRASH ?=
SOAK ?=
PUBLISHERS ?=
SHARED_MEMORY = $(if $(wildcard /dev/shm/.),/dev/shm,/tmp)
# The tests of `make test-postgresql`, `make test-address` and `make test-thread`; all if it is empty.
TESTS ?=
# `make test QUIET=--quiet` prints only the tests that fail.
QUIET ?=
FILTER = $(if $(TESTS),--filter '$(TESTS)')
# The options of `make stalls`.
STALLS = --records 5000,100000 --repeat 5

.PHONY: .build/release/bench help demo test test-page test-html test-macros unicode test-postgresql check docs api check-package check-server build program release check-deb setup format lint test-thread test-address fuzz crash soak publishers publishers-postgresql bench bench-output bench-postgresql bench-scale bench-tls counts store bench-contexts bench-parse reference golden stalls install install-files check-install uninstall deb clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## Import feeds from Fixtures/ over loopback into a demo store, twice
	@.ci/demo

# The count of tests that run at the same time. Without it all would, and each would last for minutes; the suite
# would take a sixth more CPU time.
WIDTH = SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH

test: ## Install missing packages, then run all tests
	@.ci/setup curl jq sqlite3
	swift build --build-tests
	$(WIDTH)=6 swift test $(QUIET)

test-page: setup ## Check with Chromium that the page of an export is printed with all of its words
	@.ci/setup chromium fonts-dejavu-core poppler-utils
	swift test --filter PrintedPageTests

test-html: setup ## Read the tree-construction tests of html5lib
	@.ci/setup golang-golang-x-net-dev
	NEWSIMPORT_HTML5LIB=/usr/share/gocode/src/golang.org/x/net/html/testdata/webkit swift test --filter TreeConstructionTests

# A package of its own, which compiles swift-syntax. SwiftPM does not compile a macro's users again when the macro changes.
test-macros: setup ## Test the macro @Entity, in a package that depends on this one
	touch Tests/Macros/Sources/*/* Tests/Macros/Tests/*/*.swift
	swift test --package-path Tests/Macros $(QUIET)

unicode: ## Make the table of how characters are searched, out of the Unicode Character Database
	@.ci/setup unicode-data
	Tools/Unicode/folding-data

test-postgresql: setup ## Run the tests, also those that need a PostgreSQL server, with one of their own (TESTS=regular expression)
	swift build --build-tests
	Tools/PostgreSQL/with-cluster swift test --skip-build $(FILTER)
	$(WIDTH)=16 NEWSIMPORT_TEST_STORE=postgresql Tools/PostgreSQL/with-cluster swift test --skip-build \
	  --filter '$(or $(TESTS),^(CommandTests|FeedImportTests|NewsModelTests)\.)'

check: lint build test test-page test-html test-macros test-thread check-install check-package docs counts ## Run all checks that a change must pass

docs: setup ## Build the documentation into .build/docs, and check that it is complete and correct
	@.ci/docs

api: setup ## Renew docs/api.txt, the listing of the libraries' public declarations
	@.ci/docs --renew-api

check-package: setup ## Build the example Notes with GRDB and libsqlite3 alone, and run it
	@.ci/check-package

check-server: setup ## Build the example NotesServer with hummingbird (3 minutes the first time), and send it requests at once
	@.ci/setup curl jq
	@.ci/check-server

build: program ## Build the release binary: .build/release/newsimport
	swift build $(RELEASE) --product fixture-server

# Without the server of the demo.
program: setup
	swift build $(RELEASE) --product newsimport

setup: ## Install the Debian packages that are missing
	@.ci/setup

lint: ## Check the format of the sources
	swift format lint --strict -r $(LINTED)

format: ## Format the sources
	swift format -i -r $(LINTED)

test-thread: setup ## Run the tests under thread sanitizer (TESTS=regular expression)
	TSAN_OPTIONS=report_thread_leaks=0 swift test --sanitize=thread -Xswiftc -DSANITIZED --scratch-path .build-thread $(FILTER)

test-address: setup ## Run the tests under address sanitizer (TESTS=regular expression)
	ASAN_OPTIONS=detect_leaks=0 swift test --sanitize=address -Xswiftc -DSANITIZED --scratch-path .build-address $(FILTER)

fuzz: setup ## Search for inputs that break the parsers (FUZZ_TIME=600: seconds of CPU for each law)
	@Tools/Fuzz/run

.build/release/bench: setup
	@swift build --quiet $(RELEASE) --product bench

bench: build .build/release/bench ## Measure stages and whole imports (SIZE=S, M, L or XL; ROUNDS=5; OVER=store)
	@.ci/setup sqlite3
	.build/release/bench run --size $(SIZE) --rounds $(ROUNDS) $(if $(OVER),--over "$(OVER)")

crash: setup ## Interrupt the program at every call of the file system, and check the store (CRASH="--only search --every 10")
	swift build $(RELEASE) --product crash
	swift build $(RELEASE) --product crash-subject
	TMPDIR=$(SHARED_MEMORY) .build/release/crash sweep $(CRASH)

soak: setup ## Run importers and deletions that are killed at random, and check the store and the hooks after each round (SOAK="--rounds 100")
	swift build $(RELEASE) --product crash
	swift build $(RELEASE) --product crash-subject
	TMPDIR=$(SHARED_MEMORY) .build/release/crash soak $(SOAK)

publishers: setup ## Run importers at once, kill some, and check what publishers see (PUBLISHERS="--rounds 100 --seed 1")
	swift build $(RELEASE) --product crash
	swift build $(RELEASE) --product crash-subject
	TMPDIR=$(SHARED_MEMORY) .build/release/crash publishers $(PUBLISHERS)

publishers-postgresql: setup ## The same with a store on a server, whose processes are killed and whose connections are cut
	swift build $(RELEASE) --product crash
	swift build $(RELEASE) --product crash-subject
	TMPDIR=$(SHARED_MEMORY) Tools/PostgreSQL/with-cluster .build/release/crash publishers --on-server $(PUBLISHERS)

bench-output: build .build/release/bench ## Measure lists, exports and the first search beside sqlite3 -json (SIZE=M; ROUNDS=5)
	@.ci/setup sqlite3
	.build/release/bench output --size $(SIZE) --rounds $(ROUNDS)

bench-postgresql: build .build/release/bench ## Measure a store on a server: imports beside a file, importers at once, watch (SIZE=M; ROUNDS=5)
	@.ci/setup sqlite3
	Tools/PostgreSQL/with-cluster .build/release/bench server-store --size $(SIZE) --rounds $(ROUNDS)
	Tools/PostgreSQL/with-cluster .build/release/bench server-fleet --rounds $(ROUNDS)
	Tools/PostgreSQL/with-cluster .build/release/bench server-watch

bench-scale: build .build/release/bench ## Measure imports of very many feeds into a store on a server and in a file (SCALE=1000000)
	Tools/PostgreSQL/with-cluster .build/release/bench server-scale --feeds $(SCALE)
	.build/release/bench server-scale --feeds $(SCALE) --in-file

bench-tls: build .build/release/bench ## Measure imports over TLS: 50 addresses and a name for each feed, HTTP/1.1 and 2 (SIZE=M; ROUNDS=5)
	Tools/Benchmarks/tls $(SIZE) $(ROUNDS)

counts: .build/release/bench ## Compare the instructions and cache misses of stages with Tools/Benchmarks/counts.json (UPDATE=1 rewrites it)
	@.ci/setup valgrind binutils
	.build/release/bench counts $(if $(UPDATE),--update)

store: .build/release/bench ## Write a store with many articles (N=5000000, FEEDS=20000, STORE=file)
	.build/release/bench store "$(STORE)" --articles $(N) --feeds $(FEEDS)

bench-contexts: setup ## Measure the context layer compared with prepared statements
	swift build $(RELEASE) --product context-benchmark
	.build/release/context-benchmark

bench-parse: .build/release/bench ## Measure the parser compared with libxml2 alone, on generated feeds or CORPUS=folder
	.build/release/bench parse $(if $(CORPUS),"$(CORPUS)") --size M --rounds $(ROUNDS)

reference: build ## Write the generated pages of docs/: commands, elements
	.build/release/newsimport manual commands.md >docs/commands.md
	.build/release/newsimport manual elements.md >docs/elements.md

golden: build ## Rewrite the expected values of Fixtures/, to review as a diff
	@find Fixtures -name '*.json' | while read -r expected; do \
	  for feed in "$${expected%.json}".*; do \
	    [ "$$feed" = "$$expected" ] || .build/release/newsimport parse "$$feed" 2>/dev/null \
	      | sed 's/"_newsimport":{"file":"[^"]*",/"_newsimport":{/' >"$$expected"; \
	  done; \
	done
	NEWSIMPORT_GOLDEN=1 swift test --filter "MachineOutputTests|ShownElementsTests"

stalls: setup ## Measure how five arrangements of contexts delay the main queue (STALLS="--records N --repeat N")
	swift build $(RELEASE) --product stalls
	.build/release/stalls $(STALLS) --svg Sources/ManagedContext/ManagedContext.docc/Resources/stalls.svg

install: build install-files ## Install below PREFIX (default /usr/local): program, manual, completions, systemd user units

# The program prints its own manual and completions.
install-files:
	@.ci/setup binutils
	install -D -s -m 755 $(PROGRAM) $(DESTDIR)$(BINDIR)/newsimport
	Packaging/clear-hashes $(DESTDIR)$(BINDIR)/newsimport
	install -d $(addprefix $(DESTDIR),$(MANDIR)/man1 $(MANDIR)/man5 \
	  $(BASH_COMPLETIONS) $(ZSH_COMPLETIONS) $(FISH_COMPLETIONS) $(USER_UNITS) $(SYSTEM_UNITS))
	$(PROGRAM) manual newsimport.1 >$(DESTDIR)$(MANDIR)/man1/newsimport.1
	$(PROGRAM) manual newsimport.toml.5 >$(DESTDIR)$(MANDIR)/man5/newsimport.toml.5
	$(PROGRAM) --generate-completion-script bash >$(DESTDIR)$(BASH_COMPLETIONS)/newsimport
	$(PROGRAM) --generate-completion-script zsh >$(DESTDIR)$(ZSH_COMPLETIONS)/_newsimport
	$(PROGRAM) --generate-completion-script fish >$(DESTDIR)$(FISH_COMPLETIONS)/newsimport.fish
	set -e; cp Packaging/newsimport.timer $(DESTDIR)$(USER_UNITS)/; for unit in newsimport newsimport-hooks; do \
	  sed 's|@BINDIR@|$(BINDIR)|' Packaging/$$unit.service.in >$(DESTDIR)$(USER_UNITS)/$$unit.service; done; \
	  for unit in $(UNITS); do \
	  sed -f Packaging/system-units.sed $(DESTDIR)$(USER_UNITS)/$$unit >$(DESTDIR)$(SYSTEM_UNITS)/$$unit; done
	chmod 644 $(addprefix $(DESTDIR),$(INSTALLED_TEXTS))

INSTALLED_TEXTS = $(MANDIR)/man1/newsimport.1 $(MANDIR)/man5/newsimport.toml.5 $(BASH_COMPLETIONS)/newsimport \
  $(ZSH_COMPLETIONS)/_newsimport $(FISH_COMPLETIONS)/newsimport.fish \
  $(addprefix $(USER_UNITS)/,$(UNITS)) $(addprefix $(SYSTEM_UNITS)/,$(UNITS))
UNITS = newsimport.service newsimport-hooks.service newsimport.timer

check-install: build ## Check that `make install` installs all files, and that `make uninstall` removes them
	@.ci/check-install $(PROGRAM)

uninstall: ## Remove the installed files
	rm -f $(addprefix $(DESTDIR),$(BINDIR)/newsimport $(INSTALLED_TEXTS))

deb: build ## Create a Debian package: .build/deb/newsimport_VERSION_ARCHITECTURE.deb
	@.ci/setup binutils dpkg-dev
	@Packaging/deb $(PROGRAM)

release: setup ## Create all files of a release page in .build/dist: sources, program, packages, image, notes, sums
	@.ci/setup binutils dpkg-dev git lintian mmdebstrap
	@Packaging/release

check-deb: setup $(if $(PACKAGE),,deb) ## Install, use and remove the Debian package in a new Debian (PACKAGE=file, DEBIAN=trixie)
	@.ci/setup lintian mmdebstrap
	swift build $(RELEASE) --product fixture-server
	@Packaging/check-deb $(or $(PACKAGE),.build/deb/newsimport_*.deb) .build/release/fixture-server $(DEBIAN)

clean: ## Remove all build results
	rm -rf .build .build-thread Tests/Macros/.build
