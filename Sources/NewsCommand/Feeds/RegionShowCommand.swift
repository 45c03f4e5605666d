import ArgumentParser
import FeedImport
import Foundation
import HTMLText
import ManagedContext
import NewsConfiguration
import NewsModel
import WebAddress
import TextOutput

extension RegionCommand {
  /// `newsimport region show NAME`
  struct Show: PagedCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "List the feeds of a region with the state of each.")

    @OptionGroup var storeOptions: StoreOptions
    @Argument(help: "The region.", completion: .regions) var name: String
    @OptionGroup var paging: PagerOptions
    var pagerConfiguration: ConfigurationOptions? { nil }
    @OptionGroup var records: RecordOptions<FeedFields>

    func perform() async throws {
      let stack = try NewsStack.existing(storeOptions, forRegion: name, for: .reading)
      let region = try stack.region(named: name)
      let feeds = try stack.reading { try stack.source.feedIDs(of: region) }
      if feeds.isEmpty, !records.hasRecords {
        Output.error.print(
          "no feeds in \(printable(name)).   Next: newsimport region add \(shellWord(name)) URL\n")
      }
      try printFeeds(feeds, records, in: stack)
    }
  }

  /// `newsimport region rename OLD NEW`
  struct Rename: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename",
      abstract: "Rename a region.",
      discussion: """
        Change the name in the configuration, too: a message says if a table, a hook or a query names the region. Its hooks then \
        continue under the new name. So do lists that opml sync --region brings to it.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @Argument(help: ArgumentHelp("The region.", valueName: "old"), completion: .regions) var name: String
    @Argument(help: ArgumentHelp("Its new name.", valueName: "new")) var newName: String

    func perform() async throws {
      try checkRegionName(newName)
      let stack = try NewsStack.existing(storeOptions, forRegion: name)
      let region = try stack.region(named: name)
      if name != newName, try stack.reading({ try stack.source.region(named: newName) }) != nil {
        throw CommandFailure(
          .usage,
          "\(printable(newName)): a region of this name exists; choose another, or remove it first: "
            + "newsimport region remove \(shellWord(newName))")
      }
      guard !region.name.utf8.elementsEqual(Region.normalized(newName).utf8) else {
        Output.error.print("\(printable(newName)): this is already its name\n")
        return
      }
      let oldName = region.name
      region.name = Region.normalized(newName)
      try stack.reading { try stack.source.moveFollowedLists(ofRegion: oldName, to: region.name) }
      try await stack.save()
      Output.standard.print("renamed  \(printable(name)) -> \(printable(newName))\n")
      try await HookNames.rename(from: oldName, to: region.name, in: stack)
      // The region was renamed, even if the configuration cannot be read.
      guard let loaded = try? configurationOptions.load(),
        let places = loaded.configuration.text(ofPlacesNaming: oldName)
      else { return }
      Output.error.warn(
        "the configuration still names \(printable(oldName)): \(printable(places)); change the name in \(printable(loaded.path)), too"
      )
    }
  }
}

/// Prints feeds with their states.
///
/// - Parameter isShown: Returns whether a feed is printed.
/// - Returns: The number of printed feeds.
@MainActor @discardableResult
func printFeeds(
  _ feeds: [ManagedObjectID], _ records: RecordOptions<FeedFields>, in stack: NewsStack,
  where isShown: (Feed) -> Bool = { _ in true }
) throws -> Int {
  let lines = records.records()
  if let header = lines?.header { writeRecord(header) }
  var (count, rows): (Int, [[String]]) = (0, [])
  try stack.reading {
    try stack.source.forEachPart(of: feeds) { part throws(StoreError) in
      let shown = part.filter(isShown)
      count += shown.count
      guard let lines else {
        rows += shown.map(row)
        return
      }
      let regions = try stack.source.regionNames(of: shown.map(\.id))
      for feed in shown { lines.write(ListedFeed(feed: feed, regions: regions[feed.id] ?? [])) }
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
