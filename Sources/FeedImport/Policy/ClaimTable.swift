import Foundation
import ManagedContext
import NewsModel

/// The claims of other runs, as the store has them: which of them hold.
struct ClaimTable: Sendable {
  /// A row of the store.
  struct Row: Sendable {
    let origin: String
    let run: Int64
    let expiry: Date
  }

  /// The publishers that other runs hold.
  let held: Set<String>
  /// True if the store has claims that do not hold.
  let hasVoid: Bool
  private let dead: [Int64]
  private let now: Date

  /// - Parameters:
  ///   - rows: The claims of other runs.
  ///   - dead: Those of their runs that have no sign of life.
  ///   - now: The time by the store's clock.
  init(_ rows: [Row], dead: Set<Int64>, at now: Date) {
    held = Set(rows.lazy.filter { Self.holds($0, isDead: dead.contains($0.run), at: now) }.map(\.origin))
    hasVoid = held.count < rows.count
    (self.dead, self.now) = (Array(dead), now)
  }

  /// Returns whether a claim holds: its run lives, and renews it.
  ///
  /// A run that was stopped, or whose machine sleeps, lives but does not renew its claims. An expiry that is far away in either
  /// direction says nothing about that: the clock was wrong when it was written, or is wrong now.
  static func holds(_ row: Row, isDead: Bool, at now: Date) -> Bool {
    guard !isDead else { return false }
    return row.expiry > now || row.expiry < now.addingTimeInterval(-wrongClock)
  }

  /// Returns the claims to remove before publishers are claimed: those of dead runs, and those of the publishers that do not
  /// hold. A run that lives may still renew others.
  func areVoid(for publishers: Set<String>) -> FetchPredicate<PublisherClaim> {
    let isExpired =
      \PublisherClaim.expiry <= now && \.expiry >= now.addingTimeInterval(-Self.wrongClock)
    return .among(\.run, dead) || (isExpired && .among(\.origin, Array(publishers)))
  }

  /// The distance of an expiry from the present above which a clock is wrong, in seconds.
  private static let wrongClock: TimeInterval = 43_200
}
