import ArgumentParser
import HTMLText
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

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

/// Prints feeds with their states.
///
/// - Parameter isShown: Returns whether a feed is printed.
/// - Returns: The number of printed feeds.
@MainActor
private func printFeeds(
  _ feeds: [ManagedObjectID], _ records: RecordOptions<FeedFields>, in stack: NewsStack,
  where isShown: (Feed) -> Bool
) throws -> Int {
  let lines = records.records()
  if let header = lines?.header { writeRecord(header) }
  var (count, rows): (Int, [[String]]) = (0, [])
  try stack.reading {
    try stack.source.forEachPart(of: feeds, prefetching: lines == nil ? [] : [\.regions]) { part in
      let shown = part.filter(isShown)
      count += shown.count
      if let lines { for feed in shown { lines.write(feed) } } else { rows += shown.map(row) }
    }
  }
  if lines == nil { writeTable(rows, records) }
  return count
}

@MainActor
private func row(of feed: Feed) -> [String] {
  [
    "  " + state(of: feed), feed.lastFetch.map(localMinute) ?? "", titleOfRow(feed), feed.url.description,
    cause(of: feed),
  ]
}

/// Returns a feed's title, cut to a table column's width on a terminal.
@MainActor
private func titleOfRow(_ feed: Feed) -> String {
  let title = printable(feed.shownTitle ?? "")
  return Output.standard.isTerminal ? DisplayWidth.cut(title, to: 40) : title
}

/// Returns a failing feed's latest failure; empty for other feeds.
private func cause(of feed: Feed) -> String {
  guard feed.lastOutcome?.isSuccess == false, !feed.isGone410 else { return "" }
  return printable(feed.lastFailure?.description ?? "")
}

/// Returns a feed's state in one or two words.
private func state(of feed: Feed) -> String {
  if feed.isGone410 { return "ended" }
  switch feed.lastOutcome {
  case nil: return feed.isFromFiles ? "from files" : "never polled"
  case .updated: return "updated"
  case .unchanged: return "not modified"
  case .refused: return "waiting"
  case .failed: return feed.failures > 1 ? "failed \(feed.failures)x" : "failed"
  }
}
