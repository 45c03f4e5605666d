/// A request for objects of one class.
public struct FetchRequest<Object: ManagedObject>: Sendable {
  /// The condition that the objects must match; nil for all objects.
  public var predicate: FetchPredicate<Object>?
  /// The sort criteria. Ties are sorted by age in the store, as are all objects if the list is empty.
  public var sort: [FetchSort<Object>]
  /// The number of objects to skip.
  public var offset: Int
  /// The greatest number of objects to return; nil for no limit.
  public var limit: Int?
  /// The number of faults to read together when a program uses one; 0 reads all objects with the fetch.
  public var batchSize: Int
  /// Relationships to read with the fetch, including their objects. Each takes one query, or two if it is
  /// many-to-many.
  public var prefetched: [any PartialKeyPath<Object> & Sendable]

  /// Creates a request for a class's objects.
  public init(
    _ objects: Object.Type, where predicate: FetchPredicate<Object>? = nil,
    sortedBy sort: [FetchSort<Object>] = [], offset: Int = 0, limit: Int? = nil, batchSize: Int = 0,
    prefetching prefetched: [any PartialKeyPath<Object> & Sendable] = []
  ) {
    self.predicate = predicate
    self.sort = sort
    self.offset = offset
    self.limit = limit
    self.batchSize = batchSize
    self.prefetched = prefetched
  }

  func query(model: ManagedObjectModel, columns: [Int]? = nil) throws(StoreError) -> StoreQuery {
    StoreQuery(
      entity: try model.entity(of: Object.self), predicate: try predicate?.resolve(model),
      sort: try sort.map { (criterion) throws(StoreError) in try criterion.resolved(model) },
      offset: max(offset, 0), limit: limit.map { max($0, 0) }, columns: columns)
  }
}

/// A sort criterion.
public struct FetchSort<Object: ManagedObject>: Sendable {
  private let path: PropertyPath<Object>?
  private let isAscending: Bool

  /// Sorts by an attribute, smallest value first. Null is the smallest value; text is compared byte by byte.
  public static func ascending<Value: AttributeConvertible>(
    _ path: any KeyPath<Object, Value> & Sendable
  ) -> FetchSort { FetchSort(path: PropertyPath(path), isAscending: true) }

  /// Sorts by an attribute, greatest value first. Null comes last.
  public static func descending<Value: AttributeConvertible>(
    _ path: any KeyPath<Object, Value> & Sendable
  ) -> FetchSort { FetchSort(path: PropertyPath(path), isAscending: false) }

  /// Sorts by the time of the first save, oldest first.
  public static var oldestFirst: FetchSort { FetchSort(path: nil, isAscending: true) }

  /// Sorts by the time of the first save, newest first.
  public static var newestFirst: FetchSort { FetchSort(path: nil, isAscending: false) }

  func resolved(_ model: ManagedObjectModel) throws(StoreError) -> StoreSort {
    guard let path else { return StoreSort(attribute: nil, isAscending: isAscending) }
    return StoreSort(attribute: try model.attribute(at: path).index, isAscending: isAscending)
  }
}
