public import Foundation
public import ManagedContext

/// Says that a person was told that a feed fails, and not yet that it works again (`fetch --mail-after`).
///
/// A row of its own, so that the feeds of most people, who are told nothing, are as small as before.
public final class ToldFailure: ManagedObject {
  override public class var entityName: String { "told_failure" }

  /// The attributes.
  public enum Key {
    /// See ``ToldFailure/feed``.
    public static let feed = AttributeKey<ManagedObjectID>(0, "feed_id")
    /// See ``ToldFailure/told``.
    public static let told = AttributeKey<Date>(1, "told")
  }

  /// The ``Feed``; it has one such row at most.
  public var feed: ManagedObjectID {
    get { self[Key.feed] }
    set { self[Key.feed] = newValue }
  }

  /// When; a feed that has worked since then fails anew.
  public var told: Date {
    get { self[Key.told] }
    set { self[Key.told] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: ToldFailure.self,
    properties: [
      .reference(Key.feed, \ToldFailure.feed, to: "feed"), .attribute(Key.told, \ToldFailure.told),
    ], uniqueness: [["feed_id"]])
}

extension ToldFailure {
  /// Which feeds somebody was told of.
  ///
  /// - Parameters:
  ///   - failing: Feeds that fail now: one that has worked since it was told, as far as the log goes back, is not among the
  ///     told.
  ///   - idle: Feeds that were not asked now: those that have worked since they were told are the recovered.
  /// - Throws: ``StoreError``.
  public static func known(
    failing: Set<ManagedObjectID>, idle: Set<ManagedObjectID>, in context: ManagedObjectContext
  ) throws(StoreError) -> (told: Set<ManagedObjectID>, recovered: Set<ManagedObjectID>) {
    var told: [ManagedObjectID: Date] = [:]
    for row in try context.fetch(FetchRequest(ToldFailure.self)) { told[row.feed] = row.told }
    guard !told.isEmpty else { return ([], []) }
    let feeds = Array(told.keys)
    let again = try context.fetch(
      FetchRequest(FetchRecord.self, where: .among(\.feed, feeds.filter(failing.contains)))
    ).filter { $0.outcome != .failed && $0.date > told[$0.feed] ?? .distantFuture }
    let recovered = try context.fetch(FetchRequest(Feed.self, where: .ids(feeds.filter(idle.contains))))
      .filter { $0.failures == 0 && $0.lastOutcome.map { $0 != .failed } == true }
    return (Set(feeds).subtracting(again.map(\.feed)), Set(recovered.map(\.id)))
  }

  /// Notes with the next save that somebody is told now that feeds fail; those that are gone meanwhile are passed over.
  public static func note(
    _ feeds: [ManagedObjectID], at now: Date, in context: ManagedObjectContext
  ) throws(StoreError) {
    let there = Set(try context.fetchIDs(FetchRequest(Feed.self, where: .ids(feeds))))
    let known = try context.fetch(FetchRequest(ToldFailure.self, where: .among(\.feed, feeds)))
    for row in known { row.told = now }
    for feed in there.subtracting(known.map(\.feed)) {
      let row = context.insert(ToldFailure.self)
      (row.feed, row.told) = (feed, now)
    }
  }
}
