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

  /// Does to the objects that deleted ones lead to what the delete rules say; called before anybody looks.
  func applyDeleteRules() throws(StoreError) {
    guard !unruled.isEmpty else { return }
    var waiting = unruled
    unruled = []
    while let object = waiting.popLast() {
      for relation in model.relations[Int(object.id.entity)] {
        do throws(StoreError) {
          waiting += try apply(relation, toDeleted: object)
        } catch {
          unruled = waiting + [object]
          throw error
        }
      }
    }
  }

  /// Checks that nothing is deleted while a relationship with the rule "deny" leads to something that stays.
  ///
  /// - Throws: ``StoreError/validation(_:)`` that names the first such object.
  func checkDeniedDeletions() throws(StoreError) {
    for (entity, objects) in pending {
      let denying = model.relations[Int(entity)].filter { $0.deleteRule == .deny }
      for relation in denying {
        for object in objects.values where object.isDeleted {
          guard try relatedObjects(of: object, relation).contains(where: { !$0.isDeleted }) else { continue }
          throw .validation(
            ValidationError(
              entity: model[entity].name, attribute: relation.name, object: object.id, cause: .deleteDenied))
        }
      }
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
      generations[Int(join)] += 1
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
