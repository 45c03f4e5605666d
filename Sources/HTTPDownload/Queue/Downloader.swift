import Threading

/// Downloads many addresses concurrently, on its own thread.
///
/// All methods may be called from any thread, including from a sink. Time in the queue does not count: a
/// transfer's timeouts begin when it leaves the queue.
public final class Downloader: Sendable {
  private let inbox: Inbox
  private let thread: OwnThread

  /// Starts the downloader's thread.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - runsLow: Called on that thread, any number of times, while the queue has few transfers that could
  ///     start. Transfers that wait for a slot at their host do not count.
  /// - Throws: ``DownloadError/invalidHeader(name:)`` for a user agent that cannot be sent;
  ///   ``DownloadError/outOfMemory`` or ``DownloadError/failed(cause:)`` if the system lacks a resource.
  public init(
    configuration: DownloaderConfiguration, runsLow: (@Sendable () -> Void)? = nil
  ) throws(DownloadError) {
    guard HeaderBytes.isClean(configuration.userAgent.utf8) else { throw .invalidHeader(name: "User-Agent") }
    var configuration = configuration
    configuration.certificateProblem = configuration.certificateFile.flatMap(CertificateFile.problem)
    let multi = try MultiHandle()
    let inbox = Inbox(multi: multi)
    try TransferLoop.configure(multi, configuration)
    self.inbox = inbox
    do throws(OwnThread.StartError) {
      thread = try OwnThread(name: "download") { [configuration] in
        TransferLoop(multi: multi, inbox: inbox, configuration: configuration, runsLow: runsLow).run()
      }
    } catch {
      throw .failed(cause: "no thread could be started (error \(error.code))")
    }
  }

  deinit {
    shutdown()
  }

  /// Queues a request. The downloader keeps `sink` until its last event.
  ///
  /// After ``shutdown()``, the sink is notified immediately, on the calling thread, that the transfer is
  /// cancelled.
  @discardableResult
  public func start(_ request: DownloadRequest, sink: any DownloadSink) -> TransferID {
    start([(request, sink)])[0]
  }

  /// Queues several requests together. No request begins before all are queued, so the hosts take turns from
  /// the beginning.
  @discardableResult
  public func start(_ transfers: [(request: DownloadRequest, sink: any DownloadSink)]) -> [TransferID] {
    let (ids, isAccepted) = inbox.post(transfers)
    if isAccepted { return ids }
    for (id, transfer) in zip(ids, transfers) { transfer.sink.didFinish(.failure(.cancelled), transfer: id) }
    return ids
  }

  /// Resumes a transfer that its sink has paused, or that waits for a redirect. Has no effect on other
  /// transfers.
  public func resume(_ id: TransferID) {
    inbox.post([.resume(id)])
  }

  /// Resumes several transfers together.
  public func resumeAll(_ ids: some Sequence<TransferID>) {
    inbox.post(ids.map { .resume($0) })
  }

  /// Ends a transfer with ``DownloadError/cancelled``. Has no effect on a transfer that has ended.
  public func cancel(_ id: TransferID) {
    inbox.post([.cancel(id)])
  }

  /// Ends an origin's queued transfers with ``DownloadError/hostClosed``. Running transfers continue, unless
  /// they were redirected to the origin.
  ///
  /// - Parameter origin: An address's origin, as in `WebAddress.origin`.
  public func closeOrigin(_ origin: String) {
    inbox.post([.closeOrigin(origin)])
  }

  /// Ends all transfers that were started before this call.
  public func cancelAll() {
    inbox.post([.endAll(.cancelled)])
  }

  /// Ends all transfers that were started before this call with ``DownloadError/withheld``, and closes their
  /// connections.
  public func withholdAll() {
    inbox.post([.endAll(.withheld)])
  }

  /// Ends all transfers and the thread, and waits until the thread has ended. A call by a sink does not wait.
  ///
  /// Further calls have no effect.
  public func shutdown() {
    guard inbox.close() else { return }
    thread.join()
  }
}

/// A command from another thread to the loop.
enum Command: Sendable {
  case start(TransferID, DownloadRequest, any DownloadSink)
  case resume(TransferID)
  case cancel(TransferID)
  case closeOrigin(String)
  case endAll(DownloadError)
}

/// The command queue for the loop's thread.
final class Inbox: Sendable {
  private struct State {
    var commands: [Command] = []
    var lastID: UInt64 = 0
    var isClosed = false
  }

  private let state = Locked(State())
  private let multi: MultiHandle

  init(multi: MultiHandle) {
    self.multi = multi
  }

  /// Assigns IDs to requests and posts them; `isAccepted` is false if the inbox is closed.
  func post(
    _ transfers: [(request: DownloadRequest, sink: any DownloadSink)]
  ) -> (ids: [TransferID], isAccepted: Bool) {
    let (ids, wasEmpty, isClosed) = state.withLock { state in
      let wasEmpty = state.commands.isEmpty
      let ids = transfers.map { transfer in
        state.lastID += 1
        let id = TransferID(state.lastID)
        if !state.isClosed { state.commands.append(.start(id, transfer.request, transfer.sink)) }
        return id
      }
      return (ids, wasEmpty, state.isClosed)
    }
    if wasEmpty { multi.wakeUp() }
    return (ids, !isClosed)
  }

  func post(_ commands: [Command]) {
    let wasEmpty = state.withLock { state in
      guard !state.isClosed else { return false }
      defer { state.commands += commands }
      return state.commands.isEmpty
    }
    // The loop takes all commands together, so waking it once is enough.
    if wasEmpty { multi.wakeUp() }
  }

  /// Closes the inbox for further commands; returns false if it was already closed.
  func close() -> Bool {
    let wasOpen = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if wasOpen { multi.wakeUp() }
    return wasOpen
  }

  /// Removes and returns all commands. If `isClosed` is true, the loop must end after them.
  func takeAll() -> (commands: [Command], isClosed: Bool) {
    state.withLock { state in
      defer { state.commands = [] }
      return (state.commands, state.isClosed)
    }
  }
}
