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
///
/// `.ascending(\.author!.name)` sorts by an attribute of the object that a to-one relationship leads to, as does
/// `.ascending(\.author, \.name)`. Objects whose relationship leads to nothing have no value there.
/// `.descending(.count(\.books))` sorts by the number of objects that a to-many relationship leads to.
public struct FetchSort<Object: ManagedObject>: Sendable {
  /// Returns the criterion in the form that stores use.
  let resolved: @Sendable (ManagedObjectModel) throws(StoreError) -> StoreSort

  /// Sorts by an attribute, smallest value first. Null is the smallest value; text is compared byte by byte.
  public static func ascending<Value: AttributeConvertible>(
    _ path: any KeyPath<Object, Value> & Sendable
  ) -> FetchSort { FetchSort(PropertyPath(path), isAscending: true) }

  /// Sorts by an attribute, greatest value first. Null comes last.
  public static func descending<Value: AttributeConvertible>(
    _ path: any KeyPath<Object, Value> & Sendable
  ) -> FetchSort { FetchSort(PropertyPath(path), isAscending: false) }

  /// Sorts by an attribute of the object that a relationship leads to, smallest value first. Objects whose
  /// relationship leads to nothing come first, with null.
  public static func ascending<Other: ManagedObject, Value: AttributeConvertible>(
    _ relationship: any KeyPath<Object, Other?> & Sendable, _ path: any KeyPath<Other, Value> & Sendable
  ) -> FetchSort { FetchSort(PropertyPath(toOne: relationship), PropertyPath(path), isAscending: true) }

  /// Sorts by an attribute of the object that a relationship leads to, greatest value first. Objects whose
  /// relationship leads to nothing come last, with null.
  public static func descending<Other: ManagedObject, Value: AttributeConvertible>(
    _ relationship: any KeyPath<Object, Other?> & Sendable, _ path: any KeyPath<Other, Value> & Sendable
  ) -> FetchSort { FetchSort(PropertyPath(toOne: relationship), PropertyPath(path), isAscending: false) }

  /// Sorts by the number of related objects, smallest number first.
  public static func ascending(_ count: RelationshipCount<Object>) -> FetchSort {
    FetchSort(count, isAscending: true)
  }

  /// Sorts by the number of related objects, greatest number first.
  public static func descending(_ count: RelationshipCount<Object>) -> FetchSort {
    FetchSort(count, isAscending: false)
  }

  /// Sorts by the time of the first save, oldest first.
  public static var oldestFirst: FetchSort { FetchSort(byAge: true) }

  /// Sorts by the time of the first save, newest first.
  public static var newestFirst: FetchSort { FetchSort(byAge: false) }

  private init(byAge isAscending: Bool) {
    resolved = { (_) throws(StoreError) in StoreSort(attribute: nil, isAscending: isAscending) }
  }

  private init(_ count: RelationshipCount<Object>, isAscending: Bool) {
    resolved = { (model) throws(StoreError) in
      StoreSort(counting: try count.references(model), isAscending: isAscending)
    }
  }

  private init(_ path: PropertyPath<Object>, isAscending: Bool) {
    resolved = { (model) throws(StoreError) in
      let place = try model.place(at: path)
      return StoreSort(attribute: place.attribute, through: place.through, isAscending: isAscending)
    }
  }

  private init<Other: ManagedObject>(
    _ relationship: PropertyPath<Object>, _ path: PropertyPath<Other>, isAscending: Bool
  ) {
    resolved = { (model) throws(StoreError) in
      StoreSort(
        attribute: try model.attribute(at: path).index, through: try model.attribute(at: relationship).index,
        isAscending: isAscending)
    }
  }
}
