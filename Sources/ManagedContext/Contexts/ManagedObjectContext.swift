/// A scratch pad of managed objects over a parent: one object per ID, edits kept until they are saved.
///
/// Not `Sendable`: it lives inside the ``BackgroundContext`` or ``MainContext`` that made it, and the compiler
/// keeps it and its objects there.
public final class ManagedObjectContext {
  /// Where rows are read from and changes go.
  public let parent: any ContextParent
  /// What a save does where another context saved an object first.
  public var mergePolicy: MergePolicy = .error

  var objects: [ManagedObjectID: ManagedObject] = [:]
  /// Objects with unsaved edits, insertions or deletions.
  var pending: [ManagedObjectID: ManagedObject] = [:]
  var upserts: [BatchUpsert] = []
  var inFlight: [ObjectIdentifier: InFlightSave] = [:]

  /// Makes a context without objects.
  public init(parent: any ContextParent) {
    self.parent = parent
  }

  /// The entities of the stack.
  public var model: ManagedObjectModel { parent.model }

  /// Whether a save would write something.
  public var hasChanges: Bool { !upserts.isEmpty || pending.values.contains { $0.hasChanges } }

  /// Objects that the next save inserts.
  public var insertedObjects: [ManagedObject] { pending.values.filter { $0.isInserted && !$0.isDeleted } }

  /// Objects that the next save updates.
  public var updatedObjects: [ManagedObject] {
    pending.values.filter { !$0.isInserted && !$0.isDeleted && $0.hasChanges }
  }

  /// Objects that the next save deletes.
  public var deletedObjects: [ManagedObject] { pending.values.filter(\.isDeleted) }

  // MARK: Objects

  /// Makes a new object with null values; the next save writes it.
  public func insert<Object: ManagedObject>(_ type: Object.Type) -> Object {
    let entity = model.index(of: type)
    let nulls = [AttributeValue](repeating: .null, count: model[entity].attributes.count)
    let object = type.init(
      ManagedObjectSeed(id: .makeTemporary(entity: entity), context: self, values: nulls, version: 0))
    objects[object.id] = object
    pending[object.id] = object
    return object
  }

  /// Marks an object: the next save deletes it. One that was never saved is forgotten.
  public func delete(_ object: ManagedObject) {
    object.isDeleted = true
    if object.isInserted {
      objects[object.id] = nil
      pending[object.id] = nil
    } else {
      pending[object.id] = object
    }
  }

  /// Adds a batch to the next save; it goes to the store without becoming objects.
  public func insert(_ batch: BatchUpsert) {
    if batch.rows.count > 0 { upserts.append(batch) }
  }

  /// The object of an ID, without asking whether it exists: a fault where it is not registered.
  public func object<Object: ManagedObject>(_ type: Object.Type, with id: ManagedObjectID) -> Object? {
    if let known = objects[id] { return known as? Object }
    guard model[id.entity].objectClass == type, !id.isTemporary else { return nil }
    let object = type.init(ManagedObjectSeed(id: id, context: self, values: [], version: 0))
    objects[id] = object
    return object
  }

  /// The object of an ID, read if need be; nil where the store has no such row.
  public func existingObject<Object: ManagedObject>(
    _ type: Object.Type, with id: ManagedObjectID
  ) throws(StoreError) -> Object? {
    guard let object = object(type, with: id) else { return nil }
    if object.isFault {
      let rows = try parent.fetch(StoreQuery(entity: id.entity, predicate: .keys([id.key])))
      guard rows.count == 1 else { return nil }
      object.values = values(of: rows, row: 0)
      object.version = rows.versions[0]
    }
    return object.isGone ? nil : object
  }

  /// The object of an ID if this context has it; the store is not asked.
  public func registeredObject(for id: ManagedObjectID) -> ManagedObject? { objects[id] }

  /// Forgets all objects and unsaved changes.
  public func reset() {
    for object in objects.values { object.context = nil }
    objects = [:]
    pending = [:]
    upserts = []
    inFlight = [:]
  }

  /// Undoes what was not saved.
  public func rollback() {
    for object in pending.values {
      object.isDeleted = false
      if object.isInserted { objects[object.id] = nil }
      if let snapshot = object.snapshot {
        object.values = snapshot
        object.snapshot = nil
      }
    }
    pending = [:]
    upserts = []
  }

  func noteChange(of object: ManagedObject) {
    pending[object.id] = object
  }

  // MARK: Faults

  /// Reads the row of a fault; where it is gone or unreadable the object says so and its values read as nothing.
  func fulfillFault(_ object: ManagedObject) {
    let query = StoreQuery(entity: object.id.entity, predicate: .keys([object.id.key]))
    if let rows = try? parent.fetch(query), rows.count == 1 {
      object.values = values(of: rows, row: 0)
      object.version = rows.versions[0]
    } else {
      object.isGone = true
      object.values = [AttributeValue](repeating: .null, count: model[object.id.entity].attributes.count)
    }
  }

  func values(of rows: RowBatch, row: Int) -> [AttributeValue] {
    rows.columns.indices.map { rows.value(row: row, column: $0, model: model) }
  }
}

@available(*, unavailable, message: "a context stays on its queue; call perform on its owner")
extension ManagedObjectContext: Sendable {}
