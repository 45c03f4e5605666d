/// Decides which commits are followed by a notification: at most five a second.
///
/// An observer looks several times after a notification, and so finds the commits that follow without one.
struct NotificationPace: Sendable {
  private static let interval: Duration = .milliseconds(200)
  private var last: ContinuousClock.Instant?

  /// Returns whether a commit at this time is followed by a notification.
  mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
    if let last, now - last < Self.interval { return false }
    last = now
    return true
  }
}
