internal import Threading

/// The queues that wait for each other's results.
///
/// Queues that wait in a circle would hang forever, so the wait that closes the circle stops the program with
/// their names.
enum QueueWaits {
  private struct Wait: Sendable {
    /// The numbers of the queues.
    let waiting: UInt
    let awaited: UInt
    /// The awaited queue's name.
    let name: String
  }

  private static let waits = Locked<[Wait]>([])

  /// Runs `body`, in which the calling queue waits for another one.
  static func waiting<Value>(for queue: ContextQueue, _ body: () -> Value) -> Value {
    let wait = Wait(waiting: currentNumber, awaited: number(of: queue), name: title(of: queue))
    let circle = waits.withLock { waits in
      let circle = Self.circle(closedBy: wait, waits)
      if circle == nil { waits.append(wait) }
      return circle
    }
    if let circle {
      preconditionFailure(
        "\(circle.last ?? "") waits for \(circle.joined(separator: ", which waits for ")): use await, "
          + "and let no parent wait for its child")
    }
    defer {
      waits.withLock { waits in
        if let place = waits.lastIndex(where: { $0.waiting == wait.waiting }) { waits.remove(at: place) }
      }
    }
    return body()
  }

  /// Returns the queues' names, from the awaited to the waiting one; nil if no circle closes.
  private static func circle(closedBy wait: Wait, _ waits: [Wait]) -> [String]? {
    var (names, number) = ([wait.name], wait.awaited)
    while number != wait.waiting {
      guard let next = waits.last(where: { $0.waiting == number }) else { return nil }
      names.append(next.name)
      number = next.awaited
    }
    return names
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
