import Threading

/// A sign to all users of the store that a number's holder is alive.
///
/// It ends when it is released, and at the latest with its process, however that ends.
public final class LifeSign: Sendable {
  private let check: @Sendable () -> Bool
  private let end: @Sendable () -> Void

  /// Creates a sign.
  ///
  /// - Parameters:
  ///   - isHeld: Returns ``isHeld``, on any thread, without waiting.
  ///   - end: Called once, when the sign ends.
  public init(isHeld: @escaping @Sendable () -> Bool = { true }, end: @escaping @Sendable () -> Void) {
    (check, self.end) = (isHeld, end)
  }

  /// False if others may assume that the holder has died, because it has lost its connection to the store.
  public var isHeld: Bool { check() }

  deinit { end() }
}

/// Default life signs, for a store that only this process uses.
extension PersistentStore {
  public func beginLifeSign(_ number: Int64) throws(StoreError) -> LifeSign {
    let holder = LifeSigns.Holder(store: self.number, number: number)
    LifeSigns.all.withLock { _ = $0.insert(holder) }
    return LifeSign { LifeSigns.all.withLock { _ = $0.remove(holder) } }
  }

  public func lifeSigns(among numbers: Set<Int64>, isPatient: Bool) throws(StoreError) -> Set<Int64> {
    LifeSigns.all.withLock { all in numbers.filter { all.contains(.init(store: self.number, number: $0)) } }
  }

  /// Returns whether a number's holder is alive; see ``PersistentStore/lifeSigns(among:isPatient:)``.
  public func hasLifeSign(_ number: Int64) throws(StoreError) -> Bool {
    try lifeSigns(among: [number], isPatient: true).contains(number)
  }
}

private enum LifeSigns {
  struct Holder: Hashable {
    let store: StoreNumber
    let number: Int64
  }

  static let all = Locked<Set<Holder>>([])
}
