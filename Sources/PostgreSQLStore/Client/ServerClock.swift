internal import Foundation

/// The server's clock: its time when the store was opened, plus the time passed since then on this machine's
/// steady clock. A wrong time of day on this machine has no effect.
struct ServerClock: Sendable {
  /// The server's time in seconds since 1970, in SQL.
  static let sql = "extract(epoch FROM clock_timestamp())::double precision"

  private let opened: Date
  private let since = ContinuousClock.now

  /// - Parameter time: What the server has just returned for ``sql``.
  init(_ time: Double) { opened = Date(timeIntervalSince1970: time) }

  func now() -> Date {
    let passed = ContinuousClock.now - since
    return opened.addingTimeInterval(
      TimeInterval(passed.components.seconds) + TimeInterval(passed.components.attoseconds) * 1e-18)
  }
}
