import Synchronization

/// Names one managed object, everywhere and on every queue.
///
/// An object that was never saved has a temporary ID; the first save to a store gives it a permanent one.
@frozen public struct ManagedObjectID: Sendable, Hashable {
  /// The entity's place in the model.
  public let entity: EntityIndex
  /// The store that the row is in; ``StoreNumber/none`` for a temporary ID.
  public let store: StoreNumber
  /// The row's number in its store; below zero for a temporary ID.
  public let key: Int64

  /// Names a row of a store.
  @inlinable
  public init(entity: EntityIndex, store: StoreNumber, key: Int64) {
    self.entity = entity
    self.store = store
    self.key = key
  }

  /// Whether the object was never saved to a store.
  @inlinable
  public var isTemporary: Bool { key < 0 }

  /// One word to hash: IDs are the keys of every context's objects.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(UInt64(bitPattern: key) ^ UInt64(entity) << 48 ^ UInt64(store.rawValue) << 16)
  }

  /// Stands where a required reference has no value; no object has it.
  public static let none = ManagedObjectID(entity: .max, store: .none, key: 0)

  static func makeTemporary(entity: EntityIndex) -> ManagedObjectID {
    ManagedObjectID(
      entity: entity, store: .none, key: -temporaryKeys.add(1, ordering: .relaxed).newValue)
  }
}

extension ManagedObjectID: CustomStringConvertible {
  public var description: String {
    isTemporary ? "new object \(-key)" : "object \(key)"
  }
}

extension ManagedObjectID: CustomDebugStringConvertible {
  public var debugDescription: String { isTemporary ? description : "\(description) of store \(store)" }
}

/// Temporary keys are unique in the process, so that an ID means the same in every context.
private let temporaryKeys = Atomic<Int64>(0)
