import ArgumentParser
import FeedImport
import Foundation
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

extension FeedCommand {
  /// `newsimport feed move FEED... REGION`
  struct Move: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "move",
      abstract: "Move feeds to another region.",
      discussion: """
        If a feed is in several regions, --from names the one that it leaves. A new region is created if necessary.
        Examples:
          newsimport feed move blog.example.org tech --from world
          newsimport feed move - tech < addresses.txt
        Exit status: 1 if some of several feeds cannot be moved; the others are moved.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @Argument(
      help: ArgumentHelp(
        """
        The feeds' addresses, or parts of them, and at the end the new region; - reads addresses from standard \
        input, one per line.
        """, valueName: "feed|region"), completion: .regions)
    var words: [String]
    @Option(help: "The region that the feeds leave.", completion: .regions) var from: String?

    func validate() throws {
      guard words.count > 1 else {
        throw ValidationError("Name the feeds, and at the end the region that they move to.")
      }
    }

    /// A feed that changes its region.
    private struct Move {
      let feed: Feed
      let address: String
      let left: String?
    }

    func perform() async throws {
      let region = words.last ?? ""
      try checkRegionName(region)
      let words = try givenAddresses(Array(words.dropLast()))
      let stack = try NewsStack.existing(storeOptions, forFeed: words[0])
      var named = try NamedFeeds(words, in: stack)
      let known = try stack.reading { try stack.source.regions().map(\.name) }
      if !known.contains(region) { try refuseFeed(region, in: stack, named.feeds.first) }
      let ids = named.feeds.map(\.id)
      let addresses = Dictionary(
        named.feeds.map { ($0.id, $0.url.description) }, uniquingKeysWith: { first, _ in first })
      try await HookRunner.keepWaiting(in: stack) { try configurationOptions.load() }
      let (moves, failures) = try await stack.change { try change(ids, addresses, to: region, in: stack) }
      for failure in failures { named.fail(failure.failure, of: failure.feed) }
      let isNew = !known.contains(region)
      let end = "to \(printable(region))\(isNew ? ", a new region" : "")\n"
      Output.standard.print(
        moves.map { move in
          "moved  \(move.address)\(move.left.map { " from \(printable($0))" } ?? "") \(end)"
        }.joined())
      // A region that a feed leaves is not suggested.
      let others = known.filter { name in !moves.contains { $0.left == name } }
      if isNew, !moves.isEmpty, let question = suggestion(for: region, among: others) {
        Output.error.warn("\(printable(region)) is a new region; \(printable(question))")
      }
      try named.finish()
    }

    /// Throws ``CommandFailure`` if a feed is named instead of the new region.
    @MainActor
    private func refuseFeed(_ region: String, in stack: NewsStack, _ moved: Feed?) throws {
      let other: Feed
      do {
        other = try stack.feed(at: region, isDeletion: true, suggests: false)
      } catch let failure as CommandFailure where failure.status == .noInput {
        return
      }
      throw CommandFailure(
        .usage,
        printable(
          "\(region): no region, but the feed \(other.url.withoutPassword); name the region at the end, or make one of this "
            + "name: newsimport region add \(shellWord(region)) \(moved.map { $0.url.withoutPassword } ?? "URL")"
        ))
    }

    /// Changes the feeds' memberships.
    ///
    /// - Returns: The feeds that move, and the causes why the others do not.
    @MainActor
    private func change(
      _ ids: [ManagedObjectID], _ addresses: [ManagedObjectID: String], to region: String, in stack: NewsStack
    ) throws -> (moves: [Move], failures: [(feed: ManagedObjectID, failure: CommandFailure)]) {
      let source = stack.source
      let feeds = try source.context.fetch(FetchRequest(Feed.self, where: .ids(ids)))
      let byID = Dictionary(feeds.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      let regions = try source.regionNames(of: ids)
      var moves: [Move] = []
      var failures: [(feed: ManagedObjectID, failure: CommandFailure)] = []
      for id in ids {
        let address = addresses[id] ?? ""
        guard let feed = byID[id] else {
          failures.append((id, removedMeanwhile(address)))
          continue
        }
        do {
          let change = try RegionChange(
            from: regions[id] ?? [], leaving: from, to: region, feed: address)
          moves.append(Move(feed: feed, address: address, left: change.left))
        } catch let failure as CommandFailure {
          failures.append((id, failure))
        }
      }
      guard !moves.isEmpty else { return (moves, failures) }
      for (left, group) in Dictionary(grouping: moves, by: \.left) {
        guard let left else { continue }
        try source.remove(group.map(\.feed.id), from: try stack.region(named: left))
      }
      _ = try source.add(moves.map(\.feed.url), toRegionNamed: region)
      return (moves, failures)
    }
  }
}

/// Returns the failure for a feed that another process has deleted.
func removedMeanwhile(_ address: String) -> CommandFailure {
  CommandFailure(.noInput, "\(address): it was removed meanwhile")
}
