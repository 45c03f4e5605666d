extension ManagedObjectContext {
  /// Adds an object's violations of the model.
  ///
  /// - Parameters:
  ///   - indices: The attributes to check; nil for all.
  ///   - store: The store where new objects are saved.
  func check(
    _ object: ManagedObject, attributes indices: [Int]?, in store: StoreNumber,
    _ violations: inout [ValidationError]
  ) {
    // Every value in every saved object passes here. Descriptions are read in place, because copying one
    // costs more than its check.
    let attributes = model[object.id.entity].attributes
    for index in indices ?? Array(attributes.indices) {
      let value = object.values[index]
      let cause: ValidationError.Cause? =
        switch value {
        case .null, .reference(.none): attributes[index].isOptional ? nil : .missingValue
        case .reference(let id) where attributes[index].type == .reference:
          isBroken(id, of: object, at: attributes[index].index, in: store) ? .brokenRelationship : nil
        case .real(let number) where number.isNaN, .date(let number) where number.isNaN: .notANumber
        default: attributes[index].type.accepts(value) ? nil : .wrongType(expected: attributes[index].type)
        }
      if let cause { violations.append(validationError(object, at: index, cause)) }
    }
  }

  /// Returns whether a reference leads to an object that cannot be saved with the referring object.
  private func isBroken(
    _ id: ManagedObjectID, of object: ManagedObject, at attribute: Int, in store: StoreNumber
  ) -> Bool {
    guard id.entity == model.destination(of: attribute, in: object.id.entity),
      id.isTemporary || id.store == (object.id.isTemporary ? store : object.id.store),
      object.isGone || objects[id].map({ !$0.isDeleted }) ?? true,
      !id.isTemporary || parent is any ContextOwner || objects[id]?.isInserted == true
    else { return true }
    return false
  }

  private func validationError(
    _ object: ManagedObject, at index: Int, _ cause: ValidationError.Cause
  ) -> ValidationError {
    guard case .brokenRelationship = cause else {
      let entity = model[object.id.entity]
      return ValidationError(
        entity: entity.name, attribute: entity.attributes[index].name, object: object.id, cause: cause)
    }
    return model.brokenReference(of: object.id, attribute: index) { attribute in
      if case .reference(let end) = object.values[attribute] { end } else { nil }
    }
  }

  /// Applies deleted objects' delete rules to the related objects. It runs before their next use.
  ///
  /// It runs one query for each relationship, for all objects deleted together.
  func applyDeleteRules() throws(StoreError) {
    while !unruled.isEmpty {
      let deleted = unruled.filter(\.isDeleted)
      unruled = []
      do throws(StoreError) {
        for (entity, objects) in Dictionary(grouping: deleted, by: \.id.entity) {
          for relation in model.relations[Int(entity)] { try apply(relation, toDeleted: objects) }
        }
      } catch {
        // Applying a rule again has no effect on objects that it already changed.
        unruled += deleted
        throw error
      }
    }
  }

  /// Schedules the delete rules for all deleted objects again, because new references to them may exist.
  func applyDeleteRulesAgain() {
    // An object that was never saved is no longer pending.
    unruled.removeAll { !$0.isInserted }
    for entity in pending.entities where !model.relations[Int(entity)].isEmpty {
      unruled += pending[entity].values.filter(\.isDeleted)
    }
  }

  /// Returns the violations of deleted objects that have a relationship with the rule "deny" to an object that
  /// stays.
  func deniedDeletions() throws(StoreError) -> [ValidationError] {
    var violations: [ValidationError] = []
    for entity in pending.entities {
      let denying = model.relations[Int(entity)].filter { $0.deleteRule == .deny }
      for relation in denying {
        for object in pending[entity].values where object.isDeleted {
          guard try relatedObjects(of: object, relation).contains(where: { !$0.isDeleted }) else { continue }
          violations.append(
            ValidationError(
              entity: model[entity].name, attribute: relation.name, object: object.id, cause: .deleteDenied))
        }
      }
    }
    return violations
  }

  /// Applies one rule to objects of one entity. The next round handles the objects that it deletes.
  private func apply(_ relation: Relation, toDeleted objects: [ManagedObject]) throws(StoreError) {
    let owners = objects.map { AttributeValue.reference($0.id) }
    switch (relation.deleteRule, relation.storage) {
    case (.deny, .join): break
    case (_, .join(let join, let here, let there)):
      let pairs = try rows(StoreQuery(entity: join, predicate: .among(here, owners)), isRuled: true)
      for pair in (0..<pairs.count).map({ register(pairs, $0) }) {
        delete(pair)
        guard relation.deleteRule == .cascade, case .reference(let id) = pair.values[there] else { continue }
        if let other = object(with: id) { delete(other) }
      }
      generations[Int(join)] += 1
    case (.cascade, .attribute(let attribute)):
      try read(objects.filter(\.isFault))
      for case .reference(let id) in objects.map({ $0.values[attribute] }) {
        if let other = object(with: id) { delete(other) }
      }
    case (.cascade, .inverse(let attribute)):
      let others = try rows(
        StoreQuery(entity: relation.destination, predicate: .among(attribute, owners)), isRuled: true)
      for row in 0..<others.count { delete(register(others, row)) }
    case (.nullify, .inverse(let attribute)):
      let others = try rows(
        StoreQuery(entity: relation.destination, predicate: .among(attribute, owners)), isRuled: true)
      for row in 0..<others.count { register(others, row).setValue(.null, at: attribute) }
    default: break
    }
  }
}
