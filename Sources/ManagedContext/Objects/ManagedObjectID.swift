import Synchronization

/// Identifies one managed object, in every context and on every queue.
///
/// An object that was never saved has a temporary ID. Its first save to a store gives it a permanent ID.
@frozen public struct ManagedObjectID: Sendable, Hashable {
  /// The entity's index in the model.
  public let entity: EntityIndex
  /// The store's number; ``StoreNumber/none`` for a temporary ID.
  public let store: StoreNumber
  /// The row's key in its store; negative for a temporary ID.
  public let key: Int64

  /// Creates the ID for a row in a store.
  @inlinable
  public init(entity: EntityIndex, store: StoreNumber, key: Int64) {
    self.entity = entity
    self.store = store
    self.key = key
  }

  /// True if the object was never saved to a store.
  @inlinable
  public var isTemporary: Bool { key < 0 }

  /// Hashes the ID as a single word, for speed: contexts look up their objects by ID.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(UInt64(bitPattern: key) ^ UInt64(entity) << 48 ^ UInt64(store.rawValue) << 16)
  }

  /// A placeholder for a required reference without a value. No object has this ID.
  public static let none = ManagedObjectID(entity: .max, store: .none, key: 0)

  static func makeTemporary(entity: EntityIndex) -> ManagedObjectID {
    ManagedObjectID(
      entity: entity, store: .none, key: -temporaryKeys.add(1, ordering: .relaxed).newValue)
  }
}

extension ManagedObjectID: CustomStringConvertible {
  public var description: String {
    isTemporary ? "new object \(key.magnitude)" : "object \(key)"
  }
}

extension ManagedObjectID: CustomDebugStringConvertible {
  public var debugDescription: String { isTemporary ? description : "\(description) of store \(store)" }
}

/// Temporary keys are unique in the process, so that an ID identifies the same object in every context.
private let temporaryKeys = Atomic<Int64>(0)
