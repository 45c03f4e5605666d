import HTTPDownload

/// The memory for a run's unsaved responses, and the paused transfers that wait for it.
///
/// A response is admitted if it fits, at the usual size of responses. Others wait with their first bytes: parts
/// of too many responses would fill the memory, and only one at a time could be finished and saved.
///
/// If memory is short nevertheless, small responses continue, and one more, so that at least one always
/// finishes: the response that was the largest when memory became short. This choice holds until it is saved:
/// otherwise two nearly equal responses would take turns, and both grow. Feeds that share a response count
/// together: they may be in different workers, and each can pause their transfer.
struct ResponseMemory: Sendable {
  private struct Response: Sendable {
    var memory = 0
    var largest = 0
    /// The count of responses that had ended when this one was admitted; nil before.
    var admitted: Int?
    /// True if it needs memory for its saves only.
    var isReceived = false
    /// Its memory at the last call of ``markStalled()``; nil before.
    var marked: Int?
    /// True if it hardly grew between the last two calls.
    var isStalled = false
  }

  /// The memory above which it is short, in bytes.
  private let limit: Int
  /// An equal share of the limit, in bytes.
  private let share: Int
  /// The usual memory of a response, in bytes: at first an equal share of the limit, then as it is measured.
  private var usual: Int
  private var total = 0
  /// The count of responses that have ended.
  private var ended = 0
  private var responses: [TransferID: Response] = [:]
  private var parked: [TransferID] = []
  /// Transfers that waited until their responses were saved; they only have their slots.
  private var over: Set<TransferID> = []
  /// The response that continues above the limit; nil below it.
  private var preferred: TransferID?

  /// - Parameters:
  ///   - limit: The approximate maximum for all responses, in bytes.
  ///   - transfers: The maximum number of concurrent transfers.
  init(limit: Int, transfers: Int) {
    self.limit = limit
    share = limit / max(1, transfers)
    usual = share
  }

  var hasWaiting: Bool { !parked.isEmpty }
  /// True while ``markStalled()`` is called at regular intervals.
  var isWatched = false

  /// True if responses need more memory than there is.
  var isShort: Bool { total > limit }

  /// Changes a response's memory by `change` bytes, negative for less.
  ///
  /// - Parameter isReceived: True for a response that will need memory for its saves only.
  mutating func add(_ change: Int, to id: TransferID, isReceived: Bool = false) {
    guard change != 0 || isReceived else { return }
    total += change
    var response = responses[id] ?? Response()
    response.memory += change
    response.isReceived = response.isReceived || isReceived
    response.largest = max(response.largest, response.memory)
    responses[id] = response
    // Saves have taken over its memory before, unless there are none.
    if response.memory == 0 {
      responses[id] = nil
      if let place = parked.firstIndex(of: id) { over.insert(parked.remove(at: place)) }
      // An answer without a body says nothing about the others.
      if response.largest > 0 {
        ended += 1
        usual += (response.largest - usual) / Self.weight
      }
    }
    if total <= limit {
      preferred = nil
    } else if preferred.flatMap({ responses[$0] }) == nil {
      preferLargest(among: responses)
    }
  }

  private mutating func preferLargest(among responses: some Sequence<(key: TransferID, value: Response)>) {
    let largest = responses.max { ($0.value.memory, $1.key.rawValue) < ($1.value.memory, $0.key.rawValue) }
    preferred = largest?.key ?? preferred
  }

  /// How many of the last responses determine the usual memory.
  private static let weight = 16

  /// Makes a transfer wait with its first bytes until ``takeReady()`` returns it.
  mutating func wait(_ id: TransferID) {
    if !parked.contains(id) { parked.append(id) }
  }

  /// Makes paused transfers wait until ``takeReady()`` returns them. Those whose responses are saved already wait
  /// for nothing.
  mutating func park(_ ids: [TransferID]) {
    for id in ids {
      if responses[id] == nil { over.insert(id) } else { wait(id) }
    }
  }

  /// Admits a response that was received while it waited.
  mutating func admit(_ id: TransferID) {
    parked.removeAll { $0 == id }
    var response = responses[id] ?? Response()
    response.admitted = response.admitted ?? ended
    responses[id] = response
  }

  /// Notes which admitted responses received next to nothing since the last call: they no longer keep memory from
  /// others. If one of them has the preference, the largest paused response gets it, as long as all need less than
  /// twice the limit. Called at regular intervals while transfers wait.
  mutating func markStalled() {
    let (paused, growth) = (Set(parked), growth)
    for (id, response) in responses where response.admitted != nil && !paused.contains(id) {
      let isStalled = response.marked.map { response.memory - $0 <= growth } ?? false
      responses[id]?.isStalled = isStalled
      responses[id]?.marked = response.memory
    }
    if total <= 2 * limit, preferred.flatMap({ responses[$0] })?.isStalled == true {
      preferLargest(among: responses.filter { paused.contains($0.key) && !$0.value.isReceived })
    }
  }

  /// The growth below which a response stalls, in bytes: far less than a slow connection brings.
  private var growth: Int { min(1024, usual / Self.weight) }

  /// Removes and returns the waiting transfers that may continue. They are admitted in the order in which they
  /// began to wait.
  mutating func takeReady() -> Set<TransferID> {
    guard !parked.isEmpty || !over.isEmpty else { return [] }
    var reserved = reserved
    var ready = over
    over = []
    for id in parked where mayContinue(id, &reserved) { ready.insert(id) }
    parked.removeAll(where: ready.contains)
    return ready
  }

  /// Returns whether a transfer may continue; otherwise it must pause.
  mutating func mayContinue(_ id: TransferID) -> Bool {
    if responses[id]?.admitted != nil { return hasRoom(for: id) }
    var reserved = reserved
    return mayContinue(id, &reserved)
  }

  /// - Parameter reserved: The memory for the admitted responses, which is increased.
  private mutating func mayContinue(_ id: TransferID, _ reserved: inout Int) -> Bool {
    var response = responses[id] ?? Response()
    if response.admitted == nil {
      let needed = needed(by: response)
      guard reserved == 0 || reserved + needed <= limit else { return false }
      reserved += needed
      response.admitted = ended
      responses[id] = response
    }
    return hasRoom(for: id)
  }

  private func hasRoom(for id: TransferID) -> Bool {
    total <= limit || (responses[id]?.memory ?? 0) <= max(2 * usual, share) || id == preferred
  }

  /// The memory for the admitted responses.
  private var reserved: Int {
    responses.values.reduce(0) { $1.admitted == nil ? $0 : $0 + needed(by: $1) }
  }

  /// The memory that a response is likely to need. A large one does not keep others from being admitted, nor
  /// one from a slow server: it stalls, or many others have ended since it was admitted. A received one needs no
  /// more.
  private func needed(by response: Response) -> Int {
    let isSlow =
      response.isStalled || response.admitted.map { ended - $0 > limit / max(1, usual) } ?? false
    return min(isSlow || response.isReceived ? response.memory : max(response.memory, usual), limit / 4)
  }
}
