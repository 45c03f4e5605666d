extension ManagedObjectContext {
  /// Returns the to-many relationship for a key. For another entity's key, returns nil and makes the next
  /// save fail.
  func relation<Destination>(_ key: ToManyKey<Destination>, of object: ManagedObject) -> Relation? {
    queue.check()
    let isKnown = Int(object.id.entity) < model.entities.count
    let relations = isKnown ? model.relations[Int(object.id.entity)] : []
    if let relation = relations.first(where: { $0.isToMany && $0.toManyIndex == key.index }) {
      return relation
    }
    noteDefect(
      .validation(
        ValidationError(
          entity: isKnown ? model[object.id.entity].name : "\(Swift.type(of: object))", attribute: key.name,
          object: object.id, cause: .unknownAttribute)))
    return nil
  }

  /// Returns the objects that a relationship leads to, including unsaved changes.
  func relatedObjects(of object: ManagedObject, _ relation: Relation) throws(StoreError) -> [ManagedObject] {
    if case .attribute(let attribute) = relation.storage {
      if object.isFault { try read([object]) }
      guard case .reference(let id) = object.knownValue(at: attribute) else { return [] }
      return [self.object(with: id)].compactMap { $0 }
    }
    return try readRelatedIDs(of: object, relation).compactMap { self.object(with: $0) }
  }

  /// Returns the IDs that a to-many relationship leads to, from memory unless they may have changed since the
  /// read.
  func relatedIDs(of object: ManagedObject, _ relation: Relation) -> [ManagedObjectID] {
    if isKnown(relation, of: object) { return object.related[relation.toManyIndex]?.ids ?? [] }
    do throws(StoreError) {
      let ids = try readRelatedIDs(of: object, relation)
      setRelated(ids, of: object, relation)
      noteRead(of: object)
      return ids
    } catch {
      noteFailedRead(error, of: object)
      return []
    }
  }

  private func readRelatedIDs(
    of object: ManagedObject, _ relation: Relation
  ) throws(StoreError) -> [ManagedObjectID] {
    let own = AttributeValue.reference(object.id)
    var query = StoreQuery(entity: relation.destination, columns: [])
    switch relation.storage {
    case .attribute: return []
    case .inverse(let attribute): query.predicate = .compare(attribute, .equal, own)
    case .join(let join, let here, let there):
      let pairs = StoreQuery(entity: join, predicate: .compare(here, .equal, own), columns: [there])
      query.predicate = .amongRows(nil, of: pairs)
    }
    let rows = try rows(query)
    readChanged(among: rows)
    return rows.ids
  }

  func setRelated(_ ids: [ManagedObjectID], of object: ManagedObject, _ relation: Relation) {
    let known = RelatedObjects(ids: ids, generation: generation(of: relation))
    while object.related.count <= relation.toManyIndex { object.related.append(nil) }
    object.related[relation.toManyIndex] = known
  }

  private func generation(of relation: Relation) -> Int {
    let own = generations[Int(relation.destination)]
    if case .join(let join, _, _) = relation.storage { return own &+ generations[Int(join)] }
    return own
  }

  // MARK: Changes

  /// Replaces the objects in a to-many relationship.
  func replaceRelated(of object: ManagedObject, _ relation: Relation, with others: [ManagedObject]) {
    let there = relatedIDs(of: object, relation)
    let wanted = Set(others.map(\.id))
    let known = Set(there)
    // Set the known IDs aside: otherwise each of many changes would update them.
    if relation.toManyIndex < object.related.count { object.related[relation.toManyIndex] = nil }
    let removed = there.filter { !wanted.contains($0) }
    unlink(object, removed, relation)
    var seen = known
    for other in others where seen.insert(other.id).inserted { join(object, other, relation) }
    if faultError == nil {
      setRelated(
        there.filter(wanted.contains) + others.map(\.id).filter { !known.contains($0) }.uniqued(), of: object,
        relation)
    }
  }

  /// - Returns: False if the two were related before.
  func link(_ object: ManagedObject, _ other: ManagedObject, _ relation: Relation) -> Bool {
    switch relation.storage {
    case .attribute: return false
    case .inverse(let attribute):
      if other.isFault { other.fire() }
      if other.knownValue(at: attribute) == .reference(object.id) { return false }
    case .join: if isRelated(object, to: other.id, relation) { return false }
    }
    join(object, other, relation)
    return true
  }

  /// Returns true if a to-many relationship leads to an object.
  private func isRelated(_ object: ManagedObject, to id: ManagedObjectID, _ relation: Relation) -> Bool {
    _ = relatedIDs(of: object, relation)
    return isKnown(relation, of: object) && object.related[relation.toManyIndex]?.contains(id) ?? false
  }

  /// Returns true if a to-many relationship's IDs are in memory and up to date.
  private func isKnown(_ relation: Relation, of object: ManagedObject) -> Bool {
    relation.toManyIndex < object.related.count
      && object.related[relation.toManyIndex]?.generation == generation(of: relation)
  }

  private func join(_ object: ManagedObject, _ other: ManagedObject, _ relation: Relation) {
    switch relation.storage {
    case .attribute: break
    case .inverse(let attribute): other.setValue(.reference(object.id), at: attribute)
    case .join(let join, let here, _):
      let ends: [AttributeValue] = [.reference(object.id), .reference(other.id)]
      _ = insert(JoinObject.self, .makeTemporary(entity: join), here == 0 ? ends : ends.reversed())
      changeRelated(of: object.id, relation) { $0.append(other.id) }
      if let inverse = model.inverse(of: relation) {
        changeRelated(of: other.id, inverse) { $0.append(object.id) }
      }
    }
  }

  func unlink(_ object: ManagedObject, _ others: [ManagedObjectID], _ relation: Relation) {
    guard !others.isEmpty else { return }
    switch relation.storage {
    case .attribute: break
    case .inverse(let attribute):
      do throws(StoreError) {
        try readFaults(Set(others))
      } catch {
        noteFailedRead(error, of: object)
      }
      for other in others.compactMap({ self.object(with: $0) }) {
        guard attribute < other.values.count, other.values[attribute] == .reference(object.id) else {
          continue
        }
        other.setValue(.null, at: attribute)
      }
    case .join(let join, let here, let there):
      let pair = StorePredicate.all([
        .compare(here, .equal, .reference(object.id)),
        .among(there, others.map(AttributeValue.reference)),
      ])
      do throws(StoreError) {
        let rows = try rows(StoreQuery(entity: join, predicate: pair))
        for row in 0..<rows.count { delete(register(rows, row)) }
        changeRelated(of: object.id, relation) { related in others.forEach { related.remove($0) } }
        if let inverse = model.inverse(of: relation) {
          for other in others { changeRelated(of: other, inverse) { $0.remove(object.id) } }
        }
      } catch {
        noteFailedRead(error, of: object)
      }
    }
  }

  /// Updates the known IDs in the inverse relationship after a reference attribute changed.
  func noteReference(
    of object: ManagedObject, attribute: Int, from old: AttributeValue, to new: AttributeValue
  ) {
    guard let destination = model.destination(of: attribute, in: object.id.entity),
      let inverse = model.relations[Int(destination)].first(where: { $0.isInverse(of: attribute, in: object) }
      )
    else { return }
    if case .reference(let id) = old { changeRelated(of: id, inverse) { $0.remove(object.id) } }
    if case .reference(let id) = new { changeRelated(of: id, inverse) { $0.append(object.id) } }
  }

  /// Changes the known IDs in an object's relationship, if they are in memory.
  private func changeRelated(
    of id: ManagedObjectID, _ relation: Relation, _ change: (inout RelatedObjects) -> Void
  ) {
    guard let object = objects[id], isKnown(relation, of: object),
      var known = object.related[relation.toManyIndex]
    else { return }
    // Take the value out while it changes: the list may be long and must not be copied.
    object.related[relation.toManyIndex] = nil
    change(&known)
    object.related[relation.toManyIndex] = known
  }

  /// Records that a new object's to-many relationships are empty, so that they need not be read.
  func noteNothingRelated(to object: ManagedObject) {
    for relation in model.relations[Int(object.id.entity)] where relation.isToMany {
      setRelated([], of: object, relation)
    }
  }

  /// Marks the known IDs in all relationships to an object as outdated, so that they are read again.
  func forgetRelated(to object: ManagedObject) {
    // The deletion of a pair updates the relationships at its ends itself.
    if object.isPair { return }
    generations[Int(object.id.entity)] += 1
  }

  // MARK: Without objects

  /// Returns the IDs that a to-many relationship leads to, without creating objects, including unsaved changes.
  ///
  /// - Parameters:
  ///   - path: The relationship.
  ///   - ids: The objects with the relationship; nil for all.
  /// - Returns: The IDs by object, each oldest first. Objects with an empty relationship are left out.
  public func fetchRelatedIDs<Object: ManagedObject, Destination: ManagedObject>(
    _ path: any KeyPath<Object, [Destination]> & Sendable, of ids: [ManagedObjectID]?
  ) throws(StoreError) -> [ManagedObjectID: [ManagedObjectID]] {
    try related(model.relation(at: PropertyPath(toMany: path)), to: ids)
  }

  /// Returns the IDs that one object's to-many relationship leads to, including unsaved changes. They are read in
  /// parts, so that a million take little memory.
  public func fetchRelatedIDs<Object: ManagedObject, Destination: ManagedObject>(
    _ path: any KeyPath<Object, [Destination]> & Sendable, of id: ManagedObjectID
  ) throws(StoreError) -> ManagedObjectIDSet {
    let relation = try model.relation(at: PropertyPath(toMany: path))
    guard let (entity, here, end) = relation.pairs, let there = end else {
      return ManagedObjectIDSet(try related(relation, to: [id]).values.joined())
    }
    var found = ManagedObjectIDSet()
    var last: AttributeValue?
    while true {
      let isOwn = StorePredicate.compare(here, .equal, .reference(id))
      let part = try rows(
        StoreQuery(
          entity: entity, predicate: last.map { .all([isOwn, .compare(there, .greater, $0)]) } ?? isOwn,
          sort: [StoreSort(attribute: there, isAscending: true)], limit: Self.relatedPart, columns: [there]))
      for row in 0..<part.count {
        guard case .reference(let other) = part.value(row: row, column: 0, model: model) else { continue }
        found.insert(other)
        last = .reference(other)
      }
      guard part.count == Self.relatedPart else { return found }
    }
  }

  private static var relatedPart: Int { 4096 }

  /// Counts the objects that a to-many relationship leads to, without reading it, including unsaved changes.
  public func countRelated<Object: ManagedObject, Destination: ManagedObject>(
    _ path: any KeyPath<Object, [Destination]> & Sendable, of id: ManagedObjectID
  ) throws(StoreError) -> Int {
    let relation = try model.relation(at: PropertyPath(toMany: path))
    guard let (entity, here, _) = relation.pairs else { return 0 }
    return try countRows(StoreQuery(entity: entity, predicate: .compare(here, .equal, .reference(id))))
  }

  func related(
    _ relation: Relation, to ids: [ManagedObjectID]?
  ) throws(StoreError) -> [ManagedObjectID: [ManagedObjectID]] {
    guard let (entity, here, there) = relation.pairs else { return [:] }
    let owners = ids.map { StorePredicate.among(here, $0.map(AttributeValue.reference)) }
    let pairs = try rows(
      StoreQuery(entity: entity, predicate: owners, columns: [here] + (there.map { [$0] } ?? [])))
    var found: [ManagedObjectID: [ManagedObjectID]] = [:]
    for row in 0..<pairs.count {
      guard case .reference(let owner) = pairs.value(row: row, column: 0, model: model) else { continue }
      guard there != nil else {
        found[owner, default: []].append(pairs.id(row: row))
        continue
      }
      guard case .reference(let other) = pairs.value(row: row, column: 1, model: model) else { continue }
      found[owner, default: []].append(other)
    }
    guard there != nil else { return found }
    return found.mapValues { others in
      var ids: [ManagedObjectID] = []
      // This context and its parent may each have an unsaved pair for the same two objects.
      for id in others.sorted(by: { $0.precedes($1) }) where ids.last != id { ids.append(id) }
      return ids
    }
  }

  func readFaults(_ ids: Set<ManagedObjectID>) throws(StoreError) {
    try read(ids.compactMap { object(with: $0) }.filter(\.isFault))
  }
}

extension Relation {
  /// The rows that a to-many relationship consists of: their entity, the attribute that refers to the
  /// relationship's own object, and the one that refers to the related object; nil if the row is that object.
  var pairs: (entity: EntityIndex, here: Int, there: Int?)? {
    switch storage {
    case .attribute: nil
    case .inverse(let attribute): (destination, attribute, nil)
    case .join(let join, let here, let there): (join, here, there)
    }
  }

  fileprivate var isToMany: Bool {
    if case .attribute = storage { false } else { true }
  }

  /// Returns true if this relationship is stored in the given attribute of the object.
  fileprivate func isInverse(of attribute: Int, in object: ManagedObject) -> Bool {
    if case .inverse(attribute) = storage { destination == object.id.entity } else { false }
  }
}

extension [ManagedObjectID] {
  /// Returns the IDs without later duplicates.
  fileprivate func uniqued() -> [ManagedObjectID] {
    var seen: Set<ManagedObjectID> = []
    return filter { seen.insert($0).inserted }
  }
}
