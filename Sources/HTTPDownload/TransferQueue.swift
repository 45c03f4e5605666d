/// Decides which transfer may start next: so many at once in all, so many a host, dealt round-robin over hosts.
///
/// A silent transfer doesn't count towards the total, so that slow hosts never delay others, but towards its host's
/// number and towards the larger total of those that are open. Pure bookkeeping; every operation takes constant time on average, so 20,000 transfers queued cost as
/// little each as ten.
struct TransferQueue {
  private struct Host {
    var waiting = Fifo<TransferID>()
    var runningCount = 0
    /// How many of its transfers have ended without an answer since the last answer.
    var unanswered = 0
    /// Whether the host stands in `ready`, where it stands at most once.
    var isReady = false
  }

  private let jobs: Int
  private let open: Int
  private let perHost: Int
  private let enoughSilence: Int
  private var hosts: [String: Host] = [:]
  /// Hosts that have a transfer waiting and a place free, in the order of their turns.
  private var ready = Fifo<String>()
  private var waiting: [TransferID: String] = [:]
  private var running: [TransferID: String] = [:]
  /// Those of `running` that don't count.
  private var silent: Set<TransferID> = []

  /// - Parameter open: How many may run at once with those that are silent; never fewer than `jobs`.
  /// - Parameter enoughSilence: So many transfers are risked at once on a host of which one got no answer.
  init(jobs: Int, open: Int, perHost: Int, enoughSilence: Int = .max) {
    self.jobs = max(1, jobs)
    self.open = max(self.jobs, open)
    self.perHost = max(1, perHost)
    self.enoughSilence = enoughSilence
  }

  var runningCount: Int { running.count }
  var waitingCount: Int { waiting.count }

  /// Whether a silent transfer's place would be taken by another.
  var wantsPlaces: Bool { !ready.isEmpty && running.count < open }

  mutating func enqueue(_ id: TransferID, host: String) {
    waiting[id] = host
    hosts[host, default: Host()].waiting.append(id)
    makeReady(host)
  }

  /// The transfer to start now, counted as running from here on; nil when none may.
  mutating func next() -> TransferID? {
    while running.count - silent.count < jobs, running.count < open, let host = ready.popFirst() {
      hosts[host]?.isReady = false
      // It may have lost its place while it waited for its turn.
      guard hosts[host].map(hasPlace) ?? false else { continue }
      // A transfer that was removed while it waited still stands in its host's line.
      while let id = hosts[host]?.waiting.popFirst() {
        guard waiting.removeValue(forKey: id) != nil else { continue }
        running[id] = host
        hosts[host]?.runningCount += 1
        makeReady(host)
        return id
      }
      forgetIfIdle(host)
    }
    return nil
  }

  /// Gives the place of a running transfer free.
  mutating func finish(_ id: TransferID) {
    guard let host = running.removeValue(forKey: id) else { return }
    silent.remove(id)
    hosts[host]?.runningCount -= 1
    makeReady(host)
    forgetIfIdle(host)
  }

  /// Notes what the end of a transfer tells of its host.
  ///
  /// - Returns: Whether the host has been silent for so long that no more of it should be waited for.
  mutating func note(_ sign: HostSign, of host: String) -> Bool {
    switch sign {
    case .nothing: return false
    case .answer:
      guard let unanswered = hosts[host]?.unanswered, unanswered > 0 else { return false }
      hosts[host]?.unanswered = 0
      makeReady(host)
      return false
    case .silence:
      hosts[host]?.unanswered += 1
      return hosts[host]?.unanswered ?? 0 >= enoughSilence
    }
  }

  /// Lets a running transfer no longer count, because nothing comes from its server.
  mutating func markSilent(_ id: TransferID) {
    if running[id] != nil { silent.insert(id) }
  }

  /// Lets a transfer count again; until others end there may be more than `jobs` of them then.
  mutating func markActive(_ id: TransferID) {
    silent.remove(id)
  }

  /// Takes out a transfer that has not started; false when it isn't waiting.
  mutating func remove(_ id: TransferID) -> Bool {
    waiting.removeValue(forKey: id) != nil
  }

  private func hasPlace(_ host: Host) -> Bool {
    guard host.runningCount < perHost else { return false }
    // Where one got no answer, those under way tell first whether more are to be risked.
    return host.unanswered == 0 || host.runningCount == 0
      || host.runningCount + host.unanswered < enoughSilence
  }

  private mutating func makeReady(_ key: String) {
    guard let host = hosts[key], !host.isReady, hasPlace(host), !host.waiting.isEmpty else { return }
    hosts[key]?.isReady = true
    ready.append(key)
  }

  private mutating func forgetIfIdle(_ key: String) {
    guard let host = hosts[key], host.runningCount == 0, host.waiting.isEmpty, !host.isReady else { return }
    hosts[key] = nil
  }
}

/// A first-in first-out line in an array.
struct Fifo<Element> {
  private var items: [Element] = []
  private var head = 0

  var isEmpty: Bool { head == items.count }

  mutating func append(_ item: Element) {
    items.append(item)
  }

  mutating func popFirst() -> Element? {
    guard head < items.count else { return nil }
    let item = items[head]
    head += 1
    // Dropping what was taken only once it's half of the array keeps the cost of a pop constant on average.
    if head * 2 >= items.count {
      items.removeFirst(head)
      head = 0
    }
    return item
  }
}
