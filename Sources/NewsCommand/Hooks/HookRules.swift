import Foundation

/// The time until the next attempt after failures: a minute, which doubles up to a day.
enum HookBackoff {
  static let first: TimeInterval = 60
  static let longest: TimeInterval = 86400

  /// Returns the date of the next attempt.
  ///
  /// - Parameter attempts: The number of failed attempts, from 1.
  static func next(afterAttempts attempts: Int, at now: Date) -> Date {
    let doublings = min(max(0, attempts - 1), 20)
    return now.addingTimeInterval(min(first * TimeInterval(1 << doublings), longest))
  }

  /// Returns whether an attempt is due. No pause is longer than ``longest``, so a later date is that of a clock that was ahead.
  static func isDue(_ next: Date, at now: Date) -> Bool {
    next <= now || next > now.addingTimeInterval(longest)
  }
}

/// Decides when the failures of a command are no longer those of single articles: then the hook is put off as a whole.
struct HookPatience: Sendable {
  private var failures = 0
  private var stalls = 0

  /// The number of failures in a row after which a hook is put off.
  static let mostFailures = 20
  /// The number of commands in a row that reached a limit after which a hook is put off: each takes a long time.
  static let mostStalls = 3

  /// True if the hook is to be put off.
  var isOver: Bool { failures >= Self.mostFailures || stalls >= Self.mostStalls }

  /// Takes note of the end of a command for one article.
  mutating func note(_ failure: HookError?) {
    guard let failure else {
      self = HookPatience()
      return
    }
    failures += 1
    if failure.isStall { stalls += 1 }
  }
}
