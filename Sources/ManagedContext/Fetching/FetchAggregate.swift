/// A value that summarizes a group of objects, for the `aggregate` methods of ``ManagedObjectContext``.
public struct FetchAggregate<Object: ManagedObject, Value: Sendable>: Sendable {
  /// Returns the functions that the value is made of.
  let functions: @Sendable (ManagedObjectModel) throws(StoreError) -> [StoreAggregate.Function]
  /// The number of the functions.
  let width: Int
  /// Makes the value out of the functions' values.
  let make: @Sendable (ArraySlice<AttributeValue>) -> Value

  fileprivate init<Number: AttributeConvertible>(
    _ path: any KeyPath<Object, Number> & Sendable, _ functions: [@Sendable (Int) -> StoreAggregate.Function],
    _ make: @escaping @Sendable (ArraySlice<AttributeValue>) -> Value
  ) {
    let path = PropertyPath(path)
    self.functions = { (model) throws(StoreError) in
      let index = try model.attribute(at: path).index
      return functions.map { $0(index) }
    }
    (width, self.make) = (functions.count, make)
  }
}

extension FetchAggregate where Value == Int {
  /// The number of objects.
  public static var count: FetchAggregate { FetchAggregate() }

  private init() {
    functions = { (_) throws(StoreError) in [.count] }
    (width, make) = (1, { $0.first.flatMap(Int.init) ?? 0 })
  }

  /// The number of objects with a value in an attribute.
  public static func count<Counted: AttributeConvertible>(
    _ path: any KeyPath<Object, Counted?> & Sendable
  ) -> FetchAggregate {
    FetchAggregate(path, [{ .values($0) }]) { $0.first.flatMap(Int.init) ?? 0 }
  }
}

extension FetchAggregate where Value: AttributeConvertible & Numeric {
  /// The sum of an attribute's numbers; 0 without values. A sum of whole numbers beyond 64 bits is an error.
  public static func sum(_ path: any KeyPath<Object, Value> & Sendable) -> FetchAggregate {
    FetchAggregate(path, [{ .sum($0) }]) { $0.first.flatMap(Value.init) ?? .zero }
  }

  /// The sum of an attribute's numbers; 0 without values. A sum of whole numbers beyond 64 bits is an error.
  public static func sum(_ path: any KeyPath<Object, Value?> & Sendable) -> FetchAggregate {
    FetchAggregate(path, [{ .sum($0) }]) { $0.first.flatMap(Value.init) ?? .zero }
  }
}

extension FetchAggregate where Value == Double? {
  /// The mean of an attribute's numbers; nil without values.
  public static func average<Number: AttributeConvertible & Numeric>(
    _ path: any KeyPath<Object, Number> & Sendable
  ) -> FetchAggregate { mean(path) }

  /// The mean of an attribute's numbers, without objects that have none; nil without values.
  public static func average<Number: AttributeConvertible & Numeric>(
    _ path: any KeyPath<Object, Number?> & Sendable
  ) -> FetchAggregate { mean(path) }

  private static func mean<Number: AttributeConvertible>(
    _ path: any KeyPath<Object, Number> & Sendable
  ) -> FetchAggregate {
    // Databases divide in different ways.
    FetchAggregate(path, [{ .sum($0) }, { .values($0) }]) { values in
      guard let sum = values.first.flatMap(Double.init), let count = values.last.flatMap(Double.init),
        count > 0
      else { return nil }
      return sum / count
    }
  }
}

extension FetchAggregate {
  /// An attribute's smallest value; nil without values. Text is compared byte by byte.
  public static func minimum<Wrapped: AttributeConvertible>(
    _ path: any KeyPath<Object, Wrapped> & Sendable
  ) -> FetchAggregate where Value == Wrapped? {
    FetchAggregate(path, [{ .minimum($0) }]) { $0.first.flatMap(Wrapped.init) }
  }

  /// An attribute's smallest value; nil without values. Text is compared byte by byte.
  public static func minimum<Wrapped: AttributeConvertible>(
    _ path: any KeyPath<Object, Wrapped?> & Sendable
  ) -> FetchAggregate where Value == Wrapped? {
    FetchAggregate(path, [{ .minimum($0) }]) { $0.first.flatMap(Wrapped.init) }
  }

  /// An attribute's greatest value; nil without values. Text is compared byte by byte.
  public static func maximum<Wrapped: AttributeConvertible>(
    _ path: any KeyPath<Object, Wrapped> & Sendable
  ) -> FetchAggregate where Value == Wrapped? {
    FetchAggregate(path, [{ .maximum($0) }]) { $0.first.flatMap(Wrapped.init) }
  }

  /// An attribute's greatest value; nil without values. Text is compared byte by byte.
  public static func maximum<Wrapped: AttributeConvertible>(
    _ path: any KeyPath<Object, Wrapped?> & Sendable
  ) -> FetchAggregate where Value == Wrapped? {
    FetchAggregate(path, [{ .maximum($0) }]) { $0.first.flatMap(Wrapped.init) }
  }
}

/// A condition that selects groups: `.count > 3 && .average(\.pages) < 200`.
public struct GroupPredicate<Object: ManagedObject>: Sendable {
  let functions: @Sendable (ManagedObjectModel) throws(StoreError) -> [StoreAggregate.Function]
  private let width: Int
  let holds: @Sendable (ArraySlice<AttributeValue>) -> Bool

  fileprivate init<Value: AttributeConvertible>(
    _ aggregate: FetchAggregate<Object, Value>, _ comparison: StorePredicate.Comparison, _ value: Value
  ) {
    let (value, make) = (value.attributeValue, aggregate.make)
    (functions, width) = (aggregate.functions, aggregate.width)
    holds = { comparison.holds(make($0).attributeValue, value) }
  }

  private init(negating predicate: GroupPredicate) {
    (functions, width) = (predicate.functions, predicate.width)
    holds = { !predicate.holds($0) }
  }

  private init(
    _ left: GroupPredicate, _ right: GroupPredicate, _ join: @escaping @Sendable (Bool, Bool) -> Bool
  ) {
    functions = { (model) throws(StoreError) in try left.functions(model) + right.functions(model) }
    width = left.width + right.width
    holds = { join(left.holds($0.prefix(left.width)), right.holds($0.dropFirst(left.width))) }
  }

  /// Selects groups that match both conditions.
  public static func && (left: GroupPredicate, right: GroupPredicate) -> GroupPredicate {
    GroupPredicate(left, right) { $0 && $1 }
  }

  /// Selects groups that match either condition, or both.
  public static func || (left: GroupPredicate, right: GroupPredicate) -> GroupPredicate {
    GroupPredicate(left, right) { $0 || $1 }
  }

  /// Selects groups that do not match a condition.
  public static prefix func ! (predicate: GroupPredicate) -> GroupPredicate {
    GroupPredicate(negating: predicate)
  }
}

extension FetchAggregate where Value: AttributeConvertible {
  /// Selects groups with this value; nil selects groups without one.
  public static func == (aggregate: FetchAggregate, value: Value) -> GroupPredicate<Object> {
    GroupPredicate(aggregate, .equal, value)
  }

  /// Selects groups with another value, or without one.
  public static func != (aggregate: FetchAggregate, value: Value) -> GroupPredicate<Object> {
    GroupPredicate(aggregate, .notEqual, value)
  }

  /// Selects groups with a smaller value; groups without a value never match.
  public static func < (aggregate: FetchAggregate, value: Value) -> GroupPredicate<Object> {
    GroupPredicate(aggregate, .less, value)
  }

  /// Selects groups with a smaller or equal value; groups without a value never match.
  public static func <= (aggregate: FetchAggregate, value: Value) -> GroupPredicate<Object> {
    GroupPredicate(aggregate, .lessOrEqual, value)
  }

  /// Selects groups with a greater value; groups without a value never match.
  public static func > (aggregate: FetchAggregate, value: Value) -> GroupPredicate<Object> {
    GroupPredicate(aggregate, .greater, value)
  }

  /// Selects groups with a greater or equal value; groups without a value never match.
  public static func >= (aggregate: FetchAggregate, value: Value) -> GroupPredicate<Object> {
    GroupPredicate(aggregate, .greaterOrEqual, value)
  }
}
