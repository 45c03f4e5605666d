import Threading

/// Tells many listeners what was saved: Core Data's did-save notification, for one context or coordinator.
public final class ChangeNotifier: Sendable {
  private struct State: Sendable {
    var next = 0
    var observers: [Int: @Sendable (ContextChanges) -> Void] = [:]
  }

  private let state = Locked(State())

  /// Makes a notifier without observers; stores that have news of their own need one.
  public init() {}

  /// Calls `body` after each save, on the thread that saved; it must be quick, and must not save itself.
  ///
  /// - Returns: Ends the observation when it is cancelled or dropped.
  public func observe(_ body: @escaping @Sendable (ContextChanges) -> Void) -> ChangeObservation {
    let number = state.withLock { state in
      state.next += 1
      state.observers[state.next] = body
      return state.next
    }
    return ChangeObservation { [weak self] in self?.state.withLock { $0.observers[number] = nil } }
  }

  /// What is saved from now on, for one task to iterate.
  ///
  /// While the task is busy, what is saved meanwhile is gathered into one element: nothing is lost, and memory does
  /// not grow with the number of saves.
  public var changes: SavedChanges { SavedChanges(self) }

  /// Tells the observers.
  public func post(_ changes: ContextChanges) {
    guard !changes.isEmpty else { return }
    let observers = state.withLock { Array($0.observers.values) }
    for body in observers { body(changes) }
  }
}

/// Keeps an observation alive; dropping it ends the observation.
public final class ChangeObservation: Sendable {
  private let end: Locked<(@Sendable () -> Void)?>

  /// Runs `end` once, when the observation is cancelled or dropped.
  public init(_ end: @escaping @Sendable () -> Void) {
    self.end = Locked(end)
  }

  deinit { cancel() }

  /// Ends the observation; nothing happens when it has ended already.
  public func cancel() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}

/// The saves of a context as an asynchronous sequence that never ends by itself.
public struct SavedChanges: AsyncSequence, Sendable {
  /// What one or several saves changed.
  public typealias Element = ContextChanges

  private let notifier: ChangeNotifier

  init(_ notifier: ChangeNotifier) {
    self.notifier = notifier
  }

  /// Begins to listen.
  public func makeAsyncIterator() -> Iterator { Iterator(notifier) }

  /// Listens from its making on; ends when its task is cancelled.
  public struct Iterator: AsyncIteratorProtocol {
    private let coalescer = ChangeCoalescer()
    private var wakeUps: AsyncStream<Void>.Iterator
    private let observation: ChangeObservation

    init(_ notifier: ChangeNotifier) {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      wakeUps = stream.makeAsyncIterator()
      let coalescer = coalescer
      observation = notifier.observe { changes in
        if coalescer.add(changes) { continuation.yield() }
      }
    }

    /// Waits for the next save.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> ContextChanges? {
      while await wakeUps.next(isolation: actor) != nil {
        let changes = coalescer.take()
        if !changes.isEmpty { return changes }
      }
      return nil
    }
  }
}
