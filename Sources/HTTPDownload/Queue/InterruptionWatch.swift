/// Detects that the process was stopped or the machine suspended, by the time since the loop last read
/// its clock.
///
/// The type is pure: every time is passed in.
struct InterruptionWatch {
  typealias Instant = ContinuousClock.Instant

  /// The longest time that the loop may wait while it is watched.
  static let longestWait = Duration.seconds(1)
  /// The longest time between two reads of an uninterrupted loop.
  static let tolerance = Duration.seconds(3)

  private var lastRead: Instant

  init(now: Instant) {
    lastRead = now
  }

  /// Records a read of the clock.
  ///
  /// - Returns: The time since the last read, if that was an interruption; otherwise nil.
  mutating func interruption(at now: Instant) -> Duration? {
    let passed = now - lastRead
    lastRead = now
    return passed > Self.tolerance ? passed : nil
  }
}
