/// Which objects a fetch wants, made from key paths: `\Book.pages > 100 && \Book.title != "Emma"`.
///
/// The compiler checks that the attribute belongs to the class and that the value has its type. A property that is
/// no attribute of the model is found when the request is made: ``StoreError/validation(_:)``.
public struct FetchPredicate<Object: ManagedObject>: Sendable {
  typealias Resolution = @Sendable (ManagedObjectModel) throws(StoreError) -> StorePredicate

  /// How several conditions are one.
  private enum Join {
    case all
    case any
  }

  private let parts: [Resolution]
  /// Nil for a single condition.
  private let join: Join?
  /// How deep conditions stand inside each other; a chain of one kind is one level, however long.
  private let depth: Int
  /// Deeper ones would overflow a store's parser or our stack.
  private static var deepest: Int { 100 }

  init(depth: Int = 0, _ resolve: @escaping Resolution) {
    parts = [resolve]
    join = nil
    self.depth = depth
  }

  private init(_ join: Join, _ left: FetchPredicate, _ right: FetchPredicate) {
    self.join = join
    parts = left.parts(of: join) + right.parts(of: join)
    depth = max(
      left.join == join ? left.depth : left.depth + 1, right.join == join ? right.depth : right.depth + 1)
  }

  /// The conditions that stand side by side in a chain of one kind.
  private func parts(of join: Join) -> [Resolution] {
    self.join == join || self.join == nil ? parts : [resolve]
  }

  /// The predicate as stores understand it.
  ///
  /// - Throws: ``StoreError/validation(_:)`` for a property that is no attribute of the model, and
  ///   ``StoreError/request(_:)`` when conditions stand inside each other too deeply.
  @Sendable func resolve(_ model: ManagedObjectModel) throws(StoreError) -> StorePredicate {
    guard depth <= Self.deepest else {
      throw .request(
        "a predicate with conditions inside each other \(depth) deep; \(Self.deepest) is the most")
    }
    guard let join else { return try parts[0](model) }
    let resolved = try parts.map { (part) throws(StoreError) in try part(model) }
    return join == .all ? .all(resolved) : .any(resolved)
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
      let (entity, index) = try model.attribute(at: path)
      return .among(index, values.filter { model.canRefer(index, of: entity, to: $0) })
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
    FetchPredicate(.all, left, right)
  }

  /// One of the two holds.
  public static func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    FetchPredicate(.any, left, right)
  }

  /// It does not hold.
  public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate {
    FetchPredicate(depth: predicate.depth + 1) { (model) throws(StoreError) in
      .not(try predicate.resolve(model))
    }
  }

  fileprivate static func compare<Value: AttributeConvertible>(
    _ path: any KeyPath<Object, Value> & Sendable, _ comparison: StorePredicate.Comparison,
    _ value: AttributeValue
  ) -> FetchPredicate {
    FetchPredicate { (model) throws(StoreError) in
      let (entity, index) = try model.attribute(at: path)
      return model.canRefer(index, of: entity, to: value)
        ? .compare(index, comparison, value) : comparison == .notEqual ? .all([]) : .any([])
    }
  }
}

extension ManagedObjectModel {
  /// Whether an attribute can have a value; a reference leads to objects of one entity only, and a store knows
  /// references by their numbers alone.
  fileprivate func canRefer(_ attribute: Int, of entity: EntityIndex, to value: AttributeValue) -> Bool {
    guard case .reference(let id) = value, let destination = destination(of: attribute, in: entity) else {
      return true
    }
    return id.entity == destination
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
    let (entity, index) = try model.attribute(at: path)
    let value = id?.attributeValue ?? .null
    return model.canRefer(index, of: entity, to: value)
      ? .compare(index, comparison, value) : comparison == .notEqual ? .all([]) : .any([])
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
