import Dispatch

/// Keeps the answer to a request up to date for a list that shows it: Core Data's fetched results controller.
///
/// It follows what others save, once the main context has merged it, and what is edited in the main context itself:
/// once a turn of the main queue, at the end of ``MainContext/flush()`` and ``MainContext/save()``, or at once by
/// ``processPendingChanges()``. Only objects that changed are looked at for that, however many are shown. All IDs are read
/// where the request has an offset or a limit, and where other objects changed that its predicate asks about.
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
  /// What finds places in the results; nil where they have to be read as a whole after each change.
  var keys: FetchedKeys?
  /// What may be another answer than ``results``; nil when nothing changed.
  private var noted: Noted?
  private var isReading = false
  private var listeners: [Int: AsyncStream<FetchedChanges>.Continuation] = [:]
  private var listenerCount = 0

  /// What changed since the results were read.
  private struct Noted {
    /// Objects of the entity that is shown.
    var objects: Set<ManagedObjectID> = []
    /// Those whose values may be others.
    var updated: Set<ManagedObjectID> = []
    /// Whether anything changed that the predicate asks about.
    var isWhole = false

    mutating func formUnion(_ other: Noted) {
      objects.formUnion(other.objects)
      updated.formUnion(other.updated)
      isWhole = isWhole || other.isWhole
    }
  }

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
    let noted = takeNoted()
    do {
      let (new, newKeys) = try fetchResults(asked)
      if !request.prefetched.isEmpty { try prefetch(new.ids) }
      (results, keys) = (new, newKeys)
    } catch {
      putBack(noted)
      throw error
    }
    fetched = asked
    fetchError = nil
    main.changeFeed.listen(self, to: asked.entities)
  }

  /// Takes in now what has changed; nothing happens when nothing has.
  ///
  /// - Throws: What keeps the store from being read; the results are what they were before, and the change is taken
  ///   in with the next one.
  public func processPendingChanges() throws(StoreError) {
    guard !isReading, fetched != nil else { return }
    try main.context.applyDeleteRules()
    while let noted = takeNoted() {
      guard try broughtMore(takingIn: noted) else { return }
    }
  }

  /// - Returns: Whether reading has brought more to light, as a save that has ended.
  private func broughtMore(takingIn noted: Noted) throws(StoreError) -> Bool {
    guard let fetched else { return false }
    let changes: FetchedChanges
    do throws(StoreError) {
      if let followed = try follow(noted, fetched) {
        changes = followed
      } else {
        changes = try readWhole(noted, fetched)
      }
      fetchError = nil
    } catch {
      putBack(noted)
      fetchError = error
      throw error
    }
    let hasMore = self.noted != nil
    guard !changes.isEmpty else { return hasMore }
    readObjects(changes.insertions.map(\.id))
    didChange?(changes)
    for listener in listeners.values { listener.yield(changes) }
    return hasMore
  }

  /// The changes from now on, one after the other: what ``didChange`` is called with.
  ///
  /// Each leads from the state that the one before left; the results may be further already. The sequence ends with the
  /// controller, and any number of tasks may have one each.
  public func changes() -> AsyncStream<FetchedChanges> {
    let (stream, continuation) = AsyncStream.makeStream(of: FetchedChanges.self)
    listenerCount += 1
    let number = listenerCount
    listeners[number] = continuation
    continuation.onTermination = { [weak self] _ in
      DispatchQueue.main.async {
        MainActor.assumeIsolated { _ = self?.listeners.removeValue(forKey: number) }
      }
    }
    return stream
  }

  deinit {
    for listener in listeners.values { listener.finish() }
  }

  private func takeNoted() -> Noted? {
    defer { noted = nil }
    return noted
  }

  private func putBack(_ taken: Noted?) {
    guard var taken else { return }
    if let noted { taken.formUnion(noted) }
    noted = taken
  }

  // MARK: Reading

  /// Looks at the objects that changed and at no others.
  ///
  /// - Returns: Nil where that does not do: nothing was changed.
  private func follow(_ noted: Noted, _ asked: FetchedQuery) throws(StoreError) -> FetchedChanges? {
    guard !noted.isWhole, keys != nil, noted.objects.count <= max(1000, results.ids.count / 8) else {
      return nil
    }
    let context = main.context
    var query = asked.query
    query.predicate = .all([.ids(Array(noted.objects))] + [query.predicate].compactMap { $0 })
    let rows = try read(query)
    guard var keys else { return nil }
    // The only copy, so that it can be changed in place.
    self.keys = nil
    // After the read, which may have learned of IDs.
    let permanentIDs = context.permanentIDs
    let changed = Set(noted.objects.map { permanentIDs[$0] })
    var taken: [Int: ManagedObjectID] = [:]
    for position in results.temporaryPositions {
      let id = permanentIDs[results.ids[position]]
      // One that was saved may stand elsewhere among its equals.
      if id != results.ids[position] || changed.contains(id) { taken[position] = id }
    }
    for id in changed {
      if let position = keys.position(of: id, in: results.ids) { taken[position] = id }
    }
    let gone = taken.sorted { $0.key < $1.key }.map { (position: $0.key, id: $0.value) }
    for (position, _) in gone { keys.remove(results.ids[position]) }
    keys.add(rows)
    let kept = results.ids(without: gone.map(\.position))
    let column = asked.section.flatMap(rows.columns.firstIndex)
    let arrivals = (0..<rows.count).map { row in
      let section = column.map { rows.value(row: row, column: $0, model: context.model).asSection }
      return FetchedArrival(
        id: rows.id(row: row), section: section ?? .null, place: keys.place(of: rows.id(row: row), in: kept))
    }
    let update = FetchedUpdate(
      results, taking: gone, adding: arrivals, updated: Set(noted.updated.map { permanentIDs[$0] }),
      hasSections: asked.section != nil)
    (results, self.keys) = (update.results, keys)
    return update.changes
  }

  /// Reads all IDs, and compares them with those that were there.
  private func readWhole(_ noted: Noted, _ asked: FetchedQuery) throws(StoreError) -> FetchedChanges {
    let (new, newKeys) = try readResults(asked, isWhole: false)
    let permanentIDs = main.context.permanentIDs
    results.adopt(permanentIDs)
    let changes = FetchedChanges(
      from: results, to: new, updated: Set(noted.updated.map { permanentIDs[$0] }))
    (results, keys) = (new, newKeys)
    return changes
  }

  func readResults(
    _ asked: FetchedQuery, isWhole: Bool
  ) throws(StoreError) -> (FetchedResults, FetchedKeys?) {
    let context = main.context
    var query = asked.query
    if isWhole { query.columns = nil }
    let rows = try read(query)
    if isWhole {
      for row in 0..<rows.count { _ = context.register(rows, row) }
    }
    let column = asked.section.flatMap(rows.columns.firstIndex)
    let keys = asked.canFollow ? FetchedKeys(rows, of: asked.query, model: context.model) : nil
    return (FetchedResults(rows, sectionColumn: column, model: context.model), keys)
  }

  private func read(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    isReading = true
    defer { isReading = false }
    return try main.context.rows(query)
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
    guard let fetched else { return }
    var noted = takeNoted() ?? Noted()
    if fetched.asked.contains(id.entity) { noted.isWhole = true }
    if id.entity == fetched.query.entity {
      noted.objects.insert(id)
      if isUpdated { noted.updated.insert(id) }
    }
    self.noted = noted
  }

  func noteReset() {
    var noted = takeNoted() ?? Noted()
    noted.isWhole = true
    noted.updated.formUnion(results.ids)
    self.noted = noted
  }

  func catchUp() {
    // The error is kept for whoever asks.
    try? processPendingChanges()
  }
}
