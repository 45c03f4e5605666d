import FeedImport
import Foundation
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// Deletes the articles that the retention of feeds does not keep.
@MainActor
final class PruneDeletion {
  /// What was deleted so far.
  private(set) var report: PruneReport

  private let feeds: [PruneReport.Feed]
  private let stack: NewsStack
  private let now: Date
  /// The articles that wait for a hook, which stay.
  private let backlog: HookBacklog
  private let deletion: ArticleDeletion
  // A background context, so that the main queue can receive signals meanwhile.
  private let context: BackgroundContext
  private var waiting: [(feed: PruneReport.Feed, articles: [RowVersion])] = []
  private var count = 0

  init(_ feeds: [PruneReport.Feed], in stack: NewsStack, at now: Date, sparing backlog: HookBacklog) {
    (self.feeds, self.stack, self.now, self.backlog) = (feeds, stack, now, backlog)
    context = BackgroundContext(parent: stack.root, name: "prune")
    deletion = ArticleDeletion(
      in: stack.root, name: "deletion", author: TransactionAuthor.prune, sparing: backlog)
    report = PruneReport(feeds, isDone: true)
  }

  /// Deletes in transactions of about the same size, regardless of the number of feeds.
  ///
  /// - Parameters:
  ///   - progress: Called with the number of deleted articles after each transaction.
  ///   - isStopped: Returns true to stop before the next transaction.
  /// - Returns: False if it was stopped.
  func run(
    progress: (Int) -> Void = { _ in }, until isStopped: () -> Bool
  ) async throws(StoreError) -> Bool {
    let spared = try backlog.articles()
    for feed in feeds {
      if isStopped() { return false }
      let pruning = Pruning(feed: feed.id, retention: feed.retention, now: now, sparing: spared)
      let selection = try await context.perform { (context) throws(StoreError) in
        try pruning.selection(in: context)
      }
      report.add(feed, starred: selection.starred, waiting: selection.spared)
      var rest = selection.articles[...]
      while !rest.isEmpty {
        let taken = rest.prefix(Pruning.batch - count)
        waiting.append((feed, Array(taken)))
        count += taken.count
        rest = rest.dropFirst(taken.count)
        if count == Pruning.batch {
          try await deleteWaiting()
          progress(report.articles)
          if !rest.isEmpty, isStopped() { return false }
        }
      }
    }
    guard !waiting.isEmpty else { return true }
    if isStopped() { return false }
    try await deleteWaiting()
    return true
  }

  private func deleteWaiting() async throws(StoreError) {
    let batch = waiting
    (waiting, count) = ([], 0)
    let result = try await deletion.delete(batch.flatMap(\.articles), at: now)
    // The main context collects all saved changes, including these; it does not need them.
    try stack.main.flush()
    for (feed, articles) in batch {
      report.add(
        feed, articles: articles.count { result.deleted.contains($0.id) },
        waiting: articles.count { result.spared.contains($0.id) })
    }
  }

  /// Returns the failure of a deletion that the store stopped.
  ///
  /// - Parameter signal: The status of a signal that had arrived; nil without one.
  func failure(_ error: StoreError, _ signal: ExitStatus? = nil) -> CommandFailure {
    let failure = CommandFailure(error, store: stack.location)
    let deleted = report.articles > 0 ? "; \(counted(report.articles, "article")) were deleted before" : ""
    return CommandFailure(signal ?? failure.status, (failure.message ?? "") + deleted)
  }
}

extension PruneDeletion {
  /// Returns the feeds with a limited retention, in the order in which they were added.
  ///
  /// - Parameters:
  ///   - name: The region of the feeds; nil for all feeds.
  ///   - rule: Returns the retention of a feed in regions, and its source; nil if all is kept.
  static func feeds(
    in stack: NewsStack, ofRegion name: String? = nil,
    _ rule: (WebAddress, [String]) -> (retention: Retention, source: String)?
  ) throws -> [PruneReport.Feed] {
    try stack.reading {
      var regions: [ManagedObjectID: [String]] = [:]
      var asked: Set<ManagedObjectID>?
      for region in try stack.source.regions() {
        let members = try stack.source.feedIDs(of: region)
        for feed in members { regions[feed, default: []].append(region.name) }
        if region.name == name { asked = Set(members) }
      }
      let request = FetchRequest(Feed.self)
      let ids = try stack.source.context.fetchIDs(request)
      let urls = try stack.source.context.fetchValues(request, \.url)
      let titles = try stack.source.titles(of: ids)
      return zip(ids, urls).compactMap { id, url in
        guard asked?.contains(id) ?? true else { return nil }
        let names = regions[id] ?? []
        guard let (retention, source) = rule(url, names) else { return nil }
        return PruneReport.Feed(
          id: id, url: url, title: titles[id], regions: names, retention: retention, source: source)
      }
    }
  }
}
