/// A question for objects of one class.
public struct FetchRequest<Object: ManagedObject>: Sendable {
  /// Which objects; nil for all.
  public var predicate: FetchPredicate<Object>?
  /// Their order; by age in the store where nothing else is said.
  public var sort: [FetchSort<Object>]
  /// Objects to skip.
  public var offset: Int
  /// At most so many objects; nil for all.
  public var limit: Int?
  /// How many faults are read at once when one of them is used; 0 reads all objects with the fetch.
  public var batchSize: Int
  /// Relationships whose objects are read with the fetch, in one query each.
  public var prefetched: [any PartialKeyPath<Object> & Sendable]

  /// Asks for objects.
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

/// One criterion of an order.
public struct FetchSort<Object: ManagedObject>: Sendable {
  private let path: (any PartialKeyPath<Object> & Sendable)?
  private let isAscending: Bool

  /// From the smallest; null first. Text is in the order of its bytes.
  public static func ascending<Value: AttributeConvertible>(
    _ path: any KeyPath<Object, Value> & Sendable
  ) -> FetchSort { FetchSort(path: path, isAscending: true) }

  /// From the greatest; null last.
  public static func descending<Value: AttributeConvertible>(
    _ path: any KeyPath<Object, Value> & Sendable
  ) -> FetchSort { FetchSort(path: path, isAscending: false) }

  /// The order in which the objects were saved first.
  public static var oldestFirst: FetchSort { FetchSort(path: nil, isAscending: true) }

  /// The reverse of the order in which the objects were saved first.
  public static var newestFirst: FetchSort { FetchSort(path: nil, isAscending: false) }

  func resolved(_ model: ManagedObjectModel) throws(StoreError) -> StoreSort {
    guard let path else { return StoreSort(attribute: nil, isAscending: isAscending) }
    return StoreSort(attribute: try model.attribute(at: path).index, isAscending: isAscending)
  }
}
