internal import Threading

/// A counter for any thread.
public final class Counter: Sendable {
  private let state = Locked(0)

  public init() {}

  public var value: Int { state.withLock { $0 } }

  public func increment() { state.withLock { $0 += 1 } }
}
