internal import Threading

/// The queues that wait for each other's results.
///
/// Queues that wait in a circle would hang forever, so the wait that closes the circle stops the program with
/// their names.
enum QueueWaits {
  private struct Wait: Sendable {
    /// The waiting queue's number.
    let waiting: UInt
    let awaited: ContextQueue
  }

  private static let waits = Locked<[Wait]>([])

  /// Runs a block on another queue, and waits for its result; see ``HandOver``.
  static func runAndWait<Value: Sendable>(
    on queue: ContextQueue, _ block: @escaping @Sendable () -> Value,
    _ enqueue: (@escaping @Sendable () -> Void) -> Void
  ) -> Value {
    let number = currentNumber
    begin(Wait(waiting: number, awaited: queue))
    return HandOver.runAndWait(
      {
        // The wait ends here, not when the waiting thread wakes up: this queue may wait for it before that.
        defer { end(number) }
        return block()
      }, enqueue)
  }

  private static func begin(_ wait: Wait) {
    let circle = waits.withLock { waits in
      let circle = Self.circle(closedBy: wait, waits)
      if circle == nil { waits.append(wait) }
      return circle
    }
    guard let names = circle?.map(title), let last = names.last else { return }
    // Unlike preconditionFailure, this prints the names in release builds.
    fatalError(
      "\(last) waits for \(names.joined(separator: ", which waits for ")): use await, "
        + "and let no parent wait for its child")
  }

  private static func end(_ number: UInt) {
    waits.withLock { waits in
      if let place = waits.firstIndex(where: { $0.waiting == number }) { waits.remove(at: place) }
    }
  }

  /// Returns the queues from the awaited to the waiting one; nil if no circle closes.
  private static func circle(closedBy wait: Wait, _ waits: [Wait]) -> [ContextQueue]? {
    var queues = [wait.awaited]
    while let last = queues.last, case let number = number(of: last), number != wait.waiting {
      guard let next = waits.first(where: { $0.waiting == number }) else { return nil }
      queues.append(next.awaited)
    }
    return queues
  }

  // A queue's number is its thread's. The main queue, which may change its thread, has the number 0.

  private static var currentNumber: UInt { ContextQueue.isMainQueue ? 0 : OwnThread.currentNumber }

  private static func number(of queue: ContextQueue) -> UInt {
    if case .thread(let executor) = queue { executor.threadNumber } else { 0 }
  }

  private static func title(of queue: ContextQueue) -> String {
    if case .thread(let executor) = queue { "“\(executor.name)”" } else { "the main queue" }
  }
}
