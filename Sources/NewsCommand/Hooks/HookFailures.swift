import Foundation
import ManagedContext
import NewsModel

/// The failures of hooks in the store.
struct HookFailures: Sendable {
  /// A failure as it is stored.
  struct Row: Sendable, Equatable {
    var hook: String
    /// The token of the event; empty for the hook as a whole.
    var event: String
    var article: Int64?
    var changed: Date?
    var attempts: Int
    var next: Date
    var since: Date
    var isReported: Bool
    var program: String
    /// The last failure; nil if another program has written an unknown one.
    var error: HookError?

    /// True if the hook as a whole failed, and not one article.
    var isOfHook: Bool { event.isEmpty }

    /// The last failure in words.
    var errorText: String { error?.text(of: program) ?? "\(program): failed" }
  }

  /// A failure to record.
  struct Failed: Sendable {
    /// The token of the event; empty for the hook as a whole.
    var event = ""
    var article: Int64?
    var changed: Date?
    var error: HookError
  }

  private let context: BackgroundContext

  /// - Parameter root: The root that saves.
  init(_ root: RootContext) {
    context = BackgroundContext(parent: root, name: "hooks", mergePolicy: .storeTrumps)
  }

  /// Returns the failures of a hook, or of all hooks: first those of hooks, then those of articles in the order of their
  /// next attempts.
  static func all(of hook: String?, in context: ManagedObjectContext) throws(StoreError) -> [Row] {
    let wanted: FetchPredicate<HookFailure> = hook.map { \.hook == $0 } ?? .constant(true)
    let rows = try context.fetch(FetchRequest(HookFailure.self, where: wanted)).map(Row.init)
    return rows.sorted { left, right in
      (left.hook, left.isOfHook ? 0 : 1, left.next, left.event)
        < (right.hook, right.isOfHook ? 0 : 1, right.next, right.event)
    }
  }

  /// Returns the failures of a hook; see ``all(of:in:)``.
  func all(of hook: String) async throws(StoreError) -> [Row] {
    try await context.perform { (context) throws(StoreError) in try Self.all(of: hook, in: context) }
  }

  /// Records failed attempts, each with its next attempt.
  ///
  /// - Parameter program: The first word of the command.
  func note(_ failures: [Failed], of hook: String, program: String, at now: Date) async throws(StoreError) {
    guard !failures.isEmpty else { return }
    try await change(hook) { rows, context in
      for failure in failures {
        let row = rows[failure.event] ?? context.insert(HookFailure.self)
        if rows[failure.event] == nil {
          (row.hook, row.event, row.attempts, row.since) = (hook, failure.event, 0, now)
          (row.article, row.changed, row.isReported) = (failure.article, failure.changed, false)
        }
        row.attempts = min(max(0, row.attempts), 1_000_000) + 1
        row.next = HookBackoff.next(afterAttempts: row.attempts, at: now)
        row.program = program
        (row.errorCode, row.errorNumber, row.errorDetail) = failure.error.stored
      }
    }
  }

  /// Deletes failures that are over.
  func remove(_ events: Set<String>, of hook: String) async throws(StoreError) {
    guard !events.isEmpty else { return }
    try await change(hook) { rows, context in
      for (event, row) in rows where events.contains(event) { context.delete(row) }
    }
  }

  /// Records that the failures of a hook with at least a number of attempts were reported.
  func noteReported(_ hook: String, from attempts: Int) async throws(StoreError) {
    try await change(hook) { rows, _ in
      for row in rows.values where !row.isReported && row.attempts >= attempts { row.isReported = true }
    }
  }

  /// Makes the next attempts of a hook's failures due.
  func makeDue(_ hook: String, at now: Date) async throws(StoreError) {
    try await change(hook) { rows, _ in
      for row in rows.values where row.next > now { row.next = now }
    }
  }

  /// Gives the failures of a hook to another one.
  func rename(from old: String, to new: String) async throws(StoreError) {
    try await change(old) { rows, _ in
      for row in rows.values { row.hook = new }
    }
  }

  private func change(
    _ hook: String, _ body: @Sendable ([String: HookFailure], ManagedObjectContext) -> Void
  ) async throws(StoreError) {
    try await context.perform { (context) throws(StoreError) in
      let rows = try context.fetch(FetchRequest(HookFailure.self, where: \.hook == hook))
      body(Dictionary(rows.map { ($0.event, $0) }, uniquingKeysWith: { first, _ in first }), context)
    }
    try await context.save()
  }
}

extension HookFailures.Row {
  fileprivate init(_ row: HookFailure) {
    self.init(
      hook: row.hook, event: row.event, article: row.article, changed: row.changed, attempts: row.attempts,
      next: row.next, since: row.since, isReported: row.isReported, program: row.program,
      error: HookError(code: row.errorCode, number: row.errorNumber, detail: row.errorDetail))
  }
}
