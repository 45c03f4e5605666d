package import Foundation
package import ManagedContext
package import NewsModel
import Sequences

/// The articles that hooks could not handle: their command failed, or they wait for a hook that was put off.
package struct HookFailures: Sendable {
  struct Failed: Sendable {
    /// The event's token; empty for the hook as a whole.
    var event = ""
    var article: Int64?
    var changed: Date?
    var error: HookError
  }

  private let context: BackgroundContext

  /// - Parameter root: The root that saves.
  package init(_ root: RootContext) {
    context = BackgroundContext(parent: root, name: "hooks", mergePolicy: .storeTrumps)
  }

  /// Returns the failures of one hook or all hooks. Failures of hooks come first, then articles by their next
  /// attempts, then waiting articles by their changes.
  package static func all(of hook: String?, in context: ManagedObjectContext) throws(StoreError)
    -> [StoredRow<HookFailure>]
  {
    let wanted: FetchPredicate<HookFailure> = hook.map { \.hook == $0 } ?? .constant(true)
    let rows = try context.rows(of: FetchRequest(HookFailure.self, where: wanted))
    return rows.map { (row: $0, order: $0.order) }.sorted { $0.order < $1.order }.map(\.row)
  }

  /// Returns all hooks' failures, without deleted articles: the next run drops these.
  package static func ofPresentArticles(in source: DataSource) throws(StoreError) -> [StoredRow<HookFailure>]
  {
    let rows = try all(of: nil, in: source.context)
    func article(_ row: StoredRow<HookFailure>) -> ManagedObjectID? { row.article.flatMap(source.articleID) }
    let articles = FetchRequest(Article.self, where: .ids(rows.compactMap(article)))
    let present = Set(try source.context.fetchIDs(articles))
    return rows.filter { article($0).map(present.contains) ?? true }
  }

  /// Returns a hook's failures; see ``all(of:in:)``.
  package func all(of hook: String) async throws(StoreError) -> [StoredRow<HookFailure>] {
    try await context.perform { (context) throws(StoreError) in try Self.all(of: hook, in: context) }
  }

  /// Records failed attempts, each with its next attempt.
  ///
  /// - Parameter program: The command's first word.
  func note(_ failures: [Failed], of hook: String, program: String, at now: Date) async throws(StoreError) {
    guard !failures.isEmpty else { return }
    try await change(hook, failures.map(\.event)) { rows, context in
      for failure in failures {
        let row = rows[failure.event] ?? context.insert(HookFailure.self)
        if rows[failure.event] == nil {
          (row.hook, row.event, row.attempts) = (hook, failure.event, 0)
          (row.article, row.changed, row.isReported) = (failure.article, failure.changed, false)
        }
        if row.attempts <= 0 { row.since = now }
        row.attempts = min(max(0, row.attempts), 1_000_000) + 1
        row.next = HookBackoff.next(afterAttempts: row.attempts, at: now)
        row.program = program
        (row.errorCode, row.errorNumber, row.errorDetail) = failure.error.stored
      }
    }
  }

  /// Stores events that wait for hooks; see ``NewsModel/HookFailure/keep(_:for:at:in:)``.
  func keep(_ waiting: [WaitingEvent], at now: Date) async throws(StoreError) {
    guard !waiting.isEmpty else { return }
    try await context.perform { (context) throws(StoreError) in
      try HookFailure.keep(waiting, at: now, in: context)
    }
    try await context.save()
  }

  /// Deletes failures that are over.
  package func remove(_ events: Set<String>, of hook: String) async throws(StoreError) {
    for part in Array(events).chunks(of: 1000) {
      try await change(hook, part) { rows, context in
        for row in rows.values { context.delete(row) }
      }
    }
  }

  /// Deletes the articles that wait for a hook.
  package func removeWaiting(of hook: String) async throws(StoreError) {
    try await change(hook) { rows, context in
      for row in rows.values where row.isWaiting { context.delete(row) }
    }
  }

  /// Records that a hook's failures with at least some number of attempts were reported.
  package func noteReported(_ hook: String, from attempts: Int) async throws(StoreError) {
    try await change(hook) { rows, _ in
      for row in rows.values where !row.isReported && row.attempts >= attempts { row.isReported = true }
    }
  }

  /// Makes the next attempts of a hook's failures due.
  package func makeDue(_ hook: String, at now: Date) async throws(StoreError) {
    try await change(hook) { rows, _ in
      for row in rows.values where row.next > now { row.next = now }
    }
  }

  /// Gives a hook's failures to another one, except those that it has.
  package func rename(from old: String, to new: String) async throws(StoreError) {
    let known = Set(try await all(of: new).map(\.event))
    try await change(old) { rows, context in
      for (event, row) in rows {
        if known.contains(event) { context.delete(row) } else { row.hook = new }
      }
    }
  }

  /// - Parameter events: The tokens of the events whose rows are changed; nil for all in the hook.
  private func change(
    _ hook: String, _ events: [String]? = nil,
    _ body: @Sendable ([String: HookFailure], ManagedObjectContext) -> Void
  ) async throws(StoreError) {
    try await context.perform { (context) throws(StoreError) in
      let isWanted: FetchPredicate<HookFailure> = events.map { .among(\.event, $0) } ?? .constant(true)
      let rows = try context.fetch(FetchRequest(HookFailure.self, where: \.hook == hook && isWanted))
      body(Dictionary(rows.map { ($0.event, $0) }, uniquingKeysWith: { first, _ in first }), context)
    }
    try await context.save()
  }
}

extension EntityValues where Object == HookFailure {
  /// True if the hook as a whole failed, and not one article.
  package var isOfHook: Bool { self.event.isEmpty }

  /// True if the command did not get the article yet: it waits for a hook that was put off.
  package var isWaiting: Bool { !isOfHook && self.attempts <= 0 }

  /// True if an attempt for the article failed.
  package var isFailing: Bool { !isOfHook && self.attempts > 0 }

  /// The last failure; nil if another program has written an unknown one.
  package var error: HookError? {
    HookError(code: self.errorCode, number: self.errorNumber, detail: self.errorDetail)
  }

  /// The last failure in words.
  package var errorText: String { error?.text(of: self.program) ?? "\(self.program): failed" }

  /// The place in a list. Equal ones are ordered by the transaction's number, and the event's number in it.
  fileprivate var order: (String, Int, Date, Int64, Int) {
    let token = ChangeToken(text: self.event)
    let kind = isOfHook ? 0 : isFailing ? 1 : 2
    return (
      self.hook, kind, isWaiting ? .distantPast : self.next, token?.transaction.number ?? 0,
      token?.position ?? 0
    )
  }
}
