import Foundation
import ManagedContext
import NewsModel

/// The other runs' claims, as the store has them, and which ones hold.
struct ClaimTable: Sendable {
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
  ///   - rows: The claims that other runs have.
  ///   - dead: The numbers of runs without a life sign.
  ///   - now: The time by the store's clock.
  init(_ rows: [Row], dead: Set<Int64>, at now: Date) {
    held = Set(rows.lazy.filter { Self.holds($0, isDead: dead.contains($0.run), at: now) }.map(\.origin))
    hasVoid = held.count < rows.count
    (self.dead, self.now) = (Array(dead), now)
  }

  /// Returns whether a claim holds: its run is alive and renews it.
  ///
  /// A run that was stopped, or is on a sleeping machine, is alive but does not renew its claims. An expiry
  /// far away in either direction does not count: the clock was wrong when it was written, or is wrong now.
  static func holds(_ row: Row, isDead: Bool, at now: Date) -> Bool {
    guard !isDead else { return false }
    return row.expiry > now || row.expiry < now.addingTimeInterval(-wrongClock)
  }

  /// Matches the claims to remove before `publishers` are claimed: the claims of dead runs, and expired
  /// claims to these publishers. A live run may still renew its other claims.
  func areVoid(for publishers: Set<String>) -> FetchPredicate<PublisherClaim> {
    let isExpired =
      \PublisherClaim.expiry <= now && \.expiry >= now.addingTimeInterval(-Self.wrongClock)
    return .among(\.run, dead) || (isExpired && .among(\.origin, Array(publishers)))
  }

  /// The distance in seconds between expiry and present above which a clock must be wrong.
  private static let wrongClock: TimeInterval = 43_200
}
