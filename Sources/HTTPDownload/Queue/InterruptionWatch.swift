/// Detects that the process was stopped or the machine suspended, by the time since the loop's last round.
///
/// The type is pure: every time is passed in.
struct InterruptionWatch {
  typealias Instant = ContinuousClock.Instant

  /// The longest time that the loop may wait while it is watched.
  static let longestWait = Duration.seconds(1)
  /// The longest time between two rounds of an uninterrupted loop.
  static let tolerance = Duration.seconds(3)

  private var lastRound: Instant

  init(now: Instant) {
    lastRound = now
  }

  /// Records a round.
  ///
  /// - Returns: The time since the last round, if that was an interruption; otherwise nil.
  mutating func interruption(at now: Instant) -> Duration? {
    let passed = now - lastRound
    lastRound = now
    return passed > Self.tolerance ? passed : nil
  }
}
