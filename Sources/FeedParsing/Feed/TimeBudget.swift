internal import Glibc

/// How much time a document has taken, of the threads that read it.
///
/// The time of a thread costs a call of the system each time it is asked for. While the clock on the wall, which costs
/// next to nothing, says that less than a tenth of the limit has passed, it is taken instead: it never says less.
struct TimeBudget {
  /// How much is read between two looks at the clock.
  static let pieceBytes = 64 << 10

  private let limits: ParserLimits
  private var bytes = 0
  private var seconds = 0.0
  private var clock = CLOCK_MONOTONIC
  private var beginning = 0.0
  private var failure: FeedError?

  init(limits: ParserLimits) {
    self.limits = limits
  }

  private var limit: Double { limits.cpuSeconds + Double(bytes) / 1_048_576 * limits.cpuSecondsPerMiB }

  /// Begins to count; throws when the document has taken too long before.
  mutating func begin() throws(FeedError) {
    if let failure { throw failure }
    clock = seconds * 10 < limit ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID
    beginning = Self.now(clock)
  }

  /// Ends to count, where `count` bytes were read: throws when the document has taken too long.
  mutating func end(bytes count: Int) throws(FeedError) {
    bytes += count
    seconds += Self.now(clock) - beginning
    guard seconds < limit else {
      let error = FeedError.limit(name: "seconds of CPU time", value: Int(min(limit, 1e9).rounded(.up)))
      failure = error
      throw error
    }
  }

  private static func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
