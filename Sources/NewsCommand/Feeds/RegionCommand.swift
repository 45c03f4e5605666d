import ArgumentParser
import Foundation
import ManagedContext
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
  struct List: MainCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the regions with the number of their feeds.")

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var records: RecordOptions<RegionFields>

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
        try regions.map { ListedRegion(name: $0.name, feeds: try stack.source.feedOutlines(of: $0)) }
      }
      if records.hasRecords {
        records.write(listed)
      } else {
        writeTable(ListedRegion.rows(listed, width: Output.standard.columns), records)
      }
    }
  }

  /// `newsimport region remove NAME`
  struct Remove: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a region; its feeds and articles stay in the store.",
      discussion: """
        Asks first if the region has feeds, because the list of its feeds is lost. newsimport opml export saves it in a file.
        Examples:
          newsimport opml export world > world.opml
          newsimport region remove world --yes
        """)

    @OptionGroup var storeOptions: StoreOptions
    @Argument(help: "The region.", completion: .regions) var name: String
    @Flag(help: "Do not ask.") var yes = false

    func perform() async throws {
      let stack = try NewsStack.existing(storeOptions, forRegion: name)
      let region = try stack.region(named: name)
      let (left, all) = try stack.reading {
        (try stack.source.exclusiveCount(of: region), try stack.source.feedIDs(of: region).count)
      }
      let action = "remove region \(printable(name))\(keptFeeds(all, alone: left))"
      guard try Question.isConfirmed(action, isGiven: yes || all == 0) else {
        Output.error.print("nothing was removed\n")
        return
      }
      try stack.reading { try stack.source.remove(region) }
      try await stack.save()
      Output.standard.print("removed  region \(printable(name))\(leftFeedsText(left, of: all))\n")
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

/// Returns ", but keep its 3 feeds, 1 of which is in no other region"; empty for a region without feeds.
private func keptFeeds(_ all: Int, alone: Int) -> String {
  guard all > 0 else { return "" }
  let kept = ", but keep its \(counted(all, "feed"))"
  switch (all, alone) {
  case (_, 0): return kept
  case (1, _): return kept + ", which is in no other region"
  default: return kept + ", \(grouped(alone)) of which \(alone == 1 ? "is" : "are") in no other region"
  }
}
