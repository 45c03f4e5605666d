extension ManagedObjectContext {
  /// Adds a batch to the next save. Its rows go to the store without becoming objects.
  ///
  /// The save fails with ``StoreError/validation(_:)`` if a value breaks a rule in the model. It also fails
  /// if the batch names unknown attributes, or attributes that are not unique together.
  public func insert(_ batch: BatchUpsert) {
    queue.check()
    if let error = batch.firstError(in: model, parent.writtenStoreNumber) {
      noteDefect(.validation(error))
    } else if batch.rows.count > 0 {
      batches.append(.upsert(batch))
    }
  }

  /// Adds new values for rows to the next save, without objects.
  ///
  /// The save fails with ``StoreError/conflict(_:)`` if another context has changed a row since it was read.
  /// It fails with ``StoreError/validation(_:)`` if the batch names unknown attributes, or if a value breaks
  /// a rule in the model.
  public func edit(_ batch: BatchEdit) {
    queue.check()
    if let error = batch.firstError(in: model, parent.writtenStoreNumber) {
      noteDefect(.validation(error))
    } else if batch.rows.count > 0 {
      batches.append(.edit(batch))
    }
  }

  /// Adds an update to the next save: the store gives these values to all matching objects, over any edits
  /// made here.
  ///
  /// The objects are not read, and their versions are not compared. The did-save notification contains their
  /// IDs.
  ///
  /// - Parameters:
  ///   - type: The objects' class.
  ///   - predicate: The objects to update; nil for all.
  ///   - assignments: The new values; if empty, nothing is done.
  /// - Throws: ``StoreError/validation(_:)`` for a key path that is not an attribute in the model, for nil
  ///   in a required relationship, and for the ID of another entity or store, or of an unsaved object.
  public func updateAll<Object: ManagedObject>(
    _ type: Object.Type, where predicate: FetchPredicate<Object>? = nil,
    set assignments: Assignment<Object>...
  ) throws(StoreError) {
    queue.check()
    var values: [(index: Int, value: AttributeValue)] = []
    for assignment in assignments {
      let (entity, index) = try model.attribute(at: assignment.path)
      let attribute = model[entity].attributes[index]
      switch assignment.value {
      case .reference(let id)
      where id.store != parent.writtenStoreNumber || id.entity != model.destination(of: index, in: entity):
        throw .validation(
          ValidationError(
            entity: model[entity].name, attribute: attribute.name, object: id, cause: .brokenRelationship))
      case .null where !attribute.isOptional:
        throw .validation(
          ValidationError(entity: model[entity].name, attribute: attribute.name, cause: .missingValue))
      default: values.append((index, assignment.value.stored(as: attribute.type)))
      }
    }
    guard !values.isEmpty else { return }
    batches.append(
      .update(
        BatchUpdate(
          entity: try model.entity(of: type), predicate: try predicate?.resolve(model), values: values)))
  }

  /// Adds a deletion to the next save: the store deletes all matching objects, and applies the delete rules of
  /// their to-many relationships, without reading objects.
  ///
  /// - Throws: ``StoreError/validation(_:)`` for a key path that is not an attribute in the model.
  public func deleteAll<Object: ManagedObject>(
    _ type: Object.Type, where predicate: FetchPredicate<Object>? = nil
  ) throws(StoreError) {
    try deleteAll(type, of: nil, where: predicate)
  }

  /// Adds a deletion to the next save: the store deletes the chosen rows that match and still have the
  /// versions that were read.
  ///
  /// - Parameters:
  ///   - type: The objects' class.
  ///   - chosen: The rows; nil for all, in any version.
  ///   - predicate: A further condition, which the store checks in the transaction that deletes; nil for
  ///     none.
  /// - Throws: ``StoreError/validation(_:)`` for a key path that is not an attribute in the model.
  public func deleteAll<Object: ManagedObject>(
    _ type: Object.Type, of chosen: [RowVersion]?, where predicate: FetchPredicate<Object>? = nil
  ) throws(StoreError) {
    queue.check()
    let (entity, predicate) = (try model.entity(of: type), try predicate?.resolve(model))
    batches.append(.delete(BatchDelete(entity: entity, predicate: predicate, chosen: chosen)))
  }

  /// Adds a deletion to the next save that names its entity by its index.
  public func deleteAll(_ batch: BatchDelete) {
    queue.check()
    batches.append(.delete(batch))
  }
}

extension BatchUpsert {
  /// Returns the batch's first violation of the model; nil if it is valid.
  fileprivate func firstError(in model: ManagedObjectModel, _ store: StoreNumber) -> ValidationError? {
    guard Int(rows.entity) < model.entities.count else {
      return ValidationError(entity: "entity \(rows.entity)", cause: .unknownEntity)
    }
    let entity = model[rows.entity]
    let isStray = { (index: Int) in !entity.attributes.indices.contains(index) }
    let stray =
      rows.columns.first(where: isStray) ?? unique.first(where: isStray) ?? kept.first(where: isStray)
      ?? [changeMark, editCounter].compactMap { $0 }.first(where: isStray)
    if let stray {
      return ValidationError(entity: entity.name, attribute: "attribute \(stray)", cause: .unknownAttribute)
    }
    let isConstraint = { (names: [Int]) in names == unique || Set(names) == Set(unique) }
    guard unique.isEmpty || entity.uniqueness.contains(where: isConstraint) else {
      let names = unique.map { entity.attributes[$0].name }.joined(separator: ", ")
      return ValidationError(entity: entity.name, attribute: names, cause: .notUnique)
    }
    return rows.firstError(for: entity, store)
  }
}

extension BatchEdit {
  /// Returns the batch's first violation of the model; nil if it is valid.
  fileprivate func firstError(in model: ManagedObjectModel, _ store: StoreNumber) -> ValidationError? {
    guard Int(rows.entity) < model.entities.count else {
      return ValidationError(entity: "entity \(rows.entity)", cause: .unknownEntity)
    }
    let entity = model[rows.entity]
    if let stray = rows.columns.first(where: { !entity.attributes.indices.contains($0) }) {
      return ValidationError(entity: entity.name, attribute: "attribute \(stray)", cause: .unknownAttribute)
    }
    return rows.firstError(for: entity, store, isWhole: false)
  }
}

extension RowBatch {
  /// Returns the first value that its attribute does not allow; nil if all are valid.
  ///
  /// - Parameter isWhole: True if an attribute without a column gets its default value.
  fileprivate func firstError(
    for entity: EntityDescription, _ store: StoreNumber, isWhole: Bool = true
  ) -> ValidationError? {
    let refersOutside = refersOutside(of: store)
    for attribute in entity.attributes {
      let cause: ValidationError.Cause? =
        if let column = columns.firstIndex(of: attribute.index) {
          error(in: column, for: attribute)
            ?? (refersOutside && attribute.type == .reference && refers(column, outsideOf: store)
              ? .brokenRelationship : nil)
        } else if isWhole && !attribute.isOptional && attribute.defaultValue.isNull {
          .missingValue
        } else {
          nil
        }
      if let cause { return ValidationError(entity: entity.name, attribute: attribute.name, cause: cause) }
    }
    return nil
  }

  private func error(in column: Int, for attribute: AttributeDescription) -> ValidationError.Cause? {
    let (type, isOptional) = (attribute.type, attribute.isOptional)
    for row in 0..<count {
      switch cell(row: row, column: column) {
      case .null: if !isOptional { return .missingValue }
      case .real(let number) where number.isNaN, .date(let number) where number.isNaN: return .notANumber
      case let cell: if !type.accepts(cell) { return .wrongType(expected: type) }
      }
    }
    return nil
  }
}

/// A new value for an attribute, passed to ``ManagedObjectContext/updateAll(_:where:set:)``.
public struct Assignment<Object: ManagedObject>: Sendable {
  let path: PropertyPath<Object>
  let value: AttributeValue

  /// Assigns a value to the attribute.
  public static func set<Value: AttributeConvertible>(
    _ path: any KeyPath<Object, Value> & Sendable, to value: Value
  ) -> Assignment { Assignment(path: PropertyPath(path), value: value.attributeValue) }

  /// Assigns a relationship to at most one object; nil empties it. The object must have been saved.
  public static func set<Other: ManagedObject>(
    _ path: any KeyPath<Object, Other?> & Sendable, to object: Other?
  ) -> Assignment { Assignment(path: PropertyPath(toOne: path), value: (object?.id).attributeValue) }

  /// Assigns a relationship to at most one object, by the object's ID; nil empties it.
  @_disfavoredOverload
  public static func set<Other: ManagedObject>(
    _ path: any KeyPath<Object, Other?> & Sendable, to id: ManagedObjectID?
  ) -> Assignment { Assignment(path: PropertyPath(toOne: path), value: id.attributeValue) }
}

/// Rows with values for some attributes of a class, written without creating objects. Each value has its
/// attribute's type.
public struct ObjectRows<Object: ManagedObject, each Value: AttributeConvertible>: Sendable {
  /// The rows so far, which ``BatchUpsert`` accepts.
  public private(set) var batch: RowBatch
  /// The types of the batch's columns.
  private let types: [AttributeType]

  /// Creates an empty list of rows. The entity's other attributes get their default values.
  ///
  /// - Throws: ``StoreError/validation(_:)`` for a key path that is not an attribute in the model.
  public init(
    _ type: Object.Type, in model: ManagedObjectModel,
    _ paths: repeat any KeyPath<Object, each Value> & Sendable
  ) throws(StoreError) {
    var columns: [Int] = []
    for path in repeat each paths { columns.append(try model.attribute(at: path).index) }
    let entity = try model.entity(of: type)
    types = columns.map { model[entity].attributes[$0].type }
    batch = RowBatch(entity: entity, columns: columns)
  }

  /// Adds a row.
  public mutating func append(_ values: repeat each Value) {
    batch.beginRow()
    var column = 0
    for value in repeat each values {
      batch.append(value.attributeValue.stored(as: types[column]))
      column += 1
    }
  }
}
