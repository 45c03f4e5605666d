import Threading

/// Fetches many addresses at once on one thread of its own.
///
/// All methods may be called from anywhere, from a sink too. Transfers that are queued cost no time: theirs
/// begins when they leave the queue.
public final class Downloader: Sendable {
  private let inbox: Inbox
  private let thread: OwnThread

  /// Starts the downloader's thread.
  ///
  /// - Throws: ``DownloadError/invalidHeader(name:)`` for a user agent that can't be sent, or what the system lacks.
  public init(configuration: DownloaderConfiguration) throws(DownloadError) {
    guard HeaderBytes.isClean(configuration.userAgent.utf8) else { throw .invalidHeader(name: "User-Agent") }
    let multi = try MultiHandle()
    let inbox = Inbox(multi: multi)
    try TransferLoop.configure(multi, configuration)
    self.inbox = inbox
    do throws(OwnThread.StartError) {
      thread = try OwnThread(name: "download") {
        TransferLoop(multi: multi, inbox: inbox, configuration: configuration).run()
      }
    } catch {
      throw .failed(cause: "no thread could be started (error \(error.code))")
    }
  }

  deinit {
    shutdown()
  }

  /// Queues a request; `sink` is kept until its last event.
  ///
  /// After ``shutdown()`` the sink is told at once, on the calling thread, that the transfer is cancelled.
  @discardableResult
  public func start(_ request: DownloadRequest, sink: any DownloadSink) -> TransferID {
    let (ids, isAccepted) = inbox.post([(request, sink)])
    if !isAccepted { sink.didFinish(.failure(.cancelled), transfer: ids[0]) }
    return ids[0]
  }

  /// Queues requests together: none begins before all are queued, so that every host gets its turn.
  public func start(_ transfers: [(request: DownloadRequest, sink: any DownloadSink)]) {
    let (ids, isAccepted) = inbox.post(transfers)
    guard !isAccepted else { return }
    for (id, transfer) in zip(ids, transfers) { transfer.sink.didFinish(.failure(.cancelled), transfer: id) }
  }

  /// Lets a transfer go on that its sink paused; without effect on any other.
  public func resume(_ id: TransferID) {
    inbox.post(.resume(id))
  }

  /// Ends a transfer as ``DownloadError/cancelled``; without effect on one that has ended.
  public func cancel(_ id: TransferID) {
    inbox.post(.cancel(id))
  }

  /// Ends the transfers that wait for their turn at one origin, as ``DownloadError/hostClosed``; those that have begun
  /// go on.
  ///
  /// - Parameter origin: The origin of an address, as in `WebAddress.origin`.
  public func closeOrigin(_ origin: String) {
    inbox.post(.closeOrigin(origin))
  }

  /// Ends all transfers that were started before this call.
  public func cancelAll() {
    inbox.post(.cancelAll)
  }

  /// Ends all transfers and the thread, and waits for that, except when called by a sink.
  ///
  /// Calling it again has no effect.
  public func shutdown() {
    guard inbox.close() else { return }
    thread.join()
  }
}

/// What other threads want from the loop.
enum Command: Sendable {
  case start(TransferID, DownloadRequest, any DownloadSink)
  case resume(TransferID)
  case cancel(TransferID)
  case closeOrigin(String)
  case cancelAll
}

/// The commands on their way to the loop's thread.
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

  /// Numbers and posts requests; false when the inbox is closed.
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

  func post(_ command: Command) {
    let wasEmpty = state.withLock { state in
      guard !state.isClosed else { return false }
      state.commands.append(command)
      return state.commands.count == 1
    }
    // The loop takes all commands at once, so one call wakes it for all of them.
    if wasEmpty { multi.wakeUp() }
  }

  /// Lets no more commands in; false when that was so already.
  func close() -> Bool {
    let wasOpen = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if wasOpen { multi.wakeUp() }
    return wasOpen
  }

  /// Takes out all commands; the loop must end after them when `isClosed`.
  func takeAll() -> (commands: [Command], isClosed: Bool) {
    state.withLock { state in
      defer { state.commands = [] }
      return (state.commands, state.isClosed)
    }
  }
}
