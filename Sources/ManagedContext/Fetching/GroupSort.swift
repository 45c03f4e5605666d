/// An order of groups by a value that summarizes them, such as `.descending(.count)`, for the `aggregate` methods of
/// ``ManagedObjectContext``.
public struct GroupSort<Object: ManagedObject>: Sendable {
  /// Returns the functions that the value is made of.
  let functions: @Sendable (ManagedObjectModel) throws(StoreError) -> [StoreAggregate.Function]
  private let width: Int
  private let value: @Sendable (ArraySlice<AttributeValue>) -> AttributeValue
  private let isAscending: Bool

  private init<Value: AttributeConvertible>(_ aggregate: FetchAggregate<Object, Value>, isAscending: Bool) {
    let make = aggregate.make
    (functions, width, self.isAscending) = (aggregate.functions, aggregate.width, isAscending)
    value = { make($0).attributeValue }
  }

  /// Sorts by a value, smallest first. Null is the smallest value.
  public static func ascending<Value: AttributeConvertible>(
    _ aggregate: FetchAggregate<Object, Value>
  ) -> GroupSort { GroupSort(aggregate, isAscending: true) }

  /// Sorts by a value, greatest first. Null comes last.
  public static func descending<Value: AttributeConvertible>(
    _ aggregate: FetchAggregate<Object, Value>
  ) -> GroupSort { GroupSort(aggregate, isAscending: false) }

  /// Sorts groups by criteria, and then by their keys.
  ///
  /// - Parameter start: The number of a group's values before those of the criteria.
  static func sorted(_ groups: [StoreGroup], by sort: [GroupSort], from start: Int) -> [StoreGroup] {
    let ranked = groups.map { group in
      var values = group.values.dropFirst(start)
      let rank = sort.map { criterion in
        defer { values = values.dropFirst(criterion.width) }
        return criterion.value(values.prefix(criterion.width))
      }
      return (group: group, rank: rank)
    }
    return ranked.sorted { left, right in
      for (criterion, (ours, theirs)) in zip(sort, zip(left.rank, right.rank)) {
        if ours.precedes(theirs) { return criterion.isAscending }
        if theirs.precedes(ours) { return !criterion.isAscending }
      }
      return left.group.precedes(right.group)
    }.map(\.group)
  }
}
