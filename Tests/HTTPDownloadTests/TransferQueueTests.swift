import Testing

@testable import HTTPDownload

struct TransferQueueTests {
  /// Creates a queue with transfers numbered from 1 in the order of `hosts`.
  private func queue(jobs: Int, open: Int = 0, perHost: Int, hosts: [String]) -> TransferQueue {
    var queue = TransferQueue(jobs: jobs, open: open, perHost: perHost)
    for (index, host) in hosts.enumerated() { queue.enqueue(TransferID(UInt64(index + 1)), host: host) }
    return queue
  }

  private func startAll(_ queue: inout TransferQueue) -> [UInt64] {
    var started: [UInt64] = []
    while let id = queue.next() { started.append(id.rawValue) }
    return started
  }

  @Test func `no more transfers start than there are jobs`() {
    var queue = queue(jobs: 2, perHost: 4, hosts: ["a", "b", "c"])
    #expect(startAll(&queue) == [1, 2])
    queue.finish(TransferID(1))
    #expect(startAll(&queue) == [3])
    #expect(queue.runningCount == 2 && queue.waitingCount == 0)
  }

  @Test func `no more transfers of one host start than its limit`() {
    var queue = queue(jobs: 64, perHost: 2, hosts: ["a", "a", "a", "a", "b"])
    #expect(startAll(&queue) == [1, 5, 2])
    queue.finish(TransferID(2))
    #expect(startAll(&queue) == [3])
  }

  @Test func `a queue runs low if few transfers could run, however many wait for busy hosts`() {
    var queue = queue(
      jobs: 4, open: 8, perHost: 2, hosts: Array(repeating: "a", count: 10) + ["b", "b", "c", "c"])
    #expect(!queue.runsLow)
    #expect(startAll(&queue) == [1, 11, 13, 2])
    #expect(!queue.runsLow)
    _ = queue.remove(TransferID(12))
    #expect(!queue.runsLow)
    _ = queue.remove(TransferID(14))
    #expect(queue.runsLow)
  }

  /// Creates a queue that wants hosts to be done in a second, with 12 transfers for one.
  private func patientQueue() -> TransferQueue {
    var queue = TransferQueue(jobs: 64, open: 64, perHost: 4, enoughSilence: 4, patience: 1)
    for id in 1...12 { queue.enqueue(TransferID(UInt64(id)), host: "a") }
    return queue
  }

  private func end(_ id: UInt64, _ sign: HostSign, _ queue: inout TransferQueue) -> [UInt64] {
    _ = queue.note(sign, of: TransferID(id))
    queue.finish(TransferID(id))
    return startAll(&queue)
  }

  @Test
  func
    `a host gets one more transfer at a time with each answer that is too slow, and fewer after a refusal`()
  {
    var queue = patientQueue()
    #expect(startAll(&queue) == [1] && queue.wantsSlots)
    #expect(end(1, .answer(seconds: 1), &queue) == [2, 3])
    #expect(end(2, .refusal, &queue) == [])
    #expect(end(3, .answer(seconds: 1), &queue) == [4, 5])
    #expect(end(4, .answer(seconds: .infinity), &queue) == [6, 7])
    #expect(end(5, .answer(seconds: 1), &queue) == [8, 9])
    #expect(end(6, .answer(seconds: 1), &queue) == [10])
    #expect(!queue.wantsSlots)
  }

  @Test func `a host with fast answers, or few transfers left, keeps to one at a time`() {
    var queue = patientQueue()
    #expect(startAll(&queue) == [1])
    // 11 wait.
    #expect(end(1, .answer(seconds: 0.09), &queue) == [2])
    #expect(end(2, .answer(seconds: 0.11), &queue) == [3, 4])
    // 8 wait for two.
    #expect(end(3, .answer(seconds: 0.24), &queue) == [5])
    #expect(end(4, .answer(seconds: 0.3), &queue) == [6, 7])
  }

  @Test func `a silent host does not hold back its other transfers, and a limited one has one at a time`() {
    var queue = TransferQueue(jobs: 64, open: 64, perHost: 4, enoughSilence: 4, patience: 1)
    for id in 1...8 {
      queue.enqueue(TransferID(UInt64(id)), host: id < 5 ? "a" : "b", isSingle: id > 4)
    }
    #expect(startAll(&queue) == [1, 5])
    for id in [TransferID(1), TransferID(5)] { queue.markSilent(id) }
    #expect(startAll(&queue) == [2, 3, 4])
    _ = queue.note(.answer(seconds: 60), of: TransferID(5))
    queue.finish(TransferID(5))
    #expect(startAll(&queue) == [6])
  }

  @Test func `hosts take turns`() {
    var queue = queue(jobs: 64, perHost: 4, hosts: ["a", "a", "a", "b", "b", "c"])
    #expect(startAll(&queue) == [1, 4, 6, 2, 5, 3])
  }

  @Test func `the last silent hosts are remembered without their transfers, and few others`() {
    var queue = TransferQueue(jobs: 1, open: 1, perHost: 4, enoughSilence: 2)
    let most = TransferQueue.mostSilences
    /// Runs a transfer, and returns whether its host counts as silent then.
    func isSilent(_ host: Int, _ sign: HostSign = .silence) -> Bool {
      queue.enqueue(TransferID(1), host: "\(host)")
      #expect(queue.next() == TransferID(1))
      defer { queue.finish(TransferID(1)) }
      return queue.note(sign, of: TransferID(1))
    }
    for host in 0..<most * 3 {
      #expect(!isSilent(host))
      #expect(isSilent(host))
      #expect(queue.hostCount <= most)
    }
    // An answer ends the silence, and the host is forgotten.
    let known = queue.hostCount
    #expect(!isSilent(most * 3 - 1, .answer(seconds: 1)) && queue.hostCount == known - 1)
    #expect(!isSilent(most * 3 - 1))
  }

  @Test func `a host with many stuck transfers never delays another`() {
    var queue = queue(jobs: 8, perHost: 4, hosts: Array(repeating: "tarpit", count: 12) + ["good"])
    #expect(startAll(&queue).contains(13))
    queue.enqueue(TransferID(14), host: "other")
    #expect(startAll(&queue) == [14])
  }

  @Test func `a silent transfer releases its slot to another`() {
    var queue = queue(jobs: 2, open: 8, perHost: 4, hosts: ["a", "b", "c", "d"])
    #expect(startAll(&queue) == [1, 2])
    queue.markSilent(TransferID(1))
    #expect(startAll(&queue) == [3])
    #expect(queue.runningCount == 3 && queue.waitingCount == 1)
  }

  @Test func `a transfer that is active again counts, and no other starts until a slot is free`() {
    var queue = queue(jobs: 2, open: 8, perHost: 4, hosts: ["a", "b", "c", "d"])
    _ = startAll(&queue)
    queue.markSilent(TransferID(1))
    _ = startAll(&queue)
    queue.markActive(TransferID(1))
    queue.finish(TransferID(2))
    #expect(startAll(&queue) == [])
    queue.finish(TransferID(1))
    #expect(startAll(&queue) == [4])
  }

  @Test func `silent transfers count towards their host's limit`() {
    var queue = queue(jobs: 1, open: 8, perHost: 1, hosts: ["a", "a", "b"])
    #expect(startAll(&queue) == [1])
    queue.markSilent(TransferID(1))
    #expect(startAll(&queue) == [3])
    queue.markSilent(TransferID(3))
    #expect(startAll(&queue) == [])
    #expect(!queue.wantsSlots)
  }

  @Test func `silent transfers count towards the limit of open transfers`() {
    var queue = queue(jobs: 2, open: 5, perHost: 1, hosts: (0..<9).map { "host\($0)" })
    while case let started = startAll(&queue), !started.isEmpty {
      for id in started { queue.markSilent(TransferID(id)) }
    }
    #expect(queue.runningCount == 5 && !queue.wantsSlots)
    queue.finish(TransferID(1))
    #expect(queue.wantsSlots)
    #expect(startAll(&queue) == [6])
  }

  @Test func `only a running transfer can be silent`() {
    var queue = queue(jobs: 1, open: 4, perHost: 4, hosts: ["a", "b"])
    queue.markSilent(TransferID(1))
    #expect(startAll(&queue) == [1])
    queue.finish(TransferID(1))
    queue.markSilent(TransferID(1))
    #expect(startAll(&queue) == [2])
    #expect(!queue.wantsSlots)
  }

  @Test func `a removed transfer does not start`() {
    var queue = queue(jobs: 1, perHost: 1, hosts: ["a", "a", "b"])
    let removals = [queue.remove(TransferID(1)), queue.remove(TransferID(1))]
    #expect(removals == [true, false])
    #expect(startAll(&queue) == [2])
    let isRemoved = queue.remove(TransferID(2))
    #expect(!isRemoved)
    queue.finish(TransferID(2))
    #expect(startAll(&queue) == [3])
  }

  @Test func `removing all transfers of a host does not affect the turns of others`() {
    var queue = queue(jobs: 1, perHost: 1, hosts: ["a", "b"])
    _ = queue.remove(TransferID(1))
    #expect(startAll(&queue) == [2])
    queue.finish(TransferID(2))
    queue.enqueue(TransferID(3), host: "a")
    #expect(startAll(&queue) == [3])
  }

  @Test(arguments: 0..<40) func `every transfer starts once, within the limits`(seed: UInt64) {
    var generator = SplitMix(state: seed)
    let jobs = Int.random(in: 1...9, using: &generator)
    let perHost = Int.random(in: 1...4, using: &generator)
    let hosts = (0..<200).map { _ in "host\(Int.random(in: 0...12, using: &generator))" }
    var queue = queue(jobs: jobs, open: jobs * 4, perHost: perHost, hosts: hosts)
    var running: [UInt64] = []
    var silent: Set<UInt64> = []
    var finished: Set<UInt64> = []
    while finished.count < hosts.count {
      let counted = Set(running).subtracting(silent).count
      let started = startAll(&queue)
      running += started
      #expect(counted + started.count <= max(jobs, counted))
      #expect(running.count <= jobs * 4)
      let counts = Dictionary(grouping: running) { hosts[Int($0) - 1] }
      #expect(counts.values.allSatisfy { $0.count <= perHost })
      guard let any = running.randomElement(using: &generator) else { break }
      if Bool.random(using: &generator) {
        queue.markSilent(TransferID(any))
        silent.insert(any)
      } else {
        queue.markActive(TransferID(any))
        silent.remove(any)
      }
      let ended = running.remove(at: Int.random(in: running.indices, using: &generator))
      queue.finish(TransferID(ended))
      #expect(finished.insert(ended).inserted)
    }
    #expect(finished.count == hosts.count)
    #expect(queue.runningCount == 0 && queue.waitingCount == 0)
  }

  @Test func `twenty thousand transfers of one host, and of as many hosts, all run`() {
    for host in [{ (_: Int) in "one" }, { "host\($0)" }] {
      var queue = queue(jobs: 64, perHost: 4, hosts: (0..<20_000).map(host))
      var count = 0
      while let id = queue.next() {
        queue.finish(id)
        count += 1
      }
      #expect(count == 20_000)
    }
  }

  private func leaves(
    _ queue: inout TransferQueue, _ id: UInt64, _ host: String, isShared: Bool = false
  ) -> Bool {
    queue.leavesConnection(TransferID(id), to: host, isShared: isShared)
  }

  @Test func `as many connections stay open as transfers wait for a host`() {
    var queue = queue(jobs: 64, perHost: 2, hosts: ["a", "a", "a", "b"])
    #expect(startAll(&queue) == [1, 4, 2])
    #expect(!leaves(&queue, 4, "b"))
    #expect(!leaves(&queue, 4, "unknown"))
    #expect(leaves(&queue, 1, "a"))
    // One transfer waits, and the other one has a connection for it.
    #expect(!leaves(&queue, 2, "a"))
    queue.finish(TransferID(1))
    #expect(startAll(&queue) == [3])
    #expect(!leaves(&queue, 3, "a"))
  }

  @Test func `a transfer leaves no connection if another one has made room for the queued one`() {
    var queue = queue(jobs: 64, perHost: 2, hosts: ["a", "a", "a"])
    #expect(startAll(&queue) == [1, 2])
    #expect(leaves(&queue, 1, "a"))
    #expect(queue.takeSurplus().isEmpty)
    queue.finish(TransferID(2))
    #expect(startAll(&queue) == [3])
    #expect(queue.takeSurplus() == [TransferID(1)])
    #expect(queue.takeSurplus().isEmpty)
  }

  @Test func `a connection that a redirect has left at another host is counted until a transfer takes it`() {
    var queue = queue(jobs: 64, perHost: 1, hosts: ["a", "a", "b"])
    #expect(startAll(&queue) == [1, 3])
    #expect(leaves(&queue, 3, "a"))
    queue.finish(TransferID(3))
    #expect(!leaves(&queue, 1, "a"))
    queue.finish(TransferID(1))
    #expect(startAll(&queue) == [2])
    #expect(!leaves(&queue, 2, "a"))
  }

  @Test func `a shared connection stays open until no transfer expects an answer`() {
    var queue = queue(jobs: 64, perHost: 2, hosts: ["a", "a", "a"])
    #expect(startAll(&queue) == [1, 2])
    // Both leave the connection to the third one: it may be idle when that one starts.
    #expect(leaves(&queue, 1, "a", isShared: true))
    #expect(leaves(&queue, 2, "a", isShared: true))
    queue.finish(TransferID(1))
    #expect(startAll(&queue) == [3])
    // The third one has not begun to use the connection.
    #expect(queue.takeSurplus().isEmpty)
    #expect(!leaves(&queue, 3, "a", isShared: true))
    #expect(queue.takeSurplus() == [TransferID(2)])
  }

  @Test func `a shared connection may be closed if the last transfer ends without an answer`() {
    var queue = queue(jobs: 64, perHost: 2, hosts: ["a", "a"])
    #expect(startAll(&queue) == [1, 2])
    #expect(leaves(&queue, 1, "a", isShared: true))
    queue.finish(TransferID(2))
    #expect(queue.takeSurplus() == [TransferID(1)])
  }

  @Test func `a transfer that was removed from the queue needs no connection`() {
    var queue = queue(jobs: 64, perHost: 1, hosts: ["a", "a", "a"])
    #expect(startAll(&queue) == [1])
    for id in 2...3 { _ = queue.remove(TransferID(UInt64(id))) }
    #expect(!leaves(&queue, 1, "a"))
  }
}

/// A generator that returns the same numbers for the same seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
