public import Foundation
internal import Synchronization

/// A scratch pad of managed objects over a parent: one object per ID, edits kept until they are saved.
///
/// Not `Sendable`: it lives inside the ``BackgroundContext`` or ``MainContext`` that made it, and the compiler
/// keeps it and its objects there. Where the compiler cannot see (a C callback), using it on another queue stops
/// the program with a message that names the queue.
public final class ManagedObjectContext {
  /// Where rows are read from and changes go.
  public let parent: any ContextParent
  /// The entities of the stack.
  public let model: ManagedObjectModel
  /// What messages call the context: the name of its queue, or a number, unless you give it another one.
  public var name: String
  /// What a save does where another context saved an object first.
  public var mergePolicy: MergePolicy = .error
  /// Who saves, for the store's history; nil for nobody in particular.
  public var transactionAuthor: String?
  /// For how long a fault may fire with the values it had before, in seconds; 0 reads the row each time.
  public var stalenessInterval: TimeInterval = 0
  /// What kept a fault from being read; nil after the last one was. Its object then reads as last known.
  public internal(set) var faultError: StoreError?
  /// Told of each save of this context, on its queue.
  public let didSave = ChangeNotifier()

  /// Told of what the children of this context may want to merge.
  let notices = ChangeNotifier()
  let queue: ContextQueue
  /// The clock of ``stalenessInterval``, in seconds.
  var clock: () -> Double = { ProcessInfo.processInfo.systemUptime }
  /// Called with each object that is inserted, deleted, about to be edited, or whose edits are undone.
  private(set) var didChangeObject: ((ManagedObject) -> Void)?
  /// Called with each object whose values are others than before, or not known any more, without an edit here.
  private(set) var didRefreshObject: ((ManagedObject) -> Void)?
  /// Called when all objects have been forgotten.
  var didReset: (() -> Void)?

  /// The objects of this context; those that nobody else holds are forgotten now and then.
  var objects: [ManagedObjectID: ManagedObject] = [:]
  /// How many objects there are when the unused ones are forgotten the next time.
  var releaseThreshold = leastReleaseThreshold
  /// What the next save writes, besides batches.
  var pending = PendingObjects()
  var batches: [BatchChange] = []
  /// Deleted objects whose relationships have to be looked at, because they may lead to others than before.
  var unruled: [ManagedObject] = []
  var inFlight: [ObjectIdentifier: InFlightSave] = [:]
  /// Saves that were on their way when the context was reset.
  var abandoned: [ObjectIdentifier: SaveTicket] = [:]
  /// Saved objects that refer to others which have no permanent ID yet, as those of a parent may.
  var referringToTemporary: Set<ManagedObjectID> = []
  /// Objects in flight whose row may be another one than they say, to be read anew once their saves have ended.
  var missedMerges: Set<ManagedObjectID> = []
  /// What could not be reported where it went wrong; the next save does, once.
  var defects: [StoreError] = []
  var permanentIDs = PermanentIDs()
  /// What a parent that is a context tells of the IDs that its objects got; nil for another parent.
  let parentIDs: ParentIDs?
  /// For each entity, grows whenever what relationships lead there may have changed unseen.
  var generations: [Int]

  /// Makes a context without objects that stays where it is made; ``BackgroundContext`` and ``MainContext`` make
  /// theirs on a queue.
  public convenience init(parent: any ContextParent) {
    self.init(parent: parent, queue: .unowned)
  }

  init(parent: any ContextParent, queue: ContextQueue) {
    self.parent = parent
    self.queue = queue
    name = queue.name ?? "context \(contextNumbers.add(1, ordering: .relaxed).newValue)"
    model = parent.model
    parentIDs = parent is any ContextOwner ? ParentIDs(parent) : nil
    generations = [Int](repeating: 0, count: parent.model.entities.count)
  }

  // MARK: Unsaved changes

  /// Whether a save would write something.
  public var hasChanges: Bool { !batches.isEmpty || !pending.isEmpty }

  /// Objects that the next save inserts.
  public var insertedObjects: [ManagedObject] { unsaved.filter { $0.isInserted } }

  /// Objects that the next save updates, and those whose many-to-many relationships it changes.
  public var updatedObjects: [ManagedObject] {
    let ends = pending.endsOfPairs.compactMap { object(with: $0) }.filter { !pending.contains($0) }
    return unsaved.filter { !$0.isInserted && !$0.isDeleted } + ends
  }

  /// Objects that the next save deletes, as far as delete rules were applied.
  public var deletedObjects: [ManagedObject] { unsaved.filter(\.isDeleted) }

  /// The objects that this context has, in no order; unchanged ones that nobody holds may be missing.
  public var registeredObjects: [ManagedObject] { objects.values.filter { !$0.isPair } }

  private var unsaved: [ManagedObject] { pending.objects.filter { !$0.isPair } }

  func hasChanges(in object: ManagedObject) -> Bool {
    pending.contains(object) || pending.isEndOfPair(object.id)
  }

  // MARK: Objects

  /// Makes a new object with the model's default values; the next save writes it.
  ///
  /// A class outside the model makes that save fail with ``StoreError/validation(_:)``.
  public func insert<Object: ManagedObject>(_ type: Object.Type) -> Object {
    guard let entity = model.index(of: type) else {
      defects.append(.validation(ValidationError(entity: "\(type)", cause: .unknownEntity)))
      return type.init(
        ManagedObjectSeed(id: .none, context: self, values: [], version: 0, isFault: false))
    }
    let object = insert(type, .makeTemporary(entity: entity), model[entity].defaults)
    noteNothingRelated(to: object)
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
    note(object)
    return object
  }

  /// Marks an object: the next save deletes it. One that was never saved is forgotten.
  ///
  /// What the delete rules of its relationships say is done before the next fetch or save.
  public func delete(_ object: ManagedObject) {
    queue.check()
    let object = object.current
    object.checkContext(is: self)
    guard object.context === self, !object.isDeleted else { return }
    if object.isGone {
      // There is no row to be deleted: edits of it are not wanted any more.
      object.snapshot = nil
      settlePending(object)
      return
    }
    object.isDeleted = true
    forgetRelated(to: object)
    if !model.relations[Int(object.id.entity)].isEmpty { unruled.append(object) }
    if object.isInserted {
      objects[object.id] = nil
      pending.remove(object)
      didChangeObject?(object)
    } else {
      note(object)
    }
  }

  /// The ID of a row of the store that is written, be the row there or not.
  ///
  /// - Parameters:
  ///   - type: The class of its object.
  ///   - row: The row's number: the column `id` of a store in SQLite.
  /// - Returns: Nil for a class outside the model.
  public func id<Object: ManagedObject>(_ type: Object.Type, row: Int64) -> ManagedObjectID? {
    model.index(of: type).map { ManagedObjectID(entity: $0, store: parent.writtenStoreNumber, key: row) }
  }

  /// The object of an ID, without asking whether it exists: a fault where it is not registered. Nil for an ID of
  /// another entity, and for a temporary one that is not known here.
  public func object<Object: ManagedObject>(_ type: Object.Type, with id: ManagedObjectID) -> Object? {
    object(with: id) as? Object
  }

  /// The object of an ID, of whatever class the model says; see ``object(_:with:)``.
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

  /// The object of an ID, read if need be.
  ///
  /// - Throws: ``StoreError/notFound(_:)`` where there is no such object any more, or never was.
  public func existingObject<Object: ManagedObject>(
    _ type: Object.Type, with id: ManagedObjectID
  ) throws(StoreError) -> Object {
    guard let object = object(type, with: id) else { throw .notFound(id) }
    if object.isFault { try read([object]) }
    if object.isGone || object.isDeleted { throw .notFound(id) }
    return object
  }

  /// The object of an ID if this context has it; the parent is not asked. An unchanged object that nobody holds may
  /// have been forgotten.
  public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
    learnIDs()
    return objects[permanentIDs[id]]
  }

  // MARK: Forgetting

  /// Forgets all objects and unsaved changes; objects that somebody still holds keep their values, and no context. The
  /// temporary ID of one that was saved still leads to it.
  public func reset() {
    queue.check()
    for object in objects.values { object.context = nil }
    // What is on its way to the store may not get there.
    let undone = pending.objects + inFlight.values.flatMap(\.objects)
    objects = [:]
    pending.removeAll()
    batches = []
    for (id, save) in inFlight { abandoned[id] = save.ticket }
    inFlight = [:]
    unruled = []
    missedMerges = []
    referringToTemporary = []
    defects = []
    faultError = nil
    if let didChangeObject { undone.forEach(didChangeObject) }
    didReset?()
  }

  /// Undoes what was not saved.
  public func rollback() {
    queue.check()
    finishEndedSaves()
    let undone = pending.objects
    pending.removeAll()
    for object in undone { undo(object) }
    batches = []
    unruled = []
    defects = []
    if let didChangeObject { undone.forEach(didChangeObject) }
  }

  /// Takes back what was done to an object that is no longer pending.
  private func undo(_ object: ManagedObject) {
    object.isDeleted = false
    generations[Int(object.id.entity)] += 1
    if object.isInserted {
      objects[object.id] = nil
      object.isDeleted = true
    }
    if let snapshot = object.snapshot {
      object.values = snapshot
      object.snapshot = nil
    }
  }

  /// Reads an object anew with its next use, and with it what only its relationships lead to.
  ///
  /// With unsaved edits that stay it is read at once. Nothing happens to one that was never saved.
  /// - Parameters:
  ///   - object: An object of this context.
  ///   - mergeChanges: Whether its unsaved edits stay. Otherwise they are discarded, and the objects that its
  ///     relationships lead to are forgotten, and what those lead to in turn, as far as nobody else holds them and
  ///     they have no unsaved changes.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    queue.check()
    finishEndedSaves()
    let object = object.current
    guard object.context === self, !object.isInserted else { return }
    if !mergeChanges {
      if pending.remove(object) {
        undo(object)
        didChangeObject?(object)
      }
      forgetUnheldObjects(relatedTo: object)
    }
    object.related = []
    // What fails to be read now is known well enough: the edits stay on what was read before.
    try? readAnew([object])
  }

  /// Reads all objects anew with their next use; unsaved edits stay.
  public func refreshAllObjects() {
    queue.check()
    for entity in generations.indices { generations[entity] += 1 }
    for group in Dictionary(grouping: objects.values, by: \.id.entity).values {
      try? readAnew(group.filter { !$0.isInserted })
    }
  }

  // MARK: Notes of objects

  func noteChange(of object: ManagedObject) {
    queue.check()
    note(object)
  }

  private func note(_ object: ManagedObject) {
    pending.insert(object)
    guard let didChangeObject else { return }
    object.state.insert(.observed)
    didChangeObject(object)
  }

  /// An attribute has the value again that the parent has: where it was the only edit, nothing is left to be saved.
  func noteRevertedEdit(of object: ManagedObject) {
    guard object.changedAttributes.isEmpty else { return }
    object.snapshot = nil
    settlePending(object)
  }

  /// An object without edits is pending only to be deleted.
  func settlePending(_ object: ManagedObject) {
    if object.snapshot == nil && !object.isInserted && !object.isDeleted { pending.remove(object) }
  }

  /// Calls `body` with each object whose values change here, by an edit or not; those who were told before still are.
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
      // Its row could not be read, so there is nothing that the edit could be laid over.
      defects.append(faultError ?? .notFound(object.id))
      return
    }
    let isKnown = Int(object.id.entity) < model.entities.count
    defects.append(
      .validation(
        ValidationError(
          entity: isKnown ? model[object.id.entity].name : "\(Swift.type(of: object))",
          attribute: "attribute \(index)", object: object.id,
          cause: isKnown ? .unknownAttribute : .unknownEntity)))
  }
}

extension ManagedObject {
  /// Whether the object is a pair of a many-to-many relationship, of which only contexts know.
  final var isPair: Bool { type(of: self) == JoinObject.self }
}

/// Tells contexts without a queue from each other in messages.
private let contextNumbers = Atomic<Int>(0)

@available(*, unavailable, message: "a context stays on its queue; call perform on its owner")
extension ManagedObjectContext: Sendable {}
