/// A question for objects of one class.
public struct FetchRequest<Object: ManagedObject>: Sendable {
  /// Which objects; nil for all.
  public var predicate: FetchPredicate?
  /// Their order; by age in the store where nothing else is said.
  public var sort: [SortDescriptor]
  /// Objects to skip.
  public var offset: Int
  /// At most so many objects; nil for all.
  public var limit: Int?

  /// Asks for objects.
  public init(
    _ objects: Object.Type, where predicate: FetchPredicate? = nil, sortedBy sort: [SortDescriptor] = [],
    offset: Int = 0, limit: Int? = nil
  ) {
    self.predicate = predicate
    self.sort = sort
    self.offset = offset
    self.limit = limit
  }

  func query(model: ManagedObjectModel, columns: [Int]? = nil) -> StoreQuery {
    StoreQuery(
      entity: model.index(of: Object.self), predicate: predicate, sort: sort, offset: offset, limit: limit,
      columns: columns)
  }
}
