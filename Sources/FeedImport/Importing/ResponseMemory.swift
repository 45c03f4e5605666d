import HTTPDownload

/// The memory of a run's unfinished responses, and the paused transfers that wait for it.
///
/// If memory is short, the transfers of responses within their share of it continue, and the transfer of the largest
/// response, so that at least one always comes to its end. The feeds that share a response count together: they may be
/// in different workers, and each of them can pause their transfer.
struct ResponseMemory: Sendable {
  /// The memory above which it is short, in bytes.
  private let limit: Int
  /// The memory up to which each response continues, in bytes.
  private let share: Int
  private var total = 0
  private var responses: [TransferID: Int] = [:]
  private var parked: Set<TransferID> = []

  /// - Parameters:
  ///   - limit: The approximate maximum for all responses, in bytes.
  ///   - transfers: The maximum number of concurrent transfers.
  init(limit: Int, transfers: Int) {
    self.limit = limit
    share = limit / max(1, transfers)
  }

  /// Changes the memory of a response by `change` bytes, negative for less.
  mutating func add(_ change: Int, to id: TransferID) {
    guard change != 0 else { return }
    total += change
    let memory = responses[id, default: 0] + change
    responses[id] = memory == 0 ? nil : memory
  }

  /// Lets a paused transfer wait until ``takeReady()`` returns it.
  mutating func park(_ id: TransferID) {
    parked.insert(id)
  }

  /// Removes and returns the waiting transfers that may continue.
  mutating func takeReady() -> Set<TransferID> {
    guard !parked.isEmpty else { return [] }
    let largest = total > limit ? responses.values.max() ?? 0 : 0
    let ready = parked.filter { id in
      let memory = responses[id] ?? 0
      return total <= limit || memory <= share || memory == largest
    }
    parked.subtract(ready)
    return ready
  }
}
