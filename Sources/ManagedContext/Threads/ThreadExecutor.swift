import Threading

/// A serial executor that owns its thread; any number of contexts may run on one.
///
/// Dispatch has no serial queue that is an executor on Linux, and a niceness set on one of its threads leaks to
/// other queues; a thread of our own has neither fault. The thread ends when the executor is gone and what was
/// enqueued has run.
public final class ThreadExecutor: SerialExecutor {
  private enum Work: Sendable {
    case job(UnownedJob, on: UnownedSerialExecutor)
    case block(@Sendable () -> Void)
    case done
  }

  private struct Inbox: Sendable {
    var work: [Work] = []
    /// Run when there is no other work.
    var idleWork: [Work] = []
    var isClosed = false

    /// What runs next; nil where there is nothing to do.
    mutating func takeNext() -> [Work]? {
      if work.isEmpty { swap(&work, &idleWork) }
      defer { work = [] }
      return work.isEmpty ? nil : work
    }
  }

  /// The niceness of a thread that runs in what time other threads leave, and gives way to them at once: what a
  /// program needs whose main queue must never wait. Where other processes keep all processors busy it hardly runs.
  public static let idle = OwnThread.idle

  /// The thread's name.
  public let name: String
  private let inbox: Monitor<Inbox>
  private let thread: OwnThread

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: Shown by debuggers and `ps -L`.
  ///   - niceness: 0 to 19 as in nice(2), or ``idle``: how much of the processor is left to other threads.
  /// - Throws: ``StoreError/inputOutput(_:)`` where the system has no thread to give.
  public init(name: String, niceness: Int32 = 0) throws(StoreError) {
    let inbox = Monitor(Inbox())
    thread = try startThread(name: name, niceness: niceness) { Self.run(inbox) }
    (self.name, self.inbox) = (name, inbox)
  }

  /// A new thread, or where the system has none to give, the one that was given last and is there still.
  static func ownOrShared(name: String, niceness: Int32) -> ThreadExecutor {
    do throws(StoreError) {
      let executor = try ThreadExecutor(name: name, niceness: niceness)
      newest.withLock { $0 = WeakExecutor(executor) }
      return executor
    } catch {
      guard let other = newest.withLock({ $0.executor }) else {
        fatalError("\(error), and there is none that could be shared")
      }
      return other
    }
  }

  private static let newest = Locked(WeakExecutor(nil))

  deinit {
    inbox.update { $0.isClosed = true }
  }

  private static func run(_ inbox: Monitor<Inbox>) {
    while true {
      let batch: [Work]? = inbox.wait { state -> [Work]?? in
        if let work = state.takeNext() { return .some(work) }
        return state.isClosed ? .some(nil) : .none
      }
      guard var batch else { return }
      for place in batch.indices {
        // What a block holds (a chunk of a download) is let go as soon as it has run, not with the batch.
        let work = batch[place]
        batch[place] = .done
        switch work {
        case .job(let job, let executor): job.runSynchronously(on: executor)
        case .block(let block): block()
        case .done: break
        }
      }
    }
  }

  /// Runs a job of an actor on the thread, after what was enqueued before.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    inbox.update { $0.work.append(.job(job, on: executor)) }
  }

  /// Runs a block on the thread, after what was enqueued before; cheaper than a task, and in order.
  public func enqueue(_ block: @escaping @Sendable () -> Void) {
    inbox.update { $0.work.append(.block(block)) }
  }

  /// Runs a block on the thread once nothing else is to be done there.
  public func enqueueWhenIdle(_ block: @escaping @Sendable () -> Void) {
    inbox.update { $0.idleWork.append(.block(block)) }
  }

  /// Runs a block on the thread and waits for its result; the caller must be on another one.
  ///
  /// The thread has let go of the block by then, so that it may be one that must not escape.
  func runAndWait<Value: Sendable>(_ block: @escaping @Sendable () -> Value) -> Value {
    guard ContextQueue.isMainQueue else { return HandOver.runAndWait(block) { enqueue($0) } }
    Self.awaitedByMainQueue.withLock { $0 = self }
    defer { Self.awaitedByMainQueue.withLock { $0 = nil } }
    return HandOver.runAndWait(block) { enqueue($0) }
  }

  /// The thread that the main queue waits for just now; nil while it waits for none.
  private static let awaitedByMainQueue = Locked<ThreadExecutor?>(nil)

  /// Stops the program when the main queue waits for the caller, who would wait for the main queue in turn.
  static func checkMainQueueIsNotWaiting() {
    guard let awaited = awaitedByMainQueue.withLock({ $0 }), awaited.isCurrent else { return }
    preconditionFailure(
      "the main queue waits for “\(awaited.name)”, which asks it: a parent must never wait for its child; use await"
    )
  }

  /// Whether the caller runs on the thread.
  public var isCurrent: Bool { thread.isCurrent }

  /// Stops the program when the caller is not on the thread.
  public func checkIsolated() {
    precondition(isCurrent, "this belongs to the queue “\(name)”, and was used on another")
  }

  /// See ``isCurrent``.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }
}

/// An executor that somebody else keeps.
private struct WeakExecutor: Sendable {
  weak let executor: ThreadExecutor?

  init(_ executor: ThreadExecutor?) { self.executor = executor }
}

/// Starts a thread that ends by itself; nobody joins it.
///
/// - Throws: ``StoreError/inputOutput(_:)`` where the system has no thread to give.
func startThread(
  name: String, niceness: Int32, _ body: @escaping @Sendable () -> Void
) throws(StoreError) -> OwnThread {
  do throws(OwnThread.StartError) {
    let thread = try OwnThread(name: name, niceness: niceness, body)
    thread.detach()
    return thread
  } catch {
    throw .inputOutput("the system gives no thread for \(name) (error \(error.code))")
  }
}
