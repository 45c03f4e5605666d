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
    commandName: "region", abstract: "Add, list, show, rename and remove regions: named groups of feeds.",
    subcommands: [Add.self, List.self, Show.self, Rename.self, Remove.self])

  /// `newsimport region add NAME [--discover] URL...`
  struct Add: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add feeds to a region; nothing is fetched without --discover.",
      discussion: """
        A feed that its publisher had ended (HTTP 410) is polled again if it is added again.
        With --discover, an address may be a web page: the feed that the page links to is added, or else one at a \
        usual path of the site (/feed, /rss.xml and others). If the configuration has credentials or headers \
        for the region or the address, a feed of another host is printed but not added, because \
        the next fetch would send these credentials to that host.
        With -, addresses are read from standard input, one per line.
        Examples:
          newsimport region add world https://world.example.com/rss.xml
          newsimport region add world --discover https://daily.example.org/
          newsimport region add world - < addresses.txt
        Exit status: 0 all were added; with --discover: 1 some were added, or a feed is on another host, 65 no address is a feed or links to one, 69 no server could be reached.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @Argument(help: "The region, which is created if necessary.", completion: .regions) var name: String
    @Argument(help: ArgumentHelp("Addresses of feeds, http or https; - is standard input.", valueName: "url"))
    var urls: [String]
    @Flag(help: "Download the addresses, and add the feeds that web pages link to.") var discover = false
    @Flag(help: "With --discover: one JSON object for each address.") var json = false
    @Flag(help: "With --discover: refuse addresses of private networks and of this machine.") var publicOnly =
      false

    func validate() throws {
      if json && !discover { throw ValidationError("--json needs --discover.") }
      if publicOnly && !discover { throw ValidationError("--public-only needs --discover.") }
    }

    func perform() async throws {
      try checkRegionName(name)
      let addresses = try givenAddresses(urls, orElse: "nothing was added").map(checkedAddress)
      if discover {
        let loaded = try configurationOptions.load()
        let discovery = RegionDiscovery(
          region: name, json: json, configuration: loaded,
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
        return regions.map { ListedRegion(name: $0.name, feeds: feeds[$0.id] ?? []) }
      }
      if records.hasRecords {
        records.write(listed)
      } else {
        writeTable(fitted(ListedRegion.rows(listed), to: Output.standard.columns), records)
      }
    }
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
