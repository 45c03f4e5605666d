public import Foundation
internal import Synchronization

/// A scratch pad for managed objects over a parent. It has one object per ID and keeps edits until they are
/// saved.
///
/// It is not `Sendable`. It stays inside the ``BackgroundContext`` or ``MainContext`` that created it, and
/// the compiler checks this for it and its objects. Through a C callback, which the compiler cannot check,
/// use on another queue stops the program with a message that names the queue.
public final class ManagedObjectContext {
  /// The parent that rows come from and saves go to.
  public let parent: any ContextParent
  /// The model that the whole stack shares.
  public let model: ManagedObjectModel
  /// The context's name in messages. By default it is its queue's name, or a number.
  public var name: String
  /// The policy for conflicts with objects that another context saved first.
  public var mergePolicy: MergePolicy = .error
  /// The author recorded in the store's history for each save; nil for no author.
  public var transactionAuthor: String?
  /// The maximum age, in seconds, at which a fault may reuse its previous values; 0 reads the row each time.
  public var stalenessInterval: TimeInterval = 0
  /// The error from the last read of a fault or relationship; nil if it succeeded.
  ///
  /// After an error the object has its last known values, and the next save with changes fails once with the
  /// error, because they may follow from values that were not read. A later successful read of the object
  /// prevents that, if it comes before the first change.
  public internal(set) var faultError: StoreError?
  /// Notifies observers about each save by this context, on its queue.
  public let didSave = ChangeNotifier()

  /// Notifies observers about changes that this context's children may merge.
  let notices = ChangeNotifier()
  let queue: ContextQueue
  /// The clock for ``stalenessInterval``, in seconds.
  var clock: () -> Double = { ProcessInfo.processInfo.systemUptime }
  /// Called with each object on its insertion, deletion or revert, and before each edit.
  private(set) var didChangeObject: ((ManagedObject) -> Void)?
  /// Called with each object after its values changed or became unknown without an edit here.
  private(set) var didRefreshObject: ((ManagedObject) -> Void)?
  /// Called after a reset.
  var didReset: (() -> Void)?

  /// This context's objects. Objects that only this table holds are removed now and then.
  var objects = ObjectTable()
  /// The number of objects at which unused ones are next forgotten.
  var releaseThreshold = leastReleaseThreshold
  /// The unsaved changes, without the batches.
  var pending = PendingObjects()
  var batches: [BatchChange] = []
  /// Deleted objects with relationships to check again, because they may have changed.
  var unruled: [ManagedObject] = []
  var inFlight: [ObjectIdentifier: InFlightSave] = [:]
  /// Saves that were running when the context was reset.
  var abandoned: [ObjectIdentifier: SaveTicket] = [:]
  /// Saved objects that refer to objects without a permanent ID, as a parent's objects may be.
  var referringToTemporary: Set<ManagedObjectID> = []
  /// Objects in running saves with possibly changed rows. They are read again once their saves have ended.
  var missedMerges: Set<ManagedObjectID> = []
  /// The first mistake that could not be reported where it was made. The next save reports it once.
  var defect: StoreError?
  /// The errors of reads that failed, by the object that was read. The next save with changes reports one of
  /// them, once.
  var failedReads: [ManagedObjectID: StoreError] = [:]
  var permanentIDs = PermanentIDs()
  /// True while a save calls its objects' hooks, which must not save.
  var isCallingHooks = false
  /// The permanent IDs that a parent context's objects received and this context has not yet adopted, with
  /// their observation; nil if the parent is not a context.
  ///
  /// The parent's thread adds them before it answers another query. After ``adoptParentIDs()``, this context
  /// therefore knows each row in an answer by its object's ID.
  let parentIDs: (gathered: ChangeCoalescer, observation: ChangeObservation)?
  /// A counter for each entity, which grows whenever relationships to its objects may have changed.
  var generations: [Int]

  /// Creates an empty context that is confined to the place where it is created. ``BackgroundContext`` and
  /// ``MainContext`` create theirs on a queue.
  public convenience init(parent: any ContextParent) {
    self.init(parent: parent, queue: .unowned)
  }

  init(parent: any ContextParent, queue: ContextQueue) {
    self.parent = parent
    self.queue = queue
    name = queue.name ?? "context \(contextNumbers.add(1, ordering: .relaxed).newValue)"
    model = parent.model
    let gathered = ChangeCoalescer()
    parentIDs =
      parent is any ContextOwner
      ? (gathered, parent.notices.observe { _ = gathered.add($0.onlyPermanentIDs) }) : nil
    generations = [Int](repeating: 0, count: parent.model.entities.count)
  }

  // MARK: Unsaved changes

  /// True if a save would write anything.
  public var hasChanges: Bool { !batches.isEmpty || !pending.isEmpty }

  /// Objects that the next save inserts.
  public var insertedObjects: [ManagedObject] { unsaved.filter { $0.isInserted } }

  /// Objects that the next save updates, and objects with many-to-many relationships that it changes.
  public var updatedObjects: [ManagedObject] {
    let ends = pending.endsOfPairs.compactMap { object(with: $0) }.filter { !pending.contains($0) }
    return unsaved.filter { !$0.isInserted && !$0.isDeleted } + ends
  }

  /// Objects that the next save deletes. Delete rules that have not been applied yet may add more.
  public var deletedObjects: [ManagedObject] { unsaved.filter(\.isDeleted) }

  /// The objects that this context has, in no order. Unchanged objects that no other code holds may be
  /// missing.
  public var registeredObjects: [ManagedObject] { objects.all.filter { !$0.isPair } }

  private var unsaved: [ManagedObject] { pending.objects.filter { !$0.isPair } }

  func hasChanges(in object: ManagedObject) -> Bool {
    pending.contains(object) || pending.isEndOfPair(object.id)
  }

  // MARK: Objects

  /// Creates an object with the model's default values. The next save writes it.
  ///
  /// A class outside the model makes that save fail with ``StoreError/validation(_:)``.
  public func insert<Object: ManagedObject>(_ type: Object.Type) -> Object {
    guard let entity = model.index(of: type) else {
      noteDefect(.validation(ValidationError(entity: "\(type)", cause: .unknownEntity)))
      return type.init(
        ManagedObjectSeed(id: .none, context: self, values: [], version: 0, isFault: false))
    }
    let object = insert(type, .makeTemporary(entity: entity), model[entity].defaults)
    noteNothingRelated(to: object)
    if model.isHooked(entity) { (object as? HookedObject)?.awakeFromInsert() }
    return object
  }

  func insert<Object: ManagedObject>(
    _ type: Object.Type, _ id: ManagedObjectID, _ values: [AttributeValue]
  ) -> Object {
    queue.check()
    releaseUnusedObjects()
    let object = type.init(
      ManagedObjectSeed(id: id, context: self, values: values, version: 0, isFault: false))
    object.isInserted = true
    objects[id] = object
    noteChange(of: object)
    return object
  }

  /// Marks an object to be deleted by the next save. An object that was never saved is forgotten at once.
  ///
  /// The delete rules of its relationships apply before the next fetch or save.
  public func delete(_ object: ManagedObject) {
    queue.check()
    let object = object.current
    object.checkContext(is: self)
    guard object.context === self, !object.isDeleted else { return }
    if object.isGone {
      // The row does not exist in the parent, so its edits are discarded.
      object.snapshot = nil
      settlePending(object)
      return
    }
    object.isDeleted = true
    // A hook that deletes the object again finds it deleted.
    if model.isHooked(object.id.entity) { (object as? HookedObject)?.prepareForDeletion() }
    forgetRelated(to: object)
    if !model.relations[Int(object.id.entity)].isEmpty { unruled.append(object) }
    if object.isInserted {
      objects[object.id] = nil
      pending.remove(object)
      didChangeObject?(object)
    } else {
      noteChange(of: object)
    }
  }

  /// Returns the ID for a row in the written store. The row need not exist.
  ///
  /// - Parameters:
  ///   - type: The object's class.
  ///   - row: The row's number: the column `id` in a SQLite store.
  /// - Returns: Nil for a class outside the model.
  public func id<Object: ManagedObject>(_ type: Object.Type, row: Int64) -> ManagedObjectID? {
    model.index(of: type).map { ManagedObjectID(entity: $0, store: parent.writtenStoreNumber, key: row) }
  }

  /// Returns the object for an ID without checking that it exists: a fault if it is not registered.
  ///
  /// - Returns: Nil for another entity's ID, and for an unknown temporary ID.
  public func object<Object: ManagedObject>(_ type: Object.Type, with id: ManagedObjectID) -> Object? {
    object(with: id) as? Object
  }

  /// Returns the objects for IDs, like ``object(_:with:)``. The first use of a fault among them reads its
  /// neighbours with the same query.
  ///
  /// The context forgets unchanged objects that nothing else refers to: keep the result while they are used.
  ///
  /// - Parameters:
  ///   - type: The objects' class.
  ///   - ids: The IDs. Another entity's IDs and unknown temporary ones are left out.
  ///   - batchSize: The maximum count of objects that are read together.
  public func objects<Object: ManagedObject>(
    _ type: Object.Type, with ids: some Sequence<ManagedObjectID>, batchSize: Int = 1000
  ) -> [Object] {
    let found = ids.compactMap { object(type, with: $0) }
    let faults = found.filter(\.isFault)
    guard faults.count > 1 else { return found }
    let batch = FaultBatch(ids: faults.map(\.id), size: batchSize)
    for fault in faults { fault.batch = batch }
    return found
  }

  /// Returns the object for an ID, with the class that the model gives for its entity; see
  /// ``object(_:with:)``.
  public func object(with id: ManagedObjectID) -> ManagedObject? {
    queue.check()
    learnIDs()
    let id = permanentIDs[id]
    if let known = objects[id] { return known }
    guard Int(id.entity) < model.entities.count, !id.isTemporary || parent is any ContextOwner else {
      return nil
    }
    releaseUnusedObjects()
    let fault = ManagedObjectSeed(id: id, context: self, values: [], version: 0, isFault: true)
    let object = model[id.entity].objectClass.init(fault)
    objects[id] = object
    return object
  }

  /// Returns the object for an ID, and reads it if necessary.
  ///
  /// - Throws: ``StoreError/notFound(_:)`` if the object does not exist.
  public func existingObject<Object: ManagedObject>(
    _ type: Object.Type, with id: ManagedObjectID
  ) throws(StoreError) -> Object {
    guard let object = object(type, with: id) else { throw .notFound(id) }
    if object.isFault { try read([object]) }
    if object.isGone || object.isDeleted { throw .notFound(id) }
    return object
  }

  /// Returns the registered object for an ID, without a query. An unchanged object that no other code holds
  /// may have been forgotten.
  public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
    learnIDs()
    return objects[permanentIDs[id]]
  }

  // MARK: Recording changes

  /// Records an object as changed.
  func noteChange(of object: ManagedObject) {
    queue.check()
    pending.insert(object)
    guard let didChangeObject else { return }
    object.state.insert(.observed)
    didChangeObject(object)
  }

  /// Records that an attribute has the parent's value again. An object without other edits is no longer
  /// pending.
  func noteRevertedEdit(of object: ManagedObject) {
    guard object.changedAttributes.isEmpty else { return }
    object.snapshot = nil
    settlePending(object)
  }

  /// Removes an object without edits from the pending objects, unless it is to be deleted.
  func settlePending(_ object: ManagedObject) {
    if object.snapshot == nil && !object.isInserted && !object.isDeleted { pending.remove(object) }
  }

  /// Calls `body` with each object that an edit or a refresh changes here. Earlier observers stay active.
  func observeObjects(_ body: @escaping (ManagedObject) -> Void) {
    let (changed, refreshed) = (didChangeObject, didRefreshObject)
    didChangeObject = { object in
      changed?(object)
      body(object)
    }
    didRefreshObject = { object in
      refreshed?(object)
      body(object)
    }
    for object in pending.objects + inFlight.values.flatMap(\.objects) { object.state.insert(.observed) }
  }

  func noteUnknownAttribute(_ index: Int, of object: ManagedObject) {
    if object.isFault {
      // The edit is lost, because the row could not be read.
      if let error = failedReads[object.id] { noteDefect(error) }
      return
    }
    let isKnown = Int(object.id.entity) < model.entities.count
    noteDefect(
      .validation(
        ValidationError(
          entity: isKnown ? model[object.id.entity].name : "\(Swift.type(of: object))",
          attribute: "attribute \(index)", object: object.id,
          cause: isKnown ? .unknownAttribute : .unknownEntity)))
  }
}

extension ManagedObject {
  /// True if the object is a pair in a many-to-many relationship. Pairs are internal to contexts.
  final var isPair: Bool { type(of: self) == JoinObject.self }
}

/// Numbers for contexts without a queue, which distinguish them in messages.
private let contextNumbers = Atomic<Int>(0)

@available(*, unavailable, message: "a context stays on its queue; call perform on its owner")
extension ManagedObjectContext: Sendable {}
