/// A condition that selects objects, built from key paths: `\Book.pages > 100 && \Book.title != "Emma"`.
///
/// The compiler checks that the attribute belongs to the class and that the value has the attribute's type. A
/// property that is not an attribute in the model is reported when the request is made, as
/// ``StoreError/validation(_:)``.
public struct FetchPredicate<Object: ManagedObject>: Sendable {
  typealias Resolution = @Sendable (ManagedObjectModel) throws(StoreError) -> StorePredicate

  /// The operator that combines several conditions.
  private enum Join {
    case all
    case any
  }

  private let parts: [Resolution]
  /// The operator between the parts; nil for a single condition.
  private let join: Join?
  /// The conditions' nesting depth. A chain that uses only `&&`, or only `||`, is one level at any length.
  private let depth: Int
  /// The greatest depth allowed. Deeper predicates would overflow a store's parser or the stack.
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

  /// Returns the conditions to add to a `join` chain: the predicate's parts, or the predicate as one part.
  private func parts(of join: Join) -> [Resolution] {
    self.join == join || self.join == nil ? parts : [resolve]
  }

  /// Returns the predicate in the form that stores use.
  ///
  /// - Throws: ``StoreError/validation(_:)`` if a property is not an attribute in the model, and
  ///   ``StoreError/request(_:)`` if the conditions are nested too deeply.
  @Sendable func resolve(_ model: ManagedObjectModel) throws(StoreError) -> StorePredicate {
    guard depth <= Self.deepest else {
      throw .request(
        "the conditions of a predicate are nested \(depth) deep; the limit is \(Self.deepest)")
    }
    guard let join else { return try parts[0](model) }
    let resolved = try parts.map { (part) throws(StoreError) in try part(model) }
    return join == .all ? .all(resolved) : .any(resolved)
  }

  /// Selects the objects with these IDs.
  public static func ids(_ ids: [ManagedObjectID]) -> FetchPredicate {
    FetchPredicate { (_) throws(StoreError) in .ids(ids) }
  }

  /// Selects all objects (true) or no objects (false).
  public static func constant(_ holds: Bool) -> FetchPredicate {
    FetchPredicate { (_) throws(StoreError) in holds ? .all([]) : .any([]) }
  }

  /// Selects objects with one of these values in an attribute. A nil value selects objects without a value.
  public static func among<Value: AttributeConvertible>(
    _ path: any KeyPath<Object, Value> & Sendable, _ values: [Value]
  ) -> FetchPredicate {
    let values = values.map { $0.attributeValue }
    let path = PropertyPath(path)
    return FetchPredicate { (model) throws(StoreError) in
      try model.condition(at: path, holdsForNull: values.contains(where: \.isNull)) { entity, index in
        let type = model[entity].attributes[index].type
        return .among(
          index, values.map { $0.stored(as: type) }.filter { model.canRefer(index, of: entity, to: $0) })
      }
    }
  }

  /// Selects objects that match both predicates.
  public static func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    FetchPredicate(.all, left, right)
  }

  /// Selects objects that match either predicate, or both.
  public static func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    FetchPredicate(.any, left, right)
  }

  /// Selects objects that do not match a predicate.
  public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate {
    FetchPredicate(depth: predicate.depth + 1) { (model) throws(StoreError) in
      .not(try predicate.resolve(model))
    }
  }

  static func compare(
    _ path: PropertyPath<Object>, _ comparison: StorePredicate.Comparison,
    _ value: some AttributeConvertible
  ) -> FetchPredicate {
    let value = value.attributeValue
    return FetchPredicate { (model) throws(StoreError) in
      try model.condition(at: path, holdsForNull: comparison.holds(.null, value)) { entity, index in
        model.canRefer(index, of: entity, to: value)
          ? .compare(index, comparison, value.stored(as: model[entity].attributes[index].type))
          : comparison == .notEqual ? .all([]) : .any([])
      }
    }
  }
}

extension ManagedObjectModel {
  /// Returns a condition on the attribute at a path, which may lead through a to-one relationship.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - holdsForNull: True if the condition holds without a value, also if the relationship leads to nothing.
  ///   - condition: Returns the condition on an entity's attribute.
  func condition<Object: ManagedObject>(
    at path: PropertyPath<Object>, holdsForNull: Bool,
    _ condition: (EntityIndex, _ attribute: Int) -> StorePredicate
  ) throws(StoreError) -> StorePredicate {
    let (entity, place) = (try entity(of: Object.self), try place(at: path))
    guard let through = place.through, let other = destination(of: through, in: entity) else {
      return condition(entity, place.attribute)
    }
    let found = condition(other, place.attribute)
    func among(_ predicate: StorePredicate) -> StorePredicate {
      .amongRows(through, of: StoreQuery(entity: other, predicate: predicate))
    }
    return holdsForNull ? .not(among(.not(found))) : among(found)
  }

  /// Returns whether an attribute can have a value.
  ///
  /// A reference must lead to an object of the attribute's entity, because a store compares references by key
  /// alone.
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

/// An attribute that holds an object's ID: ``ManagedObjectID``, optional or not.
public protocol ReferenceAttribute: AttributeConvertible {}
extension ManagedObjectID: ReferenceAttribute {}
extension Optional: ReferenceAttribute where Wrapped: ReferenceAttribute {}

/// Selects objects with this value in an attribute; nil selects objects without a value.
public func == <Object: ManagedObject, Value: AttributeConvertible>(
  path: any KeyPath<Object, Value> & Sendable, value: Value
) -> FetchPredicate<Object> { .compare(PropertyPath(path), .equal, value) }

/// Selects objects with another value in an attribute, or without a value; `!= nil` selects objects with any
/// value.
public func != <Object: ManagedObject, Value: AttributeConvertible>(
  path: any KeyPath<Object, Value> & Sendable, value: Value
) -> FetchPredicate<Object> { .compare(PropertyPath(path), .notEqual, value) }

/// Selects objects with a smaller value in an attribute; objects without a value never match.
public func < <Object: ManagedObject, Value: AttributeConvertible>(
  path: any KeyPath<Object, Value> & Sendable, value: Value
) -> FetchPredicate<Object> { .compare(PropertyPath(path), .less, value) }

/// Selects objects with a smaller or equal value in an attribute; objects without a value never match.
public func <= <Object: ManagedObject, Value: AttributeConvertible>(
  path: any KeyPath<Object, Value> & Sendable, value: Value
) -> FetchPredicate<Object> { .compare(PropertyPath(path), .lessOrEqual, value) }

/// Selects objects with a greater value in an attribute; objects without a value never match.
public func > <Object: ManagedObject, Value: AttributeConvertible>(
  path: any KeyPath<Object, Value> & Sendable, value: Value
) -> FetchPredicate<Object> { .compare(PropertyPath(path), .greater, value) }

/// Selects objects with a greater or equal value in an attribute; objects without a value never match.
public func >= <Object: ManagedObject, Value: AttributeConvertible>(
  path: any KeyPath<Object, Value> & Sendable, value: Value
) -> FetchPredicate<Object> { .compare(PropertyPath(path), .greaterOrEqual, value) }
