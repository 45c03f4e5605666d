public import Foundation
import Threading

/// A clock that a test sets; the system's until then.
public final class TestClock: Sendable {
  private let time: Locked<Date?>

  public init(_ time: Date? = nil) {
    self.time = Locked(time)
  }

  public var now: Date { time.withLock { $0 } ?? Date() }

  public func set(_ time: Date?) { self.time.withLock { $0 = time } }
}
