extension ManagedObjectContext {
  /// Checks an object against the model.
  ///
  /// - Parameter attributes: Those to check, by index; nil for all.
  func validate(_ object: ManagedObject, attributes: [Int]?) throws(StoreError) {
    let entity = model[object.id.entity]
    for index in attributes ?? Array(entity.attributes.indices) {
      let attribute = entity.attributes[index]
      let value = object.values[index]
      if let cause = fault(of: value, for: attribute, of: object) {
        throw .validation(
          ValidationError(entity: entity.name, attribute: attribute.name, object: object.id, cause: cause))
      }
    }
  }

  /// What is wrong with a value; nil when all is well.
  private func fault(
    of value: AttributeValue, for attribute: AttributeDescription, of object: ManagedObject
  ) -> ValidationError.Cause? {
    switch value {
    case .null, .reference(.none): return attribute.isOptional ? nil : .missingValue
    case .reference(let id) where attribute.type == .reference:
      guard id.entity == model.destination(of: attribute.index, in: object.id.entity),
        id.store == object.id.store, objects[id].map({ !$0.isDeleted && !$0.isGone }) ?? true,
        !id.isTemporary || parent is any ContextOwner || objects[id]?.isInserted == true
      else { return .brokenRelationship }
      return nil
    default: return attribute.type.accepts(value) ? nil : .wrongType(expected: attribute.type)
    }
  }

  /// Does to the objects that deleted ones lead to what the delete rules say.
  ///
  /// - Throws: ``StoreError/validation(_:)`` when a rule forbids the deletion.
  func applyDeleteRules() throws(StoreError) {
    let deleted = pending.values.flatMap { $0.values.filter(\.isDeleted) }
    let ruled = deleted.filter { !model.relations[Int($0.id.entity)].isEmpty }
    guard !ruled.isEmpty else { return }
    var waiting = ruled
    var denying: [(object: ManagedObject, relation: Relation)] = []
    while let object = waiting.popLast() {
      for relation in model.relations[Int(object.id.entity)] {
        if relation.deleteRule == .deny {
          denying.append((object, relation))
        } else {
          waiting += try apply(relation, toDeleted: object)
        }
      }
    }
    // Only now is it known what else goes.
    for (object, relation) in denying
    where try relatedObjects(of: object, relation).contains(where: { !$0.isDeleted }) {
      throw .validation(
        ValidationError(
          entity: model[object.id.entity].name, attribute: relation.name, object: object.id,
          cause: .deleteDenied))
    }
  }

  /// Applies one rule.
  ///
  /// - Returns: The objects that are deleted by it.
  private func apply(
    _ relation: Relation, toDeleted object: ManagedObject
  ) throws(StoreError) -> [ManagedObject] {
    switch (relation.deleteRule, relation.storage) {
    case (_, .join(let join, let here, _)):
      let pairs = StoreQuery(
        entity: join, predicate: .compare(here, .equal, .reference(object.id)))
      let rows = try rows(pairs)
      for row in 0..<rows.count { delete(register(rows, row)) }
      return []
    case (.cascade, _):
      let others = try relatedObjects(of: object, relation).filter { !$0.isDeleted }
      others.forEach(delete)
      return others
    case (.nullify, .inverse(let attribute)):
      for other in try relatedObjects(of: object, relation) where !other.isDeleted {
        other.setValue(.null, at: attribute)
      }
      return []
    default: return []
    }
  }
}
