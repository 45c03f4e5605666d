/// Notices that the process was stopped, or the machine suspended, by the time since the last round of the loop.
///
/// It is pure: every time is passed in.
struct InterruptionWatch {
  typealias Instant = ContinuousClock.Instant

  /// The longest time between two rounds of a loop that runs. The loop must not wait for as long as that.
  let tolerance: Duration
  private var lastRound: Instant

  init(tolerance: Duration, now: Instant) {
    self.tolerance = tolerance
    lastRound = now
  }

  /// Records a round.
  ///
  /// - Returns: The time since the last round, if that was an interruption; otherwise nil.
  mutating func interruption(at now: Instant) -> Duration? {
    let passed = now - lastRound
    lastRound = now
    return passed > tolerance ? passed : nil
  }
}
