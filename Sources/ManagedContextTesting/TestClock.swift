public import Foundation
internal import Threading

/// A clock that a test sets, on any thread. Until then, it shows the system's time.
public final class TestClock: Sendable {
  private let time: Locked<Date?>

  /// Creates a clock that shows a time; nil for the system's.
  public init(_ time: Date? = nil) {
    self.time = Locked(time)
  }

  /// The current time.
  public var now: Date { time.withLock { $0 } ?? Date() }

  /// Sets the time, at which the clock then stands still; nil for the system's.
  public func set(_ time: Date?) { self.time.withLock { $0 = time } }
}
