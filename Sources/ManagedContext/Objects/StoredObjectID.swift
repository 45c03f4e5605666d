public import struct Foundation.UUID
internal import TextOutput

/// An object's ID in a form that outlives the process: encoded, or as a URI.
///
/// A coordinator creates it from a permanent ID (``PersistentStoreCoordinator/storedID(of:)``), and another
/// process finds the object with it (``PersistentStoreCoordinator/id(of:)``). It names the entity, so it
/// stays valid in later versions of the model.
public struct StoredObjectID: Sendable, Hashable, Codable {
  /// The store's UUID; see ``PersistentStore/uuid(isMade:)``.
  public let store: UUID
  /// The entity's name in the model that the ID was created with.
  public let entity: String
  /// The row's key in its store.
  public let key: Int64

  /// Creates the ID of a row. The row need not exist.
  public init(store: UUID, entity: String, key: Int64) {
    (self.store, self.entity, self.key) = (store, entity, key)
  }
}

extension StoredObjectID {
  private static let scheme = "x-managed-object://"

  /// The ID as a URI: `x-managed-object://STORE/ENTITY/KEY`.
  public var uri: String {
    let name = String(decoding: entity.utf8.percentEncoded(except: Self.isPlain), as: UTF8.self)
    return "\(Self.scheme)\(store.uuidString)/\(name)/\(key)"
  }

  /// Reads a ``uri``; nil if it is another text.
  public init?(uri: String) {
    guard uri.utf8.starts(with: Self.scheme.utf8) else { return nil }
    let parts = uri.utf8.dropFirst(Self.scheme.utf8.count).split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 3, let store = UUID(uuidString: String(Substring(parts[0]))), !parts[1].isEmpty,
      let entity = String(validating: parts[1].percentDecoded, as: UTF8.self),
      // The integer's initializer also accepts a sign.
      parts[2].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let key = Int64(Substring(parts[2]))
    else { return nil }
    self.init(store: store, entity: entity, key: key)
  }

  /// Returns whether a URI's path may contain a byte unchanged (RFC 3986, section 2.3).
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}

extension PersistentStoreCoordinator {
  /// Returns the form of an object's ID that outlives the process, on any thread. The row need not exist.
  ///
  /// A SQLite file gets its UUID with the first call.
  ///
  /// - Returns: Nil for a temporary ID, and for an ID in a store that is not open here or has no UUID.
  /// - Throws: The error of the store, which is read and may have to be written.
  public func storedID(of id: ManagedObjectID) throws(StoreError) -> StoredObjectID? {
    guard !id.isTemporary, Int(id.entity) < model.entities.count,
      let uuid = try store(of: id)?.uuid(isMade: true)
    else { return nil }
    return StoredObjectID(store: uuid, entity: model[id.entity].name, key: id.key)
  }

  /// Returns the ID of the object with a stored ID, on any thread. The row need not exist:
  /// ``ManagedObjectContext/existingObject(_:with:)`` reports a missing one.
  ///
  /// If several open stores are copies of one file, the ID leads to the written store, or else to the one
  /// that was added first. An entity that was renamed since is found by its old name.
  ///
  /// - Returns: Nil if the store is not open here, or the model has no such entity.
  /// - Throws: The error of a store that cannot be read.
  public func id(of stored: StoredObjectID) throws(StoreError) -> ManagedObjectID? {
    let entity =
      model.index(named: stored.entity)
      ?? model.entities.firstIndex { $0.oldNames.contains(stored.entity) }.map { EntityIndex($0) }
    guard let entity else { return nil }
    for store in openStores where try store.uuid(isMade: false) == stored.store {
      return ManagedObjectID(entity: entity, store: store.number, key: stored.key)
    }
    return nil
  }
}
