public import Foundation
public import ManagedContext

/// A failure that was reported to the user, until its end is reported (`fetch --report-after`).
///
/// It has a separate row, so that feeds take no more space for users without the option.
public final class ReportedFailure: ManagedObject, Entity {
  override public class var entityName: String { "told_failure" }

  public struct Schema: Sendable {
    /// The ``Feed``, which has at most one such row.
    public let feed = Attribute<ManagedObjectID>("feed_id", to: Feed.self, inverse: \.reportedFailures)
    /// The date of the report. A feed that has worked since then has a new failure.
    public let date = Attribute<Date>("told", as: .secondsSince1970)
  }

  public static let entity = EntityDeclaration(ReportedFailure.self, Schema(), unique: { [[$0.feed]] })
}

extension ReportedFailure {
  /// Returns the feeds with a reported failure, and the feeds that have recovered since.
  ///
  /// - Parameters:
  ///   - isFailing: Returns whether a feed fails now. If it has worked since the report, according to its
  ///     log, it is not returned as reported.
  ///   - isPolled: Returns whether a feed was polled now. Other feeds that have worked since the report are
  ///     returned as recovered.
  /// - Throws: ``StoreError``.
  public static func known(
    isFailing: (ManagedObjectID) -> Bool, isPolled: (ManagedObjectID) -> Bool,
    in context: ManagedObjectContext
  ) throws(StoreError) -> (reported: Set<ManagedObjectID>, recovered: Set<ManagedObjectID>) {
    var reported: [ManagedObjectID: Date] = [:]
    for row in try context.fetch(FetchRequest(ReportedFailure.self)) { reported[row.feed] = row.date }
    guard !reported.isEmpty else { return ([], []) }
    let feeds = Array(reported.keys)
    let again = try context.fetch(
      FetchRequest(FetchRecord.self, where: .among(\.feed, feeds.filter(isFailing)))
    ).filter { $0.outcome?.isSuccess == true && $0.date > reported[$0.feed] ?? .distantFuture }
    let recovered = try context.fetch(
      FetchRequest(Feed.self, where: .ids(feeds.filter { !isPolled($0) }))
    )
    .filter { $0.failures == 0 && $0.lastOutcome?.isSuccess == true }
    return (Set(feeds).subtracting(again.map(\.feed)), Set(recovered.map(\.id)))
  }

  /// Records with the next save that the feeds' failure is reported now. Deleted feeds are skipped.
  public static func note(
    _ feeds: [ManagedObjectID], at now: Date, in context: ManagedObjectContext
  ) throws(StoreError) {
    let there = Set(try context.fetchIDs(FetchRequest(Feed.self, where: .ids(feeds))))
    let known = try context.fetch(FetchRequest(ReportedFailure.self, where: .among(\.feed, feeds)))
    for row in known { row.date = now }
    for feed in there.subtracting(known.map(\.feed)) {
      let row = context.insert(ReportedFailure.self)
      (row.feed, row.date) = (feed, now)
    }
  }
}
