import HTTPDownload

/// The memory for a run's unsaved responses, and the paused transfers that wait for it.
///
/// If memory is short, responses within their share continue, and one more, so that at least one always
/// finishes: the response that was the largest when memory became short. This choice holds until it is saved:
/// otherwise two nearly equal responses would take turns, and both grow. Feeds that share a response count
/// together: they may be in different workers, and each can pause their transfer.
struct ResponseMemory: Sendable {
  /// The memory above which it is short, in bytes.
  private let limit: Int
  /// The memory up to which each response continues, in bytes.
  private let share: Int
  private var total = 0
  private var responses: [TransferID: Int] = [:]
  private var parked: Set<TransferID> = []
  /// The response that continues above the limit; nil below it.
  private var preferred: TransferID?

  /// - Parameters:
  ///   - limit: The approximate maximum for all responses, in bytes.
  ///   - transfers: The maximum number of concurrent transfers.
  init(limit: Int, transfers: Int) {
    self.limit = limit
    share = limit / max(1, transfers)
  }

  /// True if responses above their share wait for saves.
  var isShort: Bool { total > limit }

  /// Changes a response's memory by `change` bytes, negative for less.
  mutating func add(_ change: Int, to id: TransferID) {
    guard change != 0 else { return }
    total += change
    let memory = responses[id, default: 0] + change
    responses[id] = memory == 0 ? nil : memory
    if total <= limit {
      preferred = nil
    } else if preferred.flatMap({ responses[$0] }) == nil {
      preferred = responses.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
    }
  }

  /// Makes paused transfers wait until ``takeReady()`` returns them.
  mutating func park(_ ids: [TransferID]) {
    parked.formUnion(ids)
  }

  /// Removes and returns the waiting transfers that may continue.
  mutating func takeReady() -> Set<TransferID> {
    guard !parked.isEmpty else { return [] }
    let ready = parked.filter { mayContinue($0) }
    parked.subtract(ready)
    return ready
  }

  /// Returns whether a transfer may continue; otherwise it must pause.
  func mayContinue(_ id: TransferID) -> Bool {
    total <= limit || (responses[id] ?? 0) <= share || id == preferred
  }
}
