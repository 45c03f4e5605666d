import ArgumentParser
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel

extension FeedCommand {
  /// `newsimport feed list [REGION...] [--failing | --stale | --gone]`
  struct List: PagedCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List feeds with the state of each.",
      discussion: """
        A feed is failing if its last fetch failed, stale if it has had no new article for 8 times its publishing interval and at \
        least a week, or its host has refused each request for so long, and gone if its publisher ended it (HTTP 410). With several of these flags, a feed is listed if one \
        of them applies.
        Examples:
          newsimport feed list --failing
          newsimport feed list tech --gone --fields feed
        """)

    @OptionGroup var storeOptions: StoreOptions
    @Argument(
      help: ArgumentHelp("The regions; all feeds by default.", valueName: "region"), completion: .regions)
    var regions: [String] = []
    @Flag(help: "Only feeds whose last fetch failed.") var failing = false
    @Flag(help: "Only feeds without new articles for a long time.") var stale = false
    @Flag(help: "Only feeds that their publishers ended.") var gone = false
    @OptionGroup var paging: PagerOptions
    var pagerConfiguration: ConfigurationOptions? { nil }
    @OptionGroup var records: RecordOptions<FeedFields>

    func perform() async throws {
      guard let stack = try NewsStack.existing(storeOptions, for: .reading) else {
        Output.error.print("no feeds yet.   Next: newsimport region add NAME URL\n")
        return
      }
      let now = stack.now
      // Empty to list all feeds.
      var states: Set<FeedState> = []
      if failing { states.insert(.failing) }
      if stale { states.insert(.stale) }
      if gone { states.insert(.gone) }
      let regions = try self.regions.map { try stack.region(named: $0) }
      let feeds = try stack.reading {
        guard !regions.isEmpty else { return try stack.source.feedIDs() }
        var seen: Set<ManagedObjectID> = []
        return try regions.flatMap { try stack.source.feedIDs(of: $0) }.filter { seen.insert($0).inserted }
      }
      let count = try printFeeds(feeds, records, in: stack) {
        states.isEmpty || states.contains($0.state(at: now))
      }
      if count == 0, !records.hasRecords {
        Output.error.print(
          states.isEmpty ? "no feeds.   Next: newsimport region add NAME URL\n" : "no such feeds\n")
      }
    }
  }
}
