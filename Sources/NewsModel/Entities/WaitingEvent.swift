public import Foundation
public import ManagedContext
import Sequences

/// An article change that a configured hook has not handled yet.
public struct WaitingEvent: Sendable, Hashable {
  /// The hook's name.
  public let hook: String
  /// The change's token.
  public let token: String
  /// The article.
  public let article: ManagedObjectID
  /// The change's date.
  public let changed: Date
  /// False if it is not known whether the hook applies to the article.
  public let isCertain: Bool

  /// Creates a value.
  public init(hook: String, token: String, article: ManagedObjectID, changed: Date, isCertain: Bool = true) {
    (self.hook, self.token, self.article) = (hook, token, article)
    (self.changed, self.isCertain) = (changed, isCertain)
  }
}

extension HookFailure {
  /// Stores events that wait for hooks, without an attempt. An event that already failed or waits stays
  /// unchanged.
  ///
  /// - Parameter heirs: The replacement for each article that has been replaced.
  public static func keep(
    _ events: [WaitingEvent], for heirs: [ManagedObjectID: ManagedObjectID] = [:], at now: Date,
    in context: ManagedObjectContext
  ) throws(StoreError) {
    guard !events.isEmpty else { return }
    var known: Set<[String]> = []
    for (hook, events) in Dictionary(grouping: events, by: \.hook) {
      for part in events.map(\.token).chunks(of: 1000) {
        let rows = FetchRequest(HookFailure.self, where: \.hook == hook && .among(\.event, Array(part)))
        for token in try context.fetchValues(rows, \.event) { known.insert([hook, token]) }
      }
    }
    for event in events where known.insert([event.hook, event.token]).inserted {
      let row = context.insert(HookFailure.self)
      (row.hook, row.event, row.changed) = (event.hook, event.token, event.changed)
      row.article = (heirs[event.article] ?? event.article).key
      (row.attempts, row.next, row.since, row.isReported) = (0, now, now, false)
      (row.program, row.errorCode) = ("", "")
    }
  }
}
