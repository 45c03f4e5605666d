import CCurl
import WebAddress

/// Runs all transfers; lives and ends on the downloader's thread.
final class TransferLoop {
  private let multi: MultiHandle
  private let inbox: Inbox
  private let configuration: DownloaderConfiguration
  private let clock = ContinuousClock()
  private let arrivals: ArrivalList
  private var queue: TransferQueue
  private var silence: SilenceWatch
  private var waiting: [TransferID: WaitingTransfer] = [:]
  private var running: [TransferID: Transfer] = [:]
  private var idleHandles: [EasyHandle] = []
  /// Origins whose connections timed out: there nobody waits for another's connection to share it.
  private var silentOrigins: Set<String> = []
  /// Transfers that have ended and whose sinks have more of them than they want: they keep their places.
  private var held: Set<TransferID> = []
  /// No running transfer's deadline is before this.
  private var nextDeadline: ContinuousClock.Instant?

  init(multi: MultiHandle, inbox: Inbox, configuration: DownloaderConfiguration) {
    self.multi = multi
    self.inbox = inbox
    self.configuration = configuration
    arrivals = ArrivalList(now: clock.now)
    queue = TransferQueue(
      jobs: configuration.jobsWithinDescriptors, open: configuration.openWithinDescriptors,
      perHost: configuration.perHost, enoughSilence: configuration.enoughSilence)
    silence = SilenceWatch(tolerance: configuration.silence)
  }

  /// Sets what holds for all transfers together.
  static func configure(_ multi: MultiHandle, _ configuration: DownloaderConfiguration) throws(DownloadError)
  {
    try multi.set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    try multi.set(CURLMOPT_MAXCONNECTS, configuration.keptConnections)
    // The queue counts hosts where requests begin; this also counts those where redirects lead. libcurl would
    // take a proxy for the one host of all.
    if !DownloaderConfiguration.hasProxy {
      try multi.set(CURLMOPT_MAX_HOST_CONNECTIONS, max(1, configuration.perHost))
    }
  }

  /// Returns when the inbox has been closed and every sink has been told.
  func run() {
    while obeyAll() {
      do throws(DownloadError) {
        startWaiting()
        try multi.perform()
        arrivals.now = clock.now
        noteResults()
        deliverArrivals()
        endOverdue()
        countSilence()
        // What an answer made its sink want comes before the next request.
        guard obeyAll() else { break }
        // Making room for a transfer may have brought its next bytes already.
        let isIdle = !startWaiting() && arrivals.transfers.isEmpty
        try multi.poll(milliseconds: isIdle ? patience() : 0)
      } catch {
        // libcurl's multi interface fails only by lack of memory or a mistake of ours; no transfer can go on.
        endAll(error)
      }
    }
    endAll(.cancelled)
    idleHandles = []
  }

  // MARK: Commands

  /// Does what was asked for; false when the loop must end.
  private func obeyAll() -> Bool {
    arrivals.now = clock.now
    let (commands, isClosed) = inbox.takeAll()
    for command in commands { obey(command) }
    return !isClosed
  }

  private func obey(_ command: Command) {
    switch command {
    case .start(let id, let request, let sink):
      do throws(DownloadError) {
        let origin = try request.checkedOrigin()
        waiting[id] = WaitingTransfer(id: id, request: request, origin: origin, sink: sink)
        queue.enqueue(id, host: origin)
      } catch {
        sink.didFinish(.failure(error), transfer: id)
      }
    case .resume(let id):
      if let transfer = running[id], transfer.isPaused { deliver(transfer) }
      if held.remove(id) != nil { queue.finish(id) }
    case .cancel(let id):
      cancel(id)
    case .closeOrigin(let origin):
      close(origin)
    case .cancelAll:
      endAll(.cancelled)
    }
  }

  private func cancel(_ id: TransferID) {
    if let transfer = running[id] {
      end(transfer, .failure(.cancelled))
    } else if let transfer = waiting[id] {
      endWaiting(transfer, .cancelled)
    }
  }

  private func endWaiting(_ transfer: WaitingTransfer, _ error: DownloadError) {
    waiting[transfer.id] = nil
    _ = queue.remove(transfer.id)
    transfer.sink.didFinish(.failure(error), transfer: transfer.id)
  }

  /// Ends those that wait for an origin, also behind a redirect.
  private func close(_ origin: String) {
    for transfer in waiting.values where transfer.origin == origin { endWaiting(transfer, .hostClosed) }
    for transfer in running.values {
      guard let hop = transfer.hop, hop.origin == origin else { continue }
      end(transfer, .failure(.redirected(to: hop, .hostClosed)))
    }
  }

  /// Ends those that wait for a host which answers nobody.
  private func giveUp(_ origin: String, proxy: String?) {
    let error = DownloadError.hostSilent(transfers: configuration.enoughSilence, proxy: proxy)
    for transfer in waiting.values where transfer.origin == origin { endWaiting(transfer, error) }
  }

  private func endAll(_ error: DownloadError) {
    for transfer in running.values { end(transfer, .failure(error)) }
    for transfer in waiting.values { endWaiting(transfer, error) }
  }

  // MARK: The course of a transfer

  /// Starts what may start; true when something did, which then wants to be performed at once.
  @discardableResult
  private func startWaiting() -> Bool {
    var hasStarted = false
    while let id = queue.next() {
      guard let next = waiting.removeValue(forKey: id) else { continue }
      do throws(DownloadError) {
        guard next.sink.mayStart(id) else { throw .withheld }
        try run(Transfer(next, easy: handle(), arrivals: arrivals))
        hasStarted = true
      } catch {
        queue.finish(id)
        next.sink.didFinish(.failure(error), transfer: id)
      }
    }
    return hasStarted
  }

  private func handle() throws(DownloadError) -> EasyHandle {
    if let easy = idleHandles.popLast() { easy } else { try EasyHandle() }
  }

  private func run(_ transfer: Transfer) throws(DownloadError) {
    try transfer.prepare(configuration)
    if silentOrigins.contains(transfer.origin) { try transfer.easy.set(CURLOPT_PIPEWAIT, false) }
    try multi.add(transfer.easy)
    running[transfer.id] = transfer
    watch(transfer)
  }

  private func noteResults() {
    while let (id, code) = multi.nextFinished() {
      guard let transfer = running[id], transfer.result == nil else { continue }
      if let reason = transfer.retryReason(after: code), retry(transfer, for: reason) { continue }
      transfer.conclude(code, now: arrivals.now)
      if code == CURLE_OPERATION_TIMEDOUT, !transfer.collector.header.isComplete {
        stopSharing(transfer.origin)
      }
      arrivals.transfers.append(id)
    }
  }

  /// Starts a transfer once more; false when that's not possible.
  private func retry(_ transfer: Transfer, for reason: RetryReason) -> Bool {
    do throws(DownloadError) {
      try multi.remove(transfer.easy)
      try run(Transfer(retrying: transfer, for: reason, easy: handle(), arrivals: arrivals))
      queue.markActive(transfer.id)
      return true
    } catch {
      return false
    }
  }

  /// Lets the transfers of an origin that doesn't answer connect each for itself.
  ///
  /// They wait for one connection to multiplex on, and libcurl would let them try one after the other, each until
  /// its connection times out.
  private func stopSharing(_ origin: String) {
    guard silentOrigins.insert(origin).inserted else { return }
    for transfer in running.values where transfer.origin == origin && transfer.result == nil {
      // Without effect the transfer is no worse off than before.
      try? transfer.easy.set(CURLOPT_PIPEWAIT, false)
    }
  }

  private func deliverArrivals() {
    let ids = arrivals.transfers
    arrivals.transfers.removeAll(keepingCapacity: true)
    for id in ids {
      // A transfer with chunks and a result stands here twice.
      guard let transfer = running[id] else { continue }
      if !transfer.isPaused || transfer.isOver { deliver(transfer) }
    }
  }

  private func deliver(_ transfer: Transfer) {
    do throws(DownloadError) {
      if case .failure(let error) = transfer.result { throw error }
      let flow = try transfer.deliver()
      guard flow != .cancel else { throw .cancelled }
      // What has come completely needs no resume, only its end; but a sink that has enough wants no other in its place.
      if let result = transfer.result, transfer.isOver {
        end(transfer, result, isHeld: flow == .pause)
        return
      }
      try transfer.setPaused(flow == .pause, now: arrivals.now)
      guard flow == .proceed else { return }
      try transfer.makeRoom()
      watch(transfer)
    } catch {
      end(transfer, .failure(error))
    }
  }

  private func end(
    _ transfer: Transfer, _ result: Result<DownloadSummary, DownloadError>, isHeld: Bool = false
  ) {
    running[transfer.id] = nil
    if queue.note(HostSign(result), of: transfer.id) {
      giveUp(transfer.origin, proxy: transfer.deadProxy)
    }
    if isHeld { held.insert(transfer.id) } else { queue.finish(transfer.id) }
    do throws(DownloadError) {
      try multi.remove(transfer.easy)
      if transfer.isHandleReusable { idleHandles.append(transfer.easy) }
    } catch {
      // A handle that can't be removed is given up with the transfer; no other transfer may get it.
    }
    transfer.finish(result)
  }

  // MARK: Time

  private func watch(_ transfer: Transfer) {
    guard let deadline = transfer.deadline else { return }
    nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
  }

  /// Ends transfers whose total timeout has passed.
  private func endOverdue() {
    let now = arrivals.now
    guard let next = nextDeadline, next <= now else { return }
    nextDeadline = nil
    for transfer in running.values where transfer.result == nil {
      guard let deadline = transfer.deadline else { continue }
      guard deadline <= now else {
        watch(transfer)
        continue
      }
      let seconds = transfer.request.limits.totalTimeout / .seconds(1)
      transfer.conclude(with: .timedOut(seconds: seconds, phase: transfer.phase), now: now)
      if let result = transfer.result { end(transfer, result) }
    }
  }

  /// Counts out transfers that have fallen silent, where others wait for their places, and in those that have not.
  private func countSilence() {
    for id in arrivals.awoken { queue.markActive(id) }
    arrivals.awoken.removeAll(keepingCapacity: true)
    guard queue.wantsPlaces else { return silence.rest() }
    guard silence.isDue(at: arrivals.now) else { return }
    // A transfer that its sink pauses is held back by us, not by its server.
    let watched = running.values.lazy.filter { $0.result == nil && !$0.isPaused && !$0.collector.isSilent }
    for id in silence.look(at: arrivals.now, lastSigns: watched.map { ($0.id, $0.collector.lastSign) }) {
      queue.markSilent(id)
      running[id]?.collector.fallSilent()
    }
  }

  /// How long the loop may wait for the network; libcurl shortens it by its own timers.
  private func patience() -> Int32 {
    guard let next = [nextDeadline, silence.nextLook].compactMap(\.self).min() else { return 60_000 }
    // A millisecond more than the rest, so that the time has come when the loop looks.
    return Int32(min(60_000, max(0, (next - clock.now) / .milliseconds(1)) + 1))
  }
}
