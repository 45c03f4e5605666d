internal import Glibc

/// The time that a document has taken, on all threads that read it.
///
/// Reading a thread's CPU time costs a system call. While the wall clock, which costs hardly anything, shows
/// less than a tenth of the limit, its time is used instead: it is never less than the CPU time.
struct TimeBudget {
  /// The size of the piece that is read between two time checks, in bytes.
  static let pieceBytes = 64 << 10

  private let limits: ParserLimits
  private var bytes = 0
  private var seconds = 0.0
  private var clock = CLOCK_MONOTONIC
  private var beginning = 0.0

  init(limits: ParserLimits) {
    self.limits = limits
  }

  private var limit: Double { limits.cpuSeconds + Double(bytes) / 1_048_576 * limits.cpuSecondsPerMiB }

  /// Starts the clock.
  mutating func begin() {
    clock = seconds * 10 < limit ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID
    beginning = Self.now(clock)
  }

  /// Stops the clock after `count` bytes; throws if the document has taken too long.
  mutating func end(bytes count: Int) throws(FeedError) {
    bytes += count
    seconds += Self.now(clock) - beginning
    guard seconds < limit else {
      throw .limit(name: "seconds of CPU time", value: Int(min(limit, 1e9).rounded(.up)))
    }
  }

  private static func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
