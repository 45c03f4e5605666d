/// Says which transfers are silent, and when to look for them.
///
/// Pure: every time is passed in.
struct SilenceWatch {
  typealias Instant = ContinuousClock.Instant

  /// Transfers that fall silent one after the other are looked for together, at most so often.
  private static let lookInterval = Duration.milliseconds(50)

  private let tolerance: Duration
  /// When to look again; nil when there is nothing to look for.
  private(set) var nextLook: Instant?

  /// - Parameter tolerance: A transfer is silent when nothing has come for so long.
  init(tolerance: Duration) {
    self.tolerance = max(.milliseconds(1), tolerance)
  }

  /// Whether it's time to look.
  func isDue(at now: Instant) -> Bool {
    nextLook.map { $0 <= now } ?? true
  }

  /// Looks at transfers.
  ///
  /// - Parameter lastSigns: When something came last for those that are not known to be silent.
  /// - Returns: Those that are silent now.
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

  /// Nobody waits for a place: it doesn't matter who is silent.
  mutating func rest() {
    nextLook = nil
  }
}
