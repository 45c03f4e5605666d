import FeedImport
import Foundation
import ManagedContext
import NewsModel
import Sequences
import TextOutput
import WebAddress

/// How the articles to delete are found.
private struct PrunePlan {
  /// Many feeds with one age and no other rule, by age: one pass finds the articles of all.
  private(set) var byAge: [(age: TimeInterval, feeds: [ManagedObjectID: PruneReport.Feed])] = []
  /// The other feeds, in their order; each is read alone.
  private(set) var others: [PruneReport.Feed] = []

  init(_ feeds: [PruneReport.Feed]) {
    func age(_ feed: PruneReport.Feed) -> TimeInterval? {
      feed.retention.count == nil ? feed.retention.age.flatMap { $0.isFinite ? $0 : nil } : nil
    }
    let groups = Dictionary(grouping: feeds, by: age)
    for (age, feeds) in groups {
      if let age, feeds.count >= AgePruning.leastFeeds {
        byAge.append((age, Dictionary(uniqueKeysWithValues: feeds.map { ($0.id, $0) })))
      }
    }
    byAge.sort { $0.age < $1.age }
    others = feeds.filter { feed in !byAge.contains { $0.feeds[feed.id] != nil } }
  }
}

/// Deletes the articles that their feeds' retention does not keep, or counts them.
@MainActor
final class PruneDeletion {
  /// The deletions so far.
  private(set) var report: PruneReport

  private let feeds: [PruneReport.Feed]
  private let isPreview: Bool
  private let stack: NewsStack
  private let now: Date
  /// The articles that wait for a hook, which stay.
  private let backlog: HookBacklog
  private let deletion: ArticleDeletion
  // A background context leaves the main queue free to receive signals.
  private let context: BackgroundContext
  private var waiting: [(feed: PruneReport.Feed, articles: [RowVersion])] = []
  private var count = 0

  /// - Parameter isPreview: True to delete nothing.
  init(
    _ feeds: [PruneReport.Feed], in stack: NewsStack, at now: Date, sparing backlog: HookBacklog,
    isPreview: Bool = false
  ) {
    (self.feeds, self.stack, self.now, self.backlog) = (feeds, stack, now, backlog)
    self.isPreview = isPreview
    context = BackgroundContext(parent: stack.root, name: "prune")
    deletion = ArticleDeletion(
      in: stack.root, name: "deletion", author: TransactionAuthor.prune, sparing: backlog)
    report = PruneReport(feeds, isDone: !isPreview)
  }

  /// Deletes articles in transactions with about the same size; one transaction may include several feeds.
  ///
  /// - Parameters:
  ///   - progress: Called after each transaction with the total so far.
  ///   - isStopped: Returns true to stop before the next transaction.
  /// - Returns: False if it was stopped.
  func run(
    progress: (Int) -> Void = { _ in }, until isStopped: () -> Bool
  ) async throws(StoreError) -> Bool {
    let spared = try backlog.articles()
    let plan = PrunePlan(feeds)
    for (age, feeds) in plan.byAge {
      if isStopped() { return false }
      let pruning = AgePruning(feeds: Set(feeds.keys), age: age, now: now, sparing: spared)
      let selection = try await context.perform { (context) throws(StoreError) in
        try pruning.selection(in: context)
      }
      for (id, feed) in feeds {
        report.add(feed, starred: selection.starred[id] ?? 0, waiting: selection.spared[id] ?? 0)
      }
      for part in selection.articles.chunks(of: Pruning.batch) {
        if isStopped() { return false }
        for (id, articles) in Dictionary(grouping: part, by: \.feed) {
          if let feed = feeds[id] { waiting.append((feed, articles.map(\.article))) }
        }
        try await deleteWaiting()
        progress(report.articles)
      }
    }
    for feed in plan.others {
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
    if isPreview {
      for (feed, articles) in batch { report.add(feed, articles: articles.count) }
      return
    }
    let result = try await deletion.delete(batch.flatMap(\.articles), at: now)
    // The main context collects all saved changes; it does not need these.
    try stack.main.flush()
    for (feed, articles) in batch {
      report.add(
        feed, articles: articles.count { result.deleted.contains($0.id) },
        waiting: articles.count { result.spared.contains($0.id) })
    }
  }

  /// Returns the failure for a deletion that ended with a store error.
  ///
  /// - Parameter signal: The exit status for a signal that had arrived; nil without one.
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
  ///   - name: The feeds' region; nil for all feeds.
  ///   - rule: Returns a feed's retention and its source, from its address and regions; nil if everything is
  ///     kept.
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
