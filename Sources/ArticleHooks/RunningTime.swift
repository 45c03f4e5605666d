/// A time span in which this process runs.
///
/// A step in the system's clock does not change it. Time in which the system sleeps, or in which this process
/// is stopped (SIGSTOP), does not pass.
struct RunningTime {
  /// The longest time without a look at the clock. After twice this time, the process was stopped.
  private static let step: Duration = .seconds(1)

  private var rest: Duration
  private var last: SuspendingClock.Instant

  init(of seconds: Double, now: SuspendingClock.Instant = .now) {
    rest = .seconds(seconds)
    last = now
  }

  /// True after the span's end.
  var isOver: Bool { rest <= .zero }

  /// Waits for a part of the span.
  ///
  /// - Parameter wait: Waits for an event at most for some milliseconds, as poll(2) does.
  /// - Returns: The result of `wait`.
  mutating func waiting(_ wait: (Int32) -> Int32) -> Int32 {
    let longest = max(.zero, min(rest, Self.step))
    // Rounded up: a wait for zero milliseconds would not end the span.
    let milliseconds = Int32((longest / .milliseconds(1)).rounded(.up))
    defer { pass(until: .now) }
    return wait(milliseconds)
  }

  mutating func pass(until now: SuspendingClock.Instant) {
    rest -= min(last.duration(to: now), Self.step * 2)
    last = now
  }
}
