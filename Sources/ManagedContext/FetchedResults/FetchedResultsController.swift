/// Keeps the answer to a request up to date for a list that shows it: Core Data's fetched results controller.
///
/// It follows what others save, once the main context has merged it, and what is edited in the main context itself:
/// once a turn of the main queue, at the end of ``MainContext/flush()`` and ``MainContext/save()``, or at once by
/// ``processPendingChanges()``. Only IDs are read for that, and only when a change concerns the entity or one that
/// the predicate asks about.
///
///     let books = FetchedResultsController(main, FetchRequest(Book.self), sectionedBy: \.mark)
///     books.didChange = { list.apply($0) }
///     try books.performFetch()
@MainActor
public final class FetchedResultsController<Object: ManagedObject> {
  /// The context whose objects are shown.
  public let main: MainContext
  /// What is asked for; another one counts from the next ``performFetch()`` on.
  public var request: FetchRequest<Object>
  /// Called after each change of the results with what changed; the results are the new ones already.
  public var didChange: ((FetchedChanges) -> Void)?
  /// What kept the results from following the last change, to be read with the next one; nil when all is well.
  public internal(set) var fetchError: StoreError?

  let cache: FetchedResultsCache.Entry?
  private let sectionPath: (any PartialKeyPath<Object> & Sendable)?
  var results = FetchedResults()
  /// What the results answer; nil before the first ``performFetch()``.
  var fetched: FetchedQuery?
  var pathsByID: [ManagedObjectID: FetchedIndexPath]?
  private var updated: Set<ManagedObjectID> = []
  private var isStale = false
  private var isReading = false

  /// Shows all objects as one section.
  ///
  /// - Parameters:
  ///   - main: The context whose objects are shown.
  ///   - request: Which objects, and their order.
  ///   - cache: Where the results are kept between runs; nil for nowhere.
  public init(
    _ main: MainContext, _ request: FetchRequest<Object>, cache: FetchedResultsCache.Entry? = nil
  ) {
    self.main = main
    self.request = request
    self.cache = cache
    sectionPath = nil
  }

  /// Shows the objects in sections: one for each value of an attribute.
  ///
  /// They are sorted by it, ascending, before the request's own order; where that begins with the same attribute,
  /// its direction is taken.
  /// - Parameters:
  ///   - main: The context whose objects are shown.
  ///   - request: Which objects, and their order in a section.
  ///   - path: The attribute whose values are the sections.
  ///   - cache: Where the results are kept between runs; nil for nowhere.
  public init<Value: AttributeConvertible>(
    _ main: MainContext, _ request: FetchRequest<Object>,
    sectionedBy path: any KeyPath<Object, Value> & Sendable, cache: FetchedResultsCache.Entry? = nil
  ) {
    self.main = main
    self.request = request
    self.cache = cache
    sectionPath = path
  }

  /// Reads the results, and follows their changes from now on. Nobody is told: what was shown before is void.
  ///
  /// - Throws: What keeps the store from being read; the results are what they were before.
  public func performFetch() throws(StoreError) {
    let context = main.context
    let asked = try FetchedQuery(request, sectionedBy: sectionPath, model: context.model)
    let noted = (isStale, updated)
    (isStale, updated) = (false, [])
    do {
      let new = try fetchResults(asked)
      if !request.prefetched.isEmpty { try prefetch(new.ids) }
      results = new
    } catch {
      (isStale, updated) = (isStale || noted.0, updated.union(noted.1))
      throw error
    }
    fetched = asked
    pathsByID = nil
    fetchError = nil
    main.changeFeed.listen(self, to: asked.entities)
  }

  /// Takes in now what has changed; nothing happens when nothing has.
  ///
  /// - Throws: What keeps the store from being read; the results are what they were before, and the change is taken
  ///   in with the next one.
  public func processPendingChanges() throws(StoreError) {
    guard isStale, !isReading, let fetched else { return }
    let noted = updated
    (isStale, updated) = (false, [])
    var new = FetchedResults()
    do {
      new = try readResults(fetched, isWhole: false)
      fetchError = nil
    } catch {
      isStale = true
      updated.formUnion(noted)
      fetchError = error
      throw error
    }
    let permanentIDs = main.context.permanentIDs
    results.adopt(permanentIDs)
    let changes = FetchedChanges(from: results, to: new, updated: Set(noted.map { permanentIDs[$0] }))
    results = new
    pathsByID = nil
    guard !changes.isEmpty else { return }
    readObjects(changes.insertions.map(\.id))
    didChange?(changes)
  }

  func readResults(_ asked: FetchedQuery, isWhole: Bool) throws(StoreError) -> FetchedResults {
    isReading = true
    defer { isReading = false }
    let context = main.context
    var query = asked.query
    if isWhole { query.columns = nil }
    let rows = try context.rows(query)
    if isWhole {
      for row in 0..<rows.count { _ = context.register(rows, row) }
    }
    let column = asked.section.flatMap(rows.columns.firstIndex)
    return FetchedResults(rows, sectionColumn: column, model: context.model)
  }

  /// Reads objects that came: at once where the request has no batch size, and what it prefetches.
  private func readObjects(_ ids: [ManagedObjectID]) {
    let context = main.context
    if request.batchSize <= 0 {
      let faults = ids.compactMap { context.object(with: $0) }.filter(\.isFault)
      // What cannot be read now stays a fault, which tries again.
      try? context.read(faults)
    }
    if !request.prefetched.isEmpty { try? prefetch(ids) }
  }

  private func prefetch(_ ids: [ManagedObjectID]) throws(StoreError) {
    let objects = ids.compactMap { main.context.object(Object.self, with: $0) }
    for path in request.prefetched { try main.context.prefetch(path, of: objects) }
  }
}

extension FetchedResultsController: ChangeFeed.Listener {
  func note(_ id: ManagedObjectID, isUpdated: Bool) {
    isStale = true
    if isUpdated && id.entity == fetched?.query.entity { updated.insert(id) }
  }

  func catchUp() {
    // The error is kept for whoever asks.
    try? processPendingChanges()
  }
}
