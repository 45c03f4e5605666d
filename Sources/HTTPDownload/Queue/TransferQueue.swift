/// Decides which transfer may start next, within limits for all transfers and for each host. Hosts take
/// turns.
///
/// A silent transfer does not count towards the total, so that slow hosts do not delay others. It counts
/// towards its host's limit, and towards the larger limit for open transfers. This type is pure bookkeeping.
/// Every operation takes amortized constant time, so a transfer's cost does not depend on the queue's length.
struct TransferQueue {
  private struct Host {
    let name: String
    var waiting = Fifo<TransferID>()
    /// The count of queued transfers; removed ones are still in `waiting`.
    var waitingCount = 0
    var runningCount = 0
    /// The running transfers that leave their connections to queued ones.
    var leavers: Set<TransferID> = []
    /// The count of connections that transfers have left, and that no transfer has taken yet.
    var idleCount = 0
    /// The count of transfers that ended without an answer since the last answer.
    var unanswered = 0
    /// The most transfers that the host may have at once, within the limit for each host. An answer may raise
    /// it, and a refusal lowers it.
    var slots: Int
    /// True if ``slots`` does not grow, because the host limits requests.
    var isSingle = false
    /// True if the host is in `ready`, which contains each host at most once.
    var isReady = false
    /// True if the host's transfers share one connection.
    var isShared = false
    /// The count of running transfers that have received a head on a shared connection.
    var headCount = 0

    /// True if a transfer that has received its head must leave its connection to another one. A connection of
    /// its own is left to a queued transfer. A shared one is left until no other transfer expects an answer
    /// there: libcurl closes it with the last transfer that has begun.
    var needsConnection: Bool {
      isShared ? waitingCount + runningCount > headCount : leavers.count + idleCount < waitingCount
    }
  }

  private let jobs: Int
  private let open: Int
  private let perHost: Int
  private let enoughSilence: Int
  private let patience: Double
  /// Indexes in `hosts` by host name; comparing an index is faster than comparing a name.
  private var places: [String: Int] = [:]
  private var hosts: [Host] = []
  /// Indexes of hosts without transfers, for reuse.
  private var freePlaces: [Int] = []
  /// Counts of unanswered transfers, for hosts without transfers. Further transfers to such a host may be
  /// queued soon.
  private var silences: [String: Int] = [:]
  /// The size at which ``silences`` is emptied, because a run may meet a million hosts.
  static let mostSilences = 1024
  /// The count of hosts with queued transfers that have fewer slots than they may get.
  private var heldBackCount = 0
  /// The count of queued transfers that could start if no limit applied to all hosts together.
  private var startableCount = 0
  /// Hosts with a queued transfer and a free slot, in the order of their turns.
  private var ready = Fifo<Int>()
  private var waiting: [TransferID: Int] = [:]
  private var running: [TransferID: Int] = [:]
  /// The hosts to which running transfers leave their connections.
  private var connected: [TransferID: Int] = [:]
  /// The running transfers that have received a head on a shared connection.
  private var withHead: Set<TransferID> = []
  /// The transfers that no longer need to leave their connections open.
  private var surplus: [TransferID] = []
  /// The running transfers that are silent and do not count towards `jobs`.
  private var silent: Set<TransferID> = []

  /// - Parameters:
  ///   - jobs: The maximum number of running transfers that are not silent.
  ///   - open: The maximum number of running transfers including silent ones; at least `jobs`.
  ///   - perHost: The maximum number of running transfers to one host.
  ///   - enoughSilence: The count of consecutive unanswered transfers after which a host counts as silent. It
  ///     also limits the transfers to a host that has not answered the last one.
  ///   - patience: ``DownloaderConfiguration/patience``, in seconds.
  init(jobs: Int, open: Int, perHost: Int, enoughSilence: Int = .max, patience: Double = 0) {
    self.jobs = max(1, jobs)
    self.open = max(self.jobs, open)
    self.perHost = max(1, perHost)
    self.enoughSilence = enoughSilence
    self.patience = patience
  }

  var runningCount: Int { running.count }
  var waitingCount: Int { waiting.count }
  /// The count of hosts with any state in the queue.
  var hostCount: Int { places.count + silences.count }

  /// True if another transfer could use a silent transfer's slot.
  var wantsSlots: Bool { (!ready.isEmpty || heldBackCount > 0) && running.count < open }

  /// True if running and startable transfers together hardly exceed the limit on running ones.
  var runsLow: Bool {
    running.count - silent.count + startableCount < jobs + jobs / 4 && running.count < open
  }

  mutating func enqueue(_ id: TransferID, host: String, isSingle: Bool = false) {
    let place = place(of: host)
    waiting[id] = place
    change(place) {
      if isSingle { ($0.slots, $0.isSingle) = (1, true) }
      $0.waiting.append(id)
      $0.waitingCount += 1
    }
    makeReady(place)
  }

  private mutating func place(of host: String) -> Int {
    if let place = places[host] { return place }
    let place = freePlaces.popLast() ?? hosts.count
    let new = Host(
      name: host, unanswered: silences.removeValue(forKey: host) ?? 0, slots: patience > 0 ? 1 : perHost)
    if place == hosts.count { hosts.append(new) } else { hosts[place] = new }
    places[host] = place
    return place
  }

  /// Returns the next transfer to start and counts it as running; nil if no transfer may start.
  mutating func next() -> TransferID? {
    while running.count - silent.count < jobs, running.count < open, let host = ready.popFirst() {
      hosts[host].isReady = false
      // The host may have lost its free slot while it waited for its turn.
      guard hasFreeSlot(hosts[host]) else { continue }
      // A transfer that was removed from the queue may still be in its host's list.
      while let id = hosts[host].waiting.popFirst() {
        guard waiting.removeValue(forKey: id) != nil else { continue }
        hosts[host].idleCount = max(0, hosts[host].idleCount - 1)
        noteLessWaiting(host)
        running[id] = host
        change(host) { $0.runningCount += 1 }
        makeReady(host)
        return id
      }
      forgetIfIdle(host)
    }
    return nil
  }

  /// Returns whether a running transfer, which has received its head, must leave its connection to a host open.
  /// It must if another transfer will need the connection, and no other one is left for it.
  ///
  /// - Parameter isShared: True if transfers share the connection (HTTP/2).
  mutating func leavesConnection(_ id: TransferID, to host: String, isShared: Bool) -> Bool {
    noteLeft(by: id)
    guard let place = places[host] else { return false }
    hosts[place].isShared = isShared
    if isShared, running[id] == place, withHead.insert(id).inserted { hosts[place].headCount += 1 }
    guard hosts[place].needsConnection else {
      releaseSharedConnection(place)
      return false
    }
    hosts[place].leavers.insert(id)
    connected[id] = place
    return true
  }

  /// Removes and returns the transfers that no longer need to leave their connections open, because fewer
  /// transfers are queued.
  mutating func takeSurplus() -> [TransferID] {
    defer { surplus = [] }
    return surplus
  }

  private mutating func noteLessWaiting(_ host: Int) {
    change(host) { $0.waitingCount -= 1 }
    guard !hosts[host].isShared,
      hosts[host].leavers.count + hosts[host].idleCount > hosts[host].waitingCount,
      let id = hosts[host].leavers.popFirst()
    else { return }
    connected[id] = nil
    surplus.append(id)
  }

  /// Lets the transfers close their shared connection, unless another one needs it.
  private mutating func releaseSharedConnection(_ host: Int) {
    guard hosts[host].isShared, !hosts[host].needsConnection else { return }
    for id in hosts[host].leavers { connected[id] = nil }
    surplus += hosts[host].leavers
    hosts[host].leavers = []
  }

  /// Records that a transfer has released the connection that it leaves to others, if any.
  private mutating func noteLeft(by id: TransferID) {
    guard let place = connected.removeValue(forKey: id) else { return }
    hosts[place].leavers.remove(id)
    hosts[place].idleCount += 1
    forgetIfIdle(place)
  }

  /// Releases a running transfer's slot.
  mutating func finish(_ id: TransferID) {
    noteLeft(by: id)
    guard let host = running.removeValue(forKey: id) else { return }
    silent.remove(id)
    change(host) { $0.runningCount -= 1 }
    if withHead.remove(id) != nil { hosts[host].headCount -= 1 }
    releaseSharedConnection(host)
    makeReady(host)
    forgetIfIdle(host)
  }

  /// Records a running transfer's result for its host. Must be called before ``finish(_:)``.
  ///
  /// - Returns: True if the host was silent for so many transfers that its queued transfers should be ended.
  mutating func note(_ sign: HostSign, of id: TransferID) -> Bool {
    guard let host = running[id] else { return false }
    switch sign {
    case .nothing: return false
    case .answer(let seconds):
      let grows = isHeldBack(hosts[host]) && isSlow(hosts[host], seconds)
      guard hosts[host].unanswered > 0 || grows else { return false }
      change(host) {
        $0.unanswered = 0
        if grows { $0.slots += 1 }
      }
      makeReady(host)
      return false
    case .refusal:
      change(host) {
        $0.unanswered = 0
        $0.slots = max(1, $0.slots - 1)
      }
      makeReady(host)
      return false
    case .silence:
      let perHost = perHost
      change(host) {
        $0.unanswered += 1
        if !$0.isSingle { $0.slots = perHost }
      }
      return hosts[host].unanswered >= enoughSilence
    }
  }

  /// Stops counting a running transfer, because its server sends nothing. Other transfers to its host no
  /// longer wait for its answer.
  mutating func markSilent(_ id: TransferID) {
    guard let host = running[id] else { return }
    silent.insert(id)
    guard isHeldBack(hosts[host]) else { return }
    let perHost = perHost
    change(host) { $0.slots = perHost }
    makeReady(host)
  }

  /// Counts a transfer again. More than `jobs` transfers may then run until others end.
  mutating func markActive(_ id: TransferID) {
    silent.remove(id)
  }

  /// Removes a queued transfer; returns false if it is not queued.
  mutating func remove(_ id: TransferID) -> Bool {
    guard let host = waiting.removeValue(forKey: id) else { return false }
    noteLessWaiting(host)
    releaseSharedConnection(host)
    return true
  }

  private func hasFreeSlot(_ host: Host) -> Bool {
    guard host.runningCount < min(perHost, host.slots) else { return false }
    // After a transfer without an answer, only a limited number of attempts is made until one is answered.
    return host.unanswered == 0 || host.runningCount == 0
      || host.runningCount + host.unanswered < enoughSilence
  }

  /// Changes a host, and updates the counts that depend on it.
  private mutating func change(_ host: Int, _ body: (inout Host) -> Void) {
    startableCount -= startable(hosts[host])
    heldBackCount -= isHeldBack(hosts[host]) && hosts[host].waitingCount > 0 ? 1 : 0
    body(&hosts[host])
    startableCount += startable(hosts[host])
    heldBackCount += isHeldBack(hosts[host]) && hosts[host].waitingCount > 0 ? 1 : 0
  }

  /// Returns whether a host has fewer transfers than it may get.
  private func isHeldBack(_ host: Host) -> Bool { !host.isSingle && host.slots < perHost }

  /// Returns whether a host's queue would take too long, if each transfer took as long as the last one.
  private func isSlow(_ host: Host, _ seconds: Double) -> Bool {
    Double(host.waitingCount) * seconds > patience * Double(host.slots)
  }

  private func startable(_ host: Host) -> Int {
    hasFreeSlot(host) ? min(host.waitingCount, min(perHost, host.slots) - host.runningCount) : 0
  }

  private mutating func makeReady(_ host: Int) {
    guard !hosts[host].isReady, hasFreeSlot(hosts[host]), !hosts[host].waiting.isEmpty else { return }
    hosts[host].isReady = true
    ready.append(host)
  }

  private mutating func forgetIfIdle(_ host: Int) {
    guard hosts[host].runningCount == 0, hosts[host].waiting.isEmpty, !hosts[host].isReady,
      hosts[host].leavers.isEmpty
    else { return }
    let (name, unanswered) = (hosts[host].name, hosts[host].unanswered)
    guard places.removeValue(forKey: name) != nil else { return }
    freePlaces.append(host)
    guard unanswered > 0 else { return }
    if silences.count == Self.mostSilences { silences = [:] }
    silences[name] = unanswered
  }
}

/// A first-in, first-out queue in an array.
struct Fifo<Element> {
  private var items: [Element] = []
  private var head = 0

  var isEmpty: Bool { head == items.count }
  var count: Int { items.count - head }

  mutating func append(_ item: Element) {
    items.append(item)
  }

  mutating func popFirst() -> Element? {
    guard head < items.count else { return nil }
    let item = items[head]
    head += 1
    // Removing the consumed items only when they fill half the array keeps a pop's amortized cost constant.
    if head * 2 >= items.count {
      items.removeFirst(head)
      head = 0
    }
    return item
  }
}
