import CCurl
import WebAddress

/// The loop that runs all transfers. It is created and used on the downloader's thread.
final class TransferLoop {
  private let multi: MultiHandle
  private let inbox: Inbox
  private let configuration: DownloaderConfiguration
  private let runsLow: (@Sendable () -> Void)?
  private let hasProxy = DownloaderConfiguration.hasProxy
  let now: @Sendable () -> ContinuousClock.Instant
  let arrivals: ArrivalList
  var queue: TransferQueue
  var silence: SilenceWatch
  var interruptions: InterruptionWatch
  private var waiting: [TransferID: WaitingTransfer] = [:]
  var running: [TransferID: Transfer] = [:]
  private var idleHandles: [EasyHandle] = []
  /// Origins with a connection that timed out. Their transfers do not wait to share another transfer's
  /// connection.
  private var silentOrigins: Set<String> = []
  /// Transfers that have ended while their sinks are paused. They keep their slots, so that no other transfer
  /// begins.
  private var held: Set<TransferID> = []
  /// A lower bound for all running transfers' deadlines; nil if none has a deadline.
  var nextDeadline: ContinuousClock.Instant?

  init(
    multi: MultiHandle, inbox: Inbox, configuration: DownloaderConfiguration, runsLow: (@Sendable () -> Void)?
  ) {
    self.runsLow = runsLow
    self.multi = multi
    self.inbox = inbox
    self.configuration = configuration
    now = configuration.now
    arrivals = ArrivalList(now: now())
    queue = TransferQueue(
      jobs: configuration.jobsWithinDescriptors, open: configuration.openWithinDescriptors,
      perHost: configuration.perHost, enoughSilence: configuration.enoughSilence,
      patience: configuration.patience / .seconds(1))
    silence = SilenceWatch(tolerance: configuration.silence)
    interruptions = InterruptionWatch(now: arrivals.now)
  }

  /// Sets the options that apply to all transfers together.
  static func configure(_ multi: MultiHandle, _ configuration: DownloaderConfiguration) throws(DownloadError)
  {
    try multi.set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    // More connections are kept than are in use, so that a host's connections still exist when its next turn
    // comes.
    try multi.set(CURLMOPT_MAXCONNECTS, configuration.openWithinDescriptors)
    // The queue counts hosts by each request's first address. This limit also counts redirect targets. With a
    // proxy, libcurl would count all requests for the proxy's host.
    if !DownloaderConfiguration.hasProxy {
      try multi.set(CURLMOPT_MAX_HOST_CONNECTIONS, max(1, configuration.perHost))
    }
  }

  /// Runs the loop. Returns when the inbox is closed and every sink has been notified.
  func run() {
    while runCommands() {
      do throws(DownloadError) {
        startWaiting()
        try multi.perform()
        readClock()
        noteResults()
        deliverArrivals()
        endOverdue()
        countSilence()
        // Commands that a sink posted in response to data are executed before the next request starts.
        guard runCommands() else { break }
        // `makeRoom()` may already have delivered a transfer's next bytes.
        let isIdle = !startWaiting() && arrivals.transfers.isEmpty
        if queue.runsLow { runsLow?() }
        try multi.poll(milliseconds: isIdle ? waitTime() : 0)
      } catch {
        // libcurl's multi interface fails only when memory runs out or because of a programming error; no
        // transfer can continue.
        endAll(error)
      }
    }
    endAll(.cancelled)
    idleHandles = []
  }

  // MARK: Commands

  /// Executes the commands in the inbox; returns false if the loop must end.
  private func runCommands() -> Bool {
    readClock()
    let (commands, isClosed) = inbox.takeAll()
    for command in commands { run(command) }
    return !isClosed
  }

  private func run(_ command: Command) {
    switch command {
    case .start(let id, let request, let sink):
      do throws(DownloadError) {
        let origin = try request.checkedOrigin()
        waiting[id] = WaitingTransfer(id: id, request: request, origin: origin, sink: sink)
        queue.enqueue(id, host: origin, isSingle: request.isSingle)
      } catch {
        sink.didFinish(.failure(error), transfer: id)
      }
    case .resume(let id):
      if let transfer = running[id] { resume(transfer) }
      if held.remove(id) != nil { queue.finish(id) }
    case .cancel(let id):
      cancel(id)
    case .closeOrigin(let origin):
      close(origin)
    case .endAll(let error):
      endAll(error)
    }
  }

  private func resume(_ transfer: Transfer) {
    if transfer.isPaused { return deliver(transfer) }
    if transfer.awaitsRedirect, transfer.result == nil { followRedirect(of: transfer) }
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

  /// Ends an origin's queued transfers, and the running transfers that were redirected to it.
  private func close(_ origin: String) {
    for transfer in waiting.values where transfer.origin == origin { endWaiting(transfer, .hostClosed) }
    for transfer in running.values {
      guard let hop = transfer.hop, hop.origin == origin else { continue }
      end(transfer, .failure(.redirected(to: hop, .hostClosed)))
    }
  }

  /// Ends the queued transfers to a host that does not answer.
  private func endQueued(_ origin: String, proxy: String?) {
    let error = DownloadError.hostSilent(transfers: configuration.enoughSilence, proxy: proxy)
    for transfer in waiting.values where transfer.origin == origin { endWaiting(transfer, error) }
  }

  private func endAll(_ error: DownloadError) {
    for transfer in running.values { end(transfer, .failure(error)) }
    for transfer in waiting.values { endWaiting(transfer, error) }
  }

  // MARK: The course of a transfer

  /// Starts all transfers that may start. Returns true if one was started, which then needs a `perform` call.
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
    // If this fails, a connection stays open until the server closes it.
    for id in queue.takeSurplus() { try? running[id]?.easy.set(CURLOPT_FORBID_REUSE, true) }
    return hasStarted
  }

  private func handle() throws(DownloadError) -> EasyHandle {
    if let easy = idleHandles.popLast() { easy } else { try EasyHandle() }
  }

  private func run(_ transfer: Transfer) throws(DownloadError) {
    transfer.leavesConnection = { [unowned self, id = transfer.id] in
      leavesConnection(id, to: $0, isShared: $1)
    }
    try send(transfer)
    running[transfer.id] = transfer
    watch(transfer)
  }

  /// Sends the request to the transfer's current address.
  private func send(_ transfer: Transfer) throws(DownloadError) {
    try transfer.prepare(configuration)
    if silentOrigins.contains(transfer.currentOrigin) { try transfer.easy.set(CURLOPT_PIPEWAIT, false) }
    try multi.add(transfer.easy)
  }

  /// Sends a transfer's next request: to a redirect's target, or the last request again.
  private func sendNext(_ transfer: Transfer, isRetry: Bool = false) throws(DownloadError) {
    let easy = transfer.isHandleReusable ? transfer.easy : try handle()
    transfer.beginRequest(isRetry: isRetry, easy: easy, now: arrivals.now)
    try send(transfer)
  }

  /// Returns whether a transfer must leave its connection to an origin open.
  private func leavesConnection(_ id: TransferID, to origin: String, isShared: Bool) -> Bool {
    // Connections to a proxy serve all origins without encryption.
    guard configuration.closesIdleConnections, !hasProxy || origin.hasPrefix("https:") else { return true }
    return queue.leavesConnection(id, to: origin, isShared: isShared)
  }

  private func noteResults() {
    while let (id, code) = multi.nextFinished() {
      guard let transfer = running[id], transfer.result == nil else { continue }
      if transfer.deservesRetry(after: code), retry(transfer) { continue }
      if transfer.isRedirected {
        transfer.noteHandle(after: code)
        followRedirect(of: transfer)
        continue
      }
      transfer.conclude(code, now: arrivals.now)
      if code == CURLE_OPERATION_TIMEDOUT, !transfer.collector.header.isComplete {
        stopSharing(transfer.currentOrigin)
      }
      arrivals.transfers.append(id)
    }
  }

  /// Restarts a transfer on a new connection; returns false if that is not possible.
  private func retry(_ transfer: Transfer) -> Bool {
    do throws(DownloadError) {
      try multi.remove(transfer.easy)
      try sendNext(transfer, isRetry: true)
      return true
    } catch {
      return false
    }
  }

  /// Sends the request to a redirect's target, lets the transfer wait for that, or ends it.
  private func followRedirect(of transfer: Transfer) {
    do throws(DownloadError) {
      try multi.remove(transfer.easy)
      transfer.awaitsRedirect = try !transfer.mayFollowRedirect()
      if !transfer.awaitsRedirect { try sendNext(transfer) }
    } catch {
      transfer.conclude(with: error, now: arrivals.now)
      arrivals.transfers.append(transfer.id)
    }
  }

  /// Lets each transfer to an unresponsive origin open its own connection.
  ///
  /// These transfers wait for one connection to multiplex on. libcurl would let them try one after another,
  /// each until its connection times out.
  private func stopSharing(_ origin: String) {
    guard silentOrigins.insert(origin).inserted else { return }
    for transfer in running.values where transfer.currentOrigin == origin && transfer.result == nil {
      // If this fails, the transfer continues as before.
      try? transfer.easy.set(CURLOPT_PIPEWAIT, false)
    }
  }

  private func deliverArrivals() {
    let ids = arrivals.transfers
    arrivals.transfers.removeAll(keepingCapacity: true)
    for id in ids {
      // A transfer with chunks and a result appears in the list twice.
      guard let transfer = running[id] else { continue }
      if !transfer.isPaused || transfer.isOver { deliver(transfer) }
    }
  }

  private func deliver(_ transfer: Transfer) {
    do throws(DownloadError) {
      if case .failure(let error) = transfer.result { throw error }
      let flow = try transfer.deliver()
      guard flow != .cancel else { throw .cancelled }
      // A completely received response needs no resume, only its end. But a paused sink must not get another
      // transfer instead.
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

  func end(
    _ transfer: Transfer, _ result: Result<DownloadSummary, DownloadError>, isHeld: Bool = false
  ) {
    running[transfer.id] = nil
    if queue.note(HostSign(result), of: transfer.id) {
      endQueued(transfer.origin, proxy: transfer.deadProxy)
    }
    if isHeld { held.insert(transfer.id) } else { queue.finish(transfer.id) }
    do throws(DownloadError) {
      try multi.remove(transfer.easy)
      if transfer.isHandleReusable { idleHandles.append(transfer.easy) }
    } catch {
      // A handle that cannot be removed is discarded with the transfer and is not reused.
    }
    transfer.finish(result)
  }
}
