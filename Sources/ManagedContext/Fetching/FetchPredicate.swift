/// Which objects a fetch wants, made from key paths: `\Book.pages > 100 && \Book.title != "Emma"`.
///
/// The compiler checks that the attribute belongs to the class and that the value has its type. A property that is
/// no attribute of the model is found when the request is made: ``StoreError/validation(_:)``.
public struct FetchPredicate<Object: ManagedObject>: Sendable {
  let resolve: @Sendable (ManagedObjectModel) throws(StoreError) -> StorePredicate

  init(_ resolve: @escaping @Sendable (ManagedObjectModel) throws(StoreError) -> StorePredicate) {
    self.resolve = resolve
  }

  /// The objects with these IDs.
  public static func ids(_ ids: [ManagedObjectID]) -> FetchPredicate {
    FetchPredicate { (_) throws(StoreError) in .ids(ids) }
  }

  /// All objects (true) or none (false).
  public static func constant(_ holds: Bool) -> FetchPredicate {
    FetchPredicate { (_) throws(StoreError) in holds ? .all([]) : .any([]) }
  }

  /// The attribute has one of these values; nil among them means: no value.
  public static func among<Value: AttributeConvertible>(
    _ path: any KeyPath<Object, Value> & Sendable, _ values: [Value]
  ) -> FetchPredicate {
    let values = values.map(\.attributeValue)
    return FetchPredicate { (model) throws(StoreError) in
      .among(try model.attribute(at: path).index, values)
    }
  }

  /// The text begins with another, byte by byte.
  public static func hasPrefix<Text: TextAttribute>(
    _ path: any KeyPath<Object, Text> & Sendable, _ prefix: String
  ) -> FetchPredicate {
    FetchPredicate { (model) throws(StoreError) in
      .match(try model.attribute(at: path).index, .prefix, prefix)
    }
  }

  /// The text has another somewhere in it, byte by byte.
  public static func contains<Text: TextAttribute>(
    _ path: any KeyPath<Object, Text> & Sendable, _ part: String
  ) -> FetchPredicate {
    FetchPredicate { (model) throws(StoreError) in .match(try model.attribute(at: path).index, .part, part) }
  }

  /// The relationship leads to an object for which a predicate holds.
  public static func to<Other: ManagedObject>(
    _ path: any KeyPath<Object, Other?> & Sendable, where predicate: FetchPredicate<Other>
  ) -> FetchPredicate {
    FetchPredicate { (model) throws(StoreError) in
      let relation = try model.relation(at: path)
      return try relation.predicate(that: predicate.resolve(model))
    }
  }

  /// The relationship leads to at least one object for which a predicate holds.
  public static func to<Other: ManagedObject>(
    some path: any KeyPath<Object, [Other]> & Sendable, where predicate: FetchPredicate<Other>
  ) -> FetchPredicate {
    FetchPredicate { (model) throws(StoreError) in
      let relation = try model.relation(at: path)
      return try relation.predicate(that: predicate.resolve(model))
    }
  }

  /// The attribute holds the ID of an object for which a predicate holds.
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

  /// The object's ID is what an attribute of some other object holds, for which a predicate holds.
  public static func referenced<Other: ManagedObject, Reference: ReferenceAttribute>(
    by path: any KeyPath<Other, Reference> & Sendable, where predicate: FetchPredicate<Other>
  ) -> FetchPredicate {
    FetchPredicate { (model) throws(StoreError) in
      let (entity, attribute) = try model.attribute(at: path)
      let query = StoreQuery(entity: entity, predicate: try predicate.resolve(model), columns: [attribute])
      return .amongRows(nil, of: query)
    }
  }

  /// Both hold.
  public static func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    FetchPredicate { (model) throws(StoreError) in .all([try left.resolve(model), try right.resolve(model)]) }
  }

  /// One of the two holds.
  public static func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    FetchPredicate { (model) throws(StoreError) in .any([try left.resolve(model), try right.resolve(model)]) }
  }

  /// It does not hold.
  public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate {
    FetchPredicate { (model) throws(StoreError) in .not(try predicate.resolve(model)) }
  }

  fileprivate static func compare<Value: AttributeConvertible>(
    _ path: any KeyPath<Object, Value> & Sendable, _ comparison: StorePredicate.Comparison,
    _ value: AttributeValue
  ) -> FetchPredicate {
    FetchPredicate { (model) throws(StoreError) in
      .compare(try model.attribute(at: path).index, comparison, value)
    }
  }
}

/// An attribute that holds text: `String` and `String?`.
public protocol TextAttribute: AttributeConvertible {}
extension String: TextAttribute {}
extension Optional: TextAttribute where Wrapped: TextAttribute {}

/// An attribute that holds the ID of an object: ``ManagedObjectID``, optional or not.
public protocol ReferenceAttribute: AttributeConvertible {}
extension ManagedObjectID: ReferenceAttribute {}
extension Optional: ReferenceAttribute where Wrapped: ReferenceAttribute {}

/// The attribute has this value; nil: it has none.
public func == <Object: ManagedObject, Value: AttributeConvertible>(
  path: any KeyPath<Object, Value> & Sendable, value: Value
) -> FetchPredicate<Object> { .compare(path, .equal, value.attributeValue) }

/// The attribute has another value, or none.
public func != <Object: ManagedObject, Value: AttributeConvertible>(
  path: any KeyPath<Object, Value> & Sendable, value: Value
) -> FetchPredicate<Object> { .compare(path, .notEqual, value.attributeValue) }

/// The attribute is smaller; no value never is.
public func < <Object: ManagedObject, Value: AttributeConvertible>(
  path: any KeyPath<Object, Value> & Sendable, value: Value
) -> FetchPredicate<Object> { .compare(path, .less, value.attributeValue) }

/// The attribute is smaller or the same; no value never is.
public func <= <Object: ManagedObject, Value: AttributeConvertible>(
  path: any KeyPath<Object, Value> & Sendable, value: Value
) -> FetchPredicate<Object> { .compare(path, .lessOrEqual, value.attributeValue) }

/// The attribute is greater; no value never is.
public func > <Object: ManagedObject, Value: AttributeConvertible>(
  path: any KeyPath<Object, Value> & Sendable, value: Value
) -> FetchPredicate<Object> { .compare(path, .greater, value.attributeValue) }

/// The attribute is greater or the same; no value never is.
public func >= <Object: ManagedObject, Value: AttributeConvertible>(
  path: any KeyPath<Object, Value> & Sendable, value: Value
) -> FetchPredicate<Object> { .compare(path, .greaterOrEqual, value.attributeValue) }

/// The relationship leads to this object; nil: it leads nowhere.
public func == <Object: ManagedObject, Other: ManagedObject>(
  path: any KeyPath<Object, Other?> & Sendable, id: ManagedObjectID?
) -> FetchPredicate<Object> { related(path, .equal, id) }

/// The relationship leads elsewhere; nil: it leads somewhere.
public func != <Object: ManagedObject, Other: ManagedObject>(
  path: any KeyPath<Object, Other?> & Sendable, id: ManagedObjectID?
) -> FetchPredicate<Object> { related(path, .notEqual, id) }

private func related<Object: ManagedObject, Other: ManagedObject>(
  _ path: any KeyPath<Object, Other?> & Sendable, _ comparison: StorePredicate.Comparison,
  _ id: ManagedObjectID?
) -> FetchPredicate<Object> {
  FetchPredicate { (model) throws(StoreError) in
    .compare(try model.attribute(at: path).index, comparison, id?.attributeValue ?? .null)
  }
}

extension Relation {
  /// The objects whose relationship leads to some for which a predicate holds.
  fileprivate func predicate(that predicate: StorePredicate) -> StorePredicate {
    let others = StoreQuery(entity: destination, predicate: predicate)
    switch storage {
    case .attribute(let attribute): return .amongRows(attribute, of: others)
    case .inverse(let attribute):
      return .amongRows(nil, of: StoreQuery(entity: destination, predicate: predicate, columns: [attribute]))
    case .join(let join, let here, let there):
      let pairs = StoreQuery(entity: join, predicate: .amongRows(there, of: others), columns: [here])
      return .amongRows(nil, of: pairs)
    }
  }
}
