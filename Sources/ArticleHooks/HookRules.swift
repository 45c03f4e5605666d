package import Foundation

/// The time until the next attempt after failures: a minute, which doubles up to a day.
package enum HookBackoff {
  static let first: TimeInterval = 60
  static let longest: TimeInterval = 86400

  /// Returns the date of the next attempt.
  ///
  /// - Parameter attempts: The count of failed attempts, from 1.
  static func next(afterAttempts attempts: Int, at now: Date) -> Date {
    let doublings = min(max(0, attempts - 1), 20)
    return now.addingTimeInterval(min(first * TimeInterval(1 << doublings), longest))
  }

  /// Returns whether an attempt is due. A date more than ``longest`` away is from a wrong clock.
  package static func isDue(_ next: Date, at now: Date) -> Bool {
    next <= now || next > now.addingTimeInterval(longest)
  }
}

/// Decides when a command's failures no longer concern single articles: then the hook is put off as a whole.
struct HookPatience: Sendable {
  private var failures = 0
  private var stalls = 0

  /// The count of successive failures after which a hook is put off.
  static let mostFailures = 20
  /// The count of successive commands at a limit after which a hook is put off: each takes a long time.
  static let mostStalls = 3

  /// True if the hook is to be put off.
  var isOver: Bool { failures >= Self.mostFailures || stalls >= Self.mostStalls }

  /// Notes how the command ended for one article.
  mutating func note(_ failure: HookError?) {
    guard let failure else {
      self = HookPatience()
      return
    }
    failures += 1
    if failure.isStall { stalls += 1 }
  }
}
