/// Decides which transfers are silent, and when to check them.
///
/// The type is pure: every time is passed in.
struct SilenceWatch {
  typealias Instant = ContinuousClock.Instant

  /// The shortest time between two checks, so that transfers that become silent one after another are checked
  /// together.
  private static let lookInterval = Duration.milliseconds(50)

  private let tolerance: Duration
  /// The next check's time; nil if nothing needs a check.
  private(set) var nextLook: Instant?

  /// - Parameter tolerance: The time without received data after which a transfer is silent.
  init(tolerance: Duration) {
    self.tolerance = max(.milliseconds(1), tolerance)
  }

  func isDue(at now: Instant) -> Bool {
    nextLook.map { $0 <= now } ?? true
  }

  /// Checks transfers.
  ///
  /// - Parameter lastSigns: The times when data was last received, for the transfers not known to be silent.
  /// - Returns: The transfers that are silent now.
  mutating func look(at now: Instant, lastSigns: some Sequence<(TransferID, Instant)>) -> [TransferID] {
    var silent: [TransferID] = []
    var earliest: Instant?
    for (id, lastSign) in lastSigns {
      if now - lastSign >= tolerance {
        silent.append(id)
      } else {
        earliest = min(earliest ?? lastSign, lastSign)
      }
    }
    nextLook = earliest.map { max($0 + tolerance, now + Self.lookInterval) } ?? now + tolerance
    return silent
  }

  /// Stops the checks, because no transfer waits for a slot.
  mutating func rest() {
    nextLook = nil
  }
}
