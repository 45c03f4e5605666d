import ArgumentParser
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import WebAddress
import TextOutput

/// `newsimport region …`
struct RegionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "region", abstract: "Add, list, rename and remove regions: named groups of feeds.",
    subcommands: [Add.self, List.self, Rename.self, Remove.self])

  /// `newsimport region add NAME [--check] URL...`
  struct Add: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add feeds to a region; on a terminal, each address is looked at first.",
      discussion: """
        A check downloads each address, and adds only feeds. If it is a web page, the feed that the page links to is added, or \
        else one at a usual path of the site (/feed, /rss.xml and others). Pages on Reddit, YouTube and GitHub, and Mastodon \
        profiles, need no link. If the configuration has credentials or headers for the region or the address, a feed of another \
        host is printed but not added, because the next fetch would send these credentials to that host.
        Without --check and --no-check, addresses are checked if standard output is a terminal, except feeds that the store has \
        and that answered their last poll.
        A feed that its publisher had ended (HTTP 410) is polled again if it is added again.
        With -, addresses are read from standard input, one per line.
        Examples:
          newsimport region add world https://world.example.com/rss.xml
          newsimport region add world --check https://daily.example.org/
          newsimport region add world --no-check - < addresses.txt
        Exit status: 0 all were added; after a check: 1 some were added, or a feed is on another host, 65 no address is a feed or leads to one, 69 no server sent a document.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @Argument(help: "The region, which is created if necessary.", completion: .regions) var name: String
    @Argument(help: ArgumentHelp("Addresses of feeds, http or https; - is standard input.", valueName: "url"))
    var urls: [String]
    @Flag var check: AddressCheck?
    @Flag(help: "With --check: one JSON object for each address.") var json = false
    @Flag(help: "With --check: refuse addresses of private networks and of this machine.") var publicOnly =
      false

    func validate() throws {
      if json && check != .check { throw ValidationError("--json needs --check.") }
      if publicOnly && check != .check { throw ValidationError("--public-only needs --check.") }
    }

    func perform() async throws {
      try checkRegionName(name)
      let addresses = try givenAddresses(urls, orElse: "nothing was added").map(checkedAddress)
      if check == .check || check == nil && Output.standard.isTerminal {
        let loaded = try configurationOptions.load()
        let discovery = RegionDiscovery(
          region: name, json: json, isRequested: check == .check, configuration: loaded,
          publicOnly: publicOnly || loaded.configuration.fetch.publicOnly ?? false)
        try await discovery.run(addresses, storeOptions)
      } else {
        try await add(addresses)
      }
    }

    @MainActor
    private func add(_ addresses: [WebAddress]) async throws {
      let stack = try NewsStack(storeOptions)
      var (added, known, ended) = (0, 0, 0)
      for part in FeedListImport.transactions([(region: name, urls: distinct(addresses))]).joined() {
        let urls = Array(part.urls)
        let (count, again, moves) = try await stack.change {
          (
            try stack.source.add(urls, toRegionNamed: name), try stack.source.askEndedAgain(urls),
            try stack.source.moves(from: urls)
          )
        }
        stack.main.context.reset()
        added += count.added
        known += count.known
        ended += again
        Output.standard.print(movedLines(moves))
      }
      Output.standard.print(addedLine(added, known: known, again: ended, region: name))
    }
  }

  /// `newsimport region list`
  struct List: PagedCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the regions with the number of their feeds.")

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var records: RecordOptions<RegionFields>
    @OptionGroup var paging: PagerOptions
    var pagerConfiguration: ConfigurationOptions? { nil }

    func perform() async throws {
      let stack = try NewsStack.existing(storeOptions, for: .reading)
      let regions = try stack.map { stack in try stack.reading { try stack.source.regions() } } ?? []
      guard let stack, !regions.isEmpty else {
        records.write([])
        if !records.hasRecords {
          let regionless = try stack.map { stack in try stack.reading { try stack.source.regionlessCount() } }
          Output.error.print(emptyListText("regions", regionless: regionless ?? 0))
        }
        return
      }
      let listed = try stack.reading {
        let feeds = try stack.source.schedulesByRegion()
        return regions.map { (region: $0, feeds: feeds[$0.id] ?? []) }
      }
      if records.hasRecords {
        records.write(listed)
      } else {
        writeTable(fitted(RegionFields.rows(listed), to: Output.standard.columns), records)
      }
    }
  }
}

/// Whether `region add` looks at addresses before it adds them.
enum AddressCheck: EnumerableFlag {
  case check, noCheck

  static func name(for value: AddressCheck) -> NameSpecification {
    // --discover is the option's former name.
    value == .check ? [.customLong("check"), .customLong("discover")] : .customLong("no-check")
  }

  static func help(for value: AddressCheck) -> ArgumentHelp? {
    value == .check
      ? "Look at the addresses, and add the feeds that web pages lead to." : "Add the addresses as they are."
  }
}

/// Returns the address to store.
///
/// - Throws: ``CommandFailure`` with status 65 unless the address is http or https.
private func checkedAddress(_ url: String) throws -> WebAddress {
  do throws(WebAddress.Problem) {
    return try WebAddress(listed: url)
  } catch {
    throw CommandFailure(
      .badInput,
      "\(WebAddress.withoutPassword(url)): \(error); nothing was added\(schemeQuestion(url))")
  }
}
