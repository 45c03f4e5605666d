/// Decides which transfer may start next: so many at once in all, so many a host, dealt round-robin over hosts.
///
/// A silent transfer doesn't count towards the total, so that slow hosts never delay others, but towards its host's
/// number and towards the larger total of those that are open. Pure bookkeeping; every operation takes constant time on average, so 20,000 transfers queued cost as
/// little each as ten.
struct TransferQueue {
  private struct Host {
    let name: String
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
  /// The places of hosts in `hosts`: a number is found sooner than a name.
  private var places: [String: Int] = [:]
  private var hosts: [Host] = []
  /// Places of hosts that have nothing to do any more.
  private var freePlaces: [Int] = []
  /// Hosts that have a transfer waiting and a place free, in the order of their turns.
  private var ready = Fifo<Int>()
  private var waiting: [TransferID: Int] = [:]
  private var running: [TransferID: Int] = [:]
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
    let place = place(of: host)
    waiting[id] = place
    hosts[place].waiting.append(id)
    makeReady(place)
  }

  private mutating func place(of host: String) -> Int {
    if let place = places[host] { return place }
    let place = freePlaces.popLast() ?? hosts.count
    if place == hosts.count { hosts.append(Host(name: host)) } else { hosts[place] = Host(name: host) }
    places[host] = place
    return place
  }

  /// The transfer to start now, counted as running from here on; nil when none may.
  mutating func next() -> TransferID? {
    while running.count - silent.count < jobs, running.count < open, let host = ready.popFirst() {
      hosts[host].isReady = false
      // It may have lost its place while it waited for its turn.
      guard hasPlace(hosts[host]) else { continue }
      // A transfer that was removed while it waited still stands in its host's line.
      while let id = hosts[host].waiting.popFirst() {
        guard waiting.removeValue(forKey: id) != nil else { continue }
        running[id] = host
        hosts[host].runningCount += 1
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
    hosts[host].runningCount -= 1
    makeReady(host)
    forgetIfIdle(host)
  }

  /// Notes what the end of a running transfer tells of its host; to be called before ``finish(_:)``.
  ///
  /// - Returns: Whether the host has been silent for so long that no more of it should be waited for.
  mutating func note(_ sign: HostSign, of id: TransferID) -> Bool {
    guard let host = running[id] else { return false }
    switch sign {
    case .nothing: return false
    case .answer:
      guard hosts[host].unanswered > 0 else { return false }
      hosts[host].unanswered = 0
      makeReady(host)
      return false
    case .silence:
      hosts[host].unanswered += 1
      return hosts[host].unanswered >= enoughSilence
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

  private mutating func makeReady(_ host: Int) {
    guard !hosts[host].isReady, hasPlace(hosts[host]), !hosts[host].waiting.isEmpty else { return }
    hosts[host].isReady = true
    ready.append(host)
  }

  private mutating func forgetIfIdle(_ host: Int) {
    guard hosts[host].runningCount == 0, hosts[host].waiting.isEmpty, !hosts[host].isReady else { return }
    guard places.removeValue(forKey: hosts[host].name) != nil else { return }
    freePlaces.append(host)
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
