internal import Dispatch
internal import GRDB
internal import Synchronization

/// Ends a search that finds nothing for a long time.
///
/// For a query with many word prefixes, such as `l* OR i*`, FTS5 computes all rows before it returns the
/// first one. This is one SQLite instruction, during which no progress handler is called. But FTS5 reads the
/// index in small pieces, and each notices an interruption.
final class SearchPatience {
  /// The state that the timer and the search share.
  private final class Clock: Sendable {
    /// The count of ticks since the last row.
    let ticks = Atomic(0)
    let isAtEnd = Atomic(false)
  }

  /// The count of ticks until the time is up, so that no timer is set for each row.
  private static let ticks = 4

  private let timer: any DispatchSourceTimer
  private let clock = Clock()

  /// Starts the time.
  ///
  /// - Parameters:
  ///   - time: The longest time without a row.
  ///   - interrupt: Interrupts the search; called on another thread.
  init(_ time: Duration, interrupt: @escaping @Sendable () -> Void) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "search patience"))
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    let tick = seconds / Double(Self.ticks)
    timer.schedule(deadline: .now() + tick, repeating: tick)
    timer.setEventHandler { [clock] in
      guard clock.ticks.add(1, ordering: .relaxed).newValue >= Self.ticks else { return }
      clock.isAtEnd.store(true, ordering: .relaxed)
      interrupt()
    }
    timer.activate()
  }

  deinit { timer.cancel() }

  /// Starts the time again, after a row.
  func restart() { clock.ticks.store(0, ordering: .relaxed) }

  /// Returns whether an error is due to the interruption.
  func hasEnded(_ error: DatabaseError) -> Bool {
    error.resultCode == .SQLITE_INTERRUPT && clock.isAtEnd.load(ordering: .relaxed)
  }
}
