extension FetchPredicate {
  /// Selects objects with a relationship to an object that matches a predicate.
  public static func to<Other: ManagedObject>(
    _ path: any KeyPath<Object, Other?> & Sendable, where predicate: FetchPredicate<Other>
  ) -> FetchPredicate {
    related(PropertyPath(toOne: path), where: predicate)
  }

  /// Selects objects with a relationship to at least one object that matches a predicate.
  public static func to<Other: ManagedObject>(
    some path: any KeyPath<Object, [Other]> & Sendable, where predicate: FetchPredicate<Other>
  ) -> FetchPredicate {
    related(PropertyPath(toMany: path), where: predicate)
  }

  /// Selects objects with a relationship to no object that matches a predicate, such as an empty one.
  public static func none<Other: ManagedObject>(
    _ path: any KeyPath<Object, [Other]> & Sendable, where predicate: FetchPredicate<Other>
  ) -> FetchPredicate { !.to(some: path, where: predicate) }

  /// Selects objects with a relationship whose objects all match a predicate, also objects with an empty one.
  public static func all<Other: ManagedObject>(
    _ path: any KeyPath<Object, [Other]> & Sendable, where predicate: FetchPredicate<Other>
  ) -> FetchPredicate { !.to(some: path, where: !predicate) }

  /// Selects objects with an empty relationship.
  public static func isEmpty<Other: ManagedObject>(
    _ path: any KeyPath<Object, [Other]> & Sendable
  ) -> FetchPredicate { !.to(some: path, where: .constant(true)) }

  private static func related<Other: ManagedObject>(
    _ path: PropertyPath<Object>, where predicate: FetchPredicate<Other>
  ) -> FetchPredicate {
    FetchPredicate { (model) throws(StoreError) in
      let relation = try model.relation(at: path)
      return try relation.predicate(that: predicate.resolve(model))
    }
  }

  /// Selects objects with an attribute that holds the ID of an object matching a predicate.
  public static func to<Other: ManagedObject, Reference: ReferenceAttribute>(
    _ path: any KeyPath<Object, Reference> & Sendable, _ objects: Other.Type,
    where predicate: FetchPredicate<Other>
  ) -> FetchPredicate {
    FetchPredicate { (model) throws(StoreError) in
      let query = StoreQuery(
        entity: try model.entity(of: Other.self), predicate: try predicate.resolve(model))
      return .amongRows(try model.attribute(at: path).index, of: query)
    }
  }

  /// Selects objects that another object's attribute refers to by ID, if that other object matches a
  /// predicate.
  public static func referenced<Other: ManagedObject, Reference: ReferenceAttribute>(
    by path: any KeyPath<Other, Reference> & Sendable, where predicate: FetchPredicate<Other>
  ) -> FetchPredicate {
    FetchPredicate { (model) throws(StoreError) in
      let (entity, attribute) = try model.attribute(at: path)
      let query = StoreQuery(entity: entity, predicate: try predicate.resolve(model), columns: [attribute])
      return .amongRows(nil, of: query)
    }
  }
}

/// The number of objects in a to-many relationship, compared in a predicate (`.count(\.books) > 3`) or as an order
/// (`.descending(.count(\.books))`).
public struct RelationshipCount<Object: ManagedObject>: Sendable {
  private let relation: @Sendable (ManagedObjectModel) throws(StoreError) -> Relation
  /// The condition for the related objects; nil for all.
  private let condition: FetchPredicate<Object>.Resolution?

  /// The number of objects that a relationship leads to.
  ///
  /// - Parameters:
  ///   - path: The relationship.
  ///   - predicate: The condition that related objects must match to be counted; nil for all.
  public static func count<Other: ManagedObject>(
    _ path: any KeyPath<Object, [Other]> & Sendable, where predicate: FetchPredicate<Other>? = nil
  ) -> RelationshipCount {
    let path = PropertyPath(toMany: path)
    return RelationshipCount(
      relation: { (model) throws(StoreError) in try model.relation(at: path) }, condition: predicate?.resolve)
  }

  /// Returns the query whose rows are counted; see ``StorePredicate/count(of:_:_:)``.
  func references(_ model: ManagedObjectModel) throws(StoreError) -> StoreQuery {
    try relation(model).references(that: try condition?(model) ?? .all([]), counting: true)
  }

  private func compare(_ comparison: StorePredicate.Comparison, _ number: Int) -> FetchPredicate<Object> {
    FetchPredicate { (model) throws(StoreError) in
      let relation = try relation(model)
      let condition = try condition?(model) ?? .all([])
      // Whether rows exist can be found without counting them.
      return switch (comparison, number) {
      case (.greater, 0), (.greaterOrEqual, 1), (.notEqual, 0): relation.predicate(that: condition)
      case (.equal, 0), (.less, 1), (.lessOrEqual, 0): .not(relation.predicate(that: condition))
      default: .count(of: try references(model), comparison, number)
      }
    }
  }

  /// Selects objects with this number of related objects.
  public static func == (count: RelationshipCount, number: Int) -> FetchPredicate<Object> {
    count.compare(.equal, number)
  }

  /// Selects objects with another number of related objects.
  public static func != (count: RelationshipCount, number: Int) -> FetchPredicate<Object> {
    count.compare(.notEqual, number)
  }

  /// Selects objects with fewer related objects.
  public static func < (count: RelationshipCount, number: Int) -> FetchPredicate<Object> {
    count.compare(.less, number)
  }

  /// Selects objects with at most this number of related objects.
  public static func <= (count: RelationshipCount, number: Int) -> FetchPredicate<Object> {
    count.compare(.lessOrEqual, number)
  }

  /// Selects objects with more related objects.
  public static func > (count: RelationshipCount, number: Int) -> FetchPredicate<Object> {
    count.compare(.greater, number)
  }

  /// Selects objects with at least this number of related objects.
  public static func >= (count: RelationshipCount, number: Int) -> FetchPredicate<Object> {
    count.compare(.greaterOrEqual, number)
  }
}

/// Selects objects with a relationship to this object; nil selects objects with an empty relationship.
public func == <Object: ManagedObject, Other: ManagedObject>(
  path: any KeyPath<Object, Other?> & Sendable, id: ManagedObjectID?
) -> FetchPredicate<Object> { .compare(PropertyPath(toOne: path), .equal, id) }

/// Selects objects without a relationship to this object; nil selects objects with a relationship to any
/// object.
public func != <Object: ManagedObject, Other: ManagedObject>(
  path: any KeyPath<Object, Other?> & Sendable, id: ManagedObjectID?
) -> FetchPredicate<Object> { .compare(PropertyPath(toOne: path), .notEqual, id) }

/// Selects objects with a relationship to this object. For a relationship that may be empty, compare with an ID
/// or nil.
public func == <Object: ManagedObject, Other: ManagedObject>(
  path: any KeyPath<Object, Other?> & Sendable, object: Other
) -> FetchPredicate<Object> { path == object.id }

/// Selects objects without a relationship to this object.
public func != <Object: ManagedObject, Other: ManagedObject>(
  path: any KeyPath<Object, Other?> & Sendable, object: Other
) -> FetchPredicate<Object> { path != object.id }

extension Relation {
  /// Returns the predicate for objects with this relationship to an object that matches `predicate`.
  fileprivate func predicate(that predicate: StorePredicate) -> StorePredicate {
    if case .attribute(let attribute) = storage { return refers(attribute, predicate) }
    return .amongRows(nil, of: references(that: predicate))
  }

  /// Returns the query for the references to a to-many relationship's own objects, from related objects that
  /// match `predicate`.
  ///
  /// - Parameter counting: True to add a second column with the related objects to a many-to-many relationship,
  ///   because two contexts may each have an unsaved pair for the same objects.
  fileprivate func references(that predicate: StorePredicate, counting: Bool = false) -> StoreQuery {
    switch storage {
    case .attribute(let attribute), .inverse(let attribute):
      StoreQuery(entity: destination, predicate: predicate, columns: [attribute])
    case .join(let join, let here, let there):
      StoreQuery(
        entity: join, predicate: refers(there, predicate), columns: counting ? [here, there] : [here])
    }
  }

  private func refers(_ attribute: Int, _ predicate: StorePredicate) -> StorePredicate {
    // IDs need no query for the objects that they name.
    if case .ids(let ids) = predicate {
      return .among(attribute, ids.filter { $0.entity == destination }.map(AttributeValue.reference))
    }
    if case .all(let parts) = predicate, parts.isEmpty { return .compare(attribute, .notEqual, .null) }
    return .amongRows(attribute, of: StoreQuery(entity: destination, predicate: predicate))
  }
}
