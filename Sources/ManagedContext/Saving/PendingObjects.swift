/// A context's next save: exactly the objects with unsaved changes.
///
/// An object is in this set while it is inserted, deleted, or has an attribute that differs from the parent's
/// value. If the last edit is reverted, the object is removed.
struct PendingObjects {
  private var byEntity: [EntityIndex: [ManagedObjectID: ManagedObject]] = [:]
  /// For each object, the number of unsaved many-to-many pairs that have it at an end.
  private var pairsByEnd: [ManagedObjectID: Int] = [:]

  var isEmpty: Bool { byEntity.values.allSatisfy(\.isEmpty) }

  /// All objects, pairs included, in no order.
  var objects: [ManagedObject] { byEntity.values.flatMap(\.values) }

  /// All objects, pairs included, oldest first. Temporary keys decrease with time, and row keys increase.
  var objectsByAge: [ManagedObject] {
    // The keys are extracted first: a sort that asks each object for its key takes five times as long.
    var objects = byEntity.values.flatMap { $0.map { (age: $0.key.key.magnitude, object: $0.value) } }
    objects.sort { $0.age < $1.age }
    return objects.map(\.object)
  }

  /// The objects of an entity, in no order.
  subscript(entity: EntityIndex) -> [ManagedObjectID: ManagedObject] { byEntity[entity] ?? [:] }

  /// The objects' entities. Some may no longer have objects.
  var entities: some Collection<EntityIndex> { byEntity.keys }

  /// The objects with unsaved many-to-many pairs.
  var endsOfPairs: some Collection<ManagedObjectID> { pairsByEnd.keys }

  func hasAny(of entity: EntityIndex) -> Bool { byEntity[entity]?.isEmpty == false }

  func contains(_ object: ManagedObject) -> Bool { byEntity[object.id.entity]?[object.id] != nil }

  func isEndOfPair(_ id: ManagedObjectID) -> Bool { pairsByEnd[id] != nil }

  mutating func insert(_ object: ManagedObject) {
    let isNew = byEntity[object.id.entity, default: [:]].updateValue(object, forKey: object.id) == nil
    if isNew, object.isPair { count(object, by: 1) }
  }

  /// - Returns: True if it was in the set.
  @discardableResult
  mutating func remove(_ object: ManagedObject) -> Bool {
    guard byEntity[object.id.entity]?.removeValue(forKey: object.id) != nil else { return false }
    if object.isPair { count(object, by: -1) }
    return true
  }

  mutating func removeAll() {
    byEntity = [:]
    pairsByEnd = [:]
  }

  /// Replaces IDs at the ends of pairs.
  mutating func renameEnds(_ ids: [ManagedObjectID: ManagedObjectID]) {
    for (old, count) in pairsByEnd {
      guard let new = ids[old] else { continue }
      pairsByEnd[old] = nil
      pairsByEnd[new, default: 0] += count
    }
  }

  private mutating func count(_ pair: ManagedObject, by change: Int) {
    for case .reference(let end) in pair.values {
      let count = pairsByEnd[end, default: 0] + change
      pairsByEnd[end] = count > 0 ? count : nil
    }
  }
}
