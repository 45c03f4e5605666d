import Threading

/// A serial executor that owns its thread. Any number of contexts may run on it.
///
/// On Linux, Dispatch has no serial queue that is an executor, and a niceness set on its threads leaks to
/// other queues. A separate thread has neither problem. The thread ends once the executor is released and its
/// blocks have run.
public final class ThreadExecutor: SerialExecutor {
  private typealias Work = @Sendable () -> Void

  private struct Inbox: Sendable {
    var work: [Work] = []
    /// Blocks to run when no other work is left.
    var idleWork: [Work] = []
    var isClosed = false

    /// Returns the next work; nil if none exists.
    mutating func takeNext() -> [Work]? {
      if work.isEmpty { swap(&work, &idleWork) }
      defer { work = [] }
      return work.isEmpty ? nil : work
    }
  }

  /// The niceness for a thread that runs only in time left by other threads, and yields to them at once.
  ///
  /// It suits programs whose main queue must never wait. If other processes occupy all processors, the thread
  /// hardly runs.
  public static let idle = OwnThread.idle

  /// The thread's name.
  public let name: String
  private let inbox: Monitor<Inbox>
  private let thread: OwnThread

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: The name shown by debuggers and `ps -L`.
  ///   - niceness: 0 to 19 as in nice(2), or ``idle``. A higher value leaves more processor time to other
  ///     threads.
  /// - Throws: ``StoreError/inputOutput(_:)`` if the system cannot create a thread.
  public init(name: String, niceness: Int32 = 0) throws(StoreError) {
    let inbox = Monitor(Inbox())
    thread = try startThread(name: name, niceness: niceness) { Self.run(inbox) }
    (self.name, self.inbox) = (name, inbox)
  }

  /// Returns a new thread, or the newest existing one if the system cannot create a thread.
  static func ownOrShared(name: String, niceness: Int32) -> ThreadExecutor {
    do throws(StoreError) {
      let executor = try ThreadExecutor(name: name, niceness: niceness)
      newest.withLock { $0 = WeakExecutor(executor) }
      return executor
    } catch {
      guard let other = newest.withLock({ $0.executor }) else {
        fatalError("\(error), and no other thread exists to share")
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
        // A block's memory (a downloaded chunk) is released as soon as the block has run, not with the batch.
        let work = batch[place]
        batch[place] = {}
        work()
      }
    }
  }

  /// Runs an actor's job on the thread, after all blocks enqueued before.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    enqueue { job.runSynchronously(on: executor) }
  }

  /// Runs a block on the thread, after all blocks enqueued before. It costs less than a task and preserves
  /// the order.
  public func enqueue(_ block: @escaping @Sendable () -> Void) {
    inbox.update { $0.work.append(block) }
  }

  /// Runs a block when the thread has no other work.
  public func enqueueWhenIdle(_ block: @escaping @Sendable () -> Void) {
    inbox.update { $0.idleWork.append(block) }
  }

  /// Runs a block on the thread and waits for its result. The caller must be on another thread.
  ///
  /// The thread has then released the block, so the block may be non-escaping.
  func runAndWait<Value: Sendable>(_ block: @escaping @Sendable () -> Value) -> Value {
    QueueWaits.runAndWait(on: .thread(self), block) { enqueue($0) }
  }

  /// True if the caller runs on the thread.
  public var isCurrent: Bool { thread.isCurrent }

  /// The thread's number among all threads.
  var threadNumber: UInt { thread.number }

  /// Stops the program if the caller is not on the thread.
  public func checkIsolated() {
    precondition(isCurrent, "this object belongs to the queue “\(name)”, and was used on another")
  }

  /// Returns ``isCurrent``.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }
}

private struct WeakExecutor: Sendable {
  weak let executor: ThreadExecutor?

  init(_ executor: ThreadExecutor?) { self.executor = executor }
}

/// Starts a detached thread, which ends by itself.
///
/// - Throws: ``StoreError/inputOutput(_:)`` if the system cannot create a thread.
func startThread(
  name: String, niceness: Int32, _ body: @escaping @Sendable () -> Void
) throws(StoreError) -> OwnThread {
  do throws(OwnThread.StartError) {
    let thread = try OwnThread(name: name, niceness: niceness, body)
    thread.detach()
    return thread
  } catch {
    throw .inputOutput("the system has no thread for \(name) (error \(error.code))")
  }
}
