import Dispatch

/// Keeps a request's results up to date for a list that displays them, like Core Data's fetched results
/// controller.
///
/// The results follow edits in the main context, and other contexts' saves once the main context has merged
/// them. They are updated once per turn of the main queue, at the end of ``MainContext/flush()`` and
/// ``MainContext/save()``, or at once by ``processPendingChanges()``.
///
/// An update normally reads only the objects that changed, however many are displayed. It reads all IDs if
/// the request has an offset or a limit, or if too many objects changed. It also does so if objects of
/// another entity in the predicate changed.
///
///     let books = FetchedResultsController(main, FetchRequest(Book.self), sectionedBy: \.mark)
///     books.didChange = { list.apply($0) }
///     try books.performFetch()
@MainActor
public final class FetchedResultsController<Object: ManagedObject> {
  /// The context of the displayed objects.
  public let main: MainContext
  /// The request. A new request takes effect with the next ``performFetch()``.
  public var request: FetchRequest<Object>
  /// Called with the changes after each update. The results are already the new ones.
  public var didChange: ((FetchedChanges) -> Void)?
  /// The error that prevented the last update; nil after a successful one. The next update includes the
  /// missed changes.
  public internal(set) var fetchError: StoreError?

  private let sectionPath: PropertyPath<Object>?
  var results = FetchedResults()
  /// The query that the results belong to; nil before the first ``performFetch()``.
  var fetched: FetchedQuery?
  /// Locates objects in the results; nil if each change requires reading all IDs.
  var keys: FetchedKeys?
  /// The changes that ``results`` do not include yet; nil if nothing changed.
  private var noted: Noted?
  private var isReading = false
  private var listeners: [Int: AsyncStream<FetchedChanges>.Continuation] = [:]
  private var listenerCount = 0

  /// The changes since the results were read.
  private struct Noted {
    /// Inserted, deleted and updated objects of the displayed entity.
    var objects: Set<ManagedObjectID> = []
    /// Objects with values that may have changed.
    var updated: Set<ManagedObjectID> = []
    /// True if all IDs must be read, because an entity in the predicate changed or the context was reset.
    var isWhole = false

    mutating func formUnion(_ other: Noted) {
      objects.formUnion(other.objects)
      updated.formUnion(other.updated)
      isWhole = isWhole || other.isWhole
    }
  }

  /// Creates a controller that displays all objects in one section.
  ///
  /// - Parameters:
  ///   - main: The context of the displayed objects.
  ///   - request: The objects to display, and their order.
  public init(_ main: MainContext, _ request: FetchRequest<Object>) {
    self.main = main
    self.request = request
    sectionPath = nil
  }

  /// Creates a controller with one section for each value of an attribute, which the object that a to-one
  /// relationship leads to may have: `sectionedBy: \.author!.name`. All IDs are read again after each change of
  /// objects in that relationship.
  ///
  /// The objects are sorted by that attribute first, ascending, and then by the request's own order. If the
  /// request's order begins with the same attribute, its direction is used.
  ///
  /// - Parameters:
  ///   - main: The context of the displayed objects.
  ///   - request: The objects to display, and their order in a section.
  ///   - path: The attribute that divides the objects into sections.
  public init<Value: AttributeConvertible>(
    _ main: MainContext, _ request: FetchRequest<Object>,
    sectionedBy path: any KeyPath<Object, Value> & Sendable
  ) {
    self.main = main
    self.request = request
    sectionPath = PropertyPath(path)
  }

  /// Reads the results and follows their changes from now on.
  ///
  /// Neither ``didChange`` nor ``changes()`` reports this: the list must reload.
  ///
  /// - Throws: The error that prevented reading the store; the results are unchanged.
  public func performFetch() throws(StoreError) {
    let context = main.context
    let asked = try FetchedQuery(request, sectionedBy: sectionPath, model: context.model)
    let noted = takeNoted()
    do {
      let (new, newKeys) = try readResults(asked, isWhole: request.batchSize <= 0)
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

  /// Applies the recorded changes to the results now; has no effect if nothing changed.
  ///
  /// - Throws: The error that prevented reading the store. The results are unchanged, and the next update
  ///   includes the changes.
  public func processPendingChanges() throws(StoreError) {
    guard !isReading, fetched != nil else { return }
    try main.context.applyDeleteRules()
    while let noted = takeNoted() {
      guard try broughtMore(takingIn: noted) else { return }
    }
  }

  /// Applies recorded changes to the results and reports the difference.
  ///
  /// - Returns: True if reading recorded more changes, for example from a save that just ended.
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

  /// Returns a sequence of the changes from now on: the values that ``didChange`` is called with.
  ///
  /// Each value starts from the state after the previous one; the results may already be newer. The sequence
  /// ends when the controller is released. Any number of tasks can each have their own sequence.
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

  /// Updates the results from the changed objects alone.
  ///
  /// - Returns: The changes; nil if all IDs must be read, in which case the results are unchanged.
  private func follow(_ noted: Noted, _ asked: FetchedQuery) throws(StoreError) -> FetchedChanges? {
    guard !noted.isWhole, keys != nil, noted.objects.count <= max(1000, results.ids.count / 8) else {
      return nil
    }
    let context = main.context
    var query = asked.query
    query.predicate = .all([.ids(Array(noted.objects))] + [query.predicate].compactMap { $0 })
    let rows = try read(query)
    guard var keys else { return nil }
    // Release the stored value, so that the local one is uniquely referenced and changes in place.
    self.keys = nil
    // Take the IDs after the read, which may have added some.
    let permanentIDs = context.permanentIDs
    let changed = Set(noted.objects.map { permanentIDs[$0] })
    var taken: [Int: ManagedObjectID] = [:]
    for position in results.temporaryPositions {
      let id = permanentIDs[results.ids[position]]
      // A saved object can change its order among objects with equal sort values, because its ID changed.
      if id != results.ids[position] || changed.contains(id) { taken[position] = id }
    }
    for id in changed {
      if let position = keys.position(of: id, in: results.ids) { taken[position] = id }
    }
    let gone = taken.sorted { $0.key < $1.key }.map { (position: $0.key, id: $0.value) }
    for (position, _) in gone { keys.remove(results.ids[position]) }
    keys.add(rows)
    let kept = results.ids(without: gone.map(\.position))
    let column = asked.section?.attribute.flatMap(rows.columns.firstIndex)
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

  /// Reads all IDs and compares them with the previous ones.
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
    let sections = try asked.section.map { (section) throws(StoreError) in
      try rows.values(of: section, context.model, permanent: { context.permanentIDs[$0] }) {
        (query) throws(StoreError) in try read(query)
      } ?? []
    }
    let keys = asked.canFollow ? FetchedKeys(rows, of: asked.query, model: context.model) : nil
    return (FetchedResults(rows, sections: sections), keys)
  }

  private func read(_ query: StoreQuery) throws(StoreError) -> RowBatch {
    isReading = true
    defer { isReading = false }
    return try main.context.rows(query)
  }

  /// Reads inserted objects: their values if the request has no batch size, and the relationships that it
  /// prefetches.
  private func readObjects(_ ids: [ManagedObjectID]) {
    let context = main.context
    if request.batchSize <= 0 {
      let faults = ids.compactMap { context.object(with: $0) }.filter(\.isFault)
      // An object that cannot be read now stays a fault, which is read when it is used.
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
    // The error is kept in `fetchError`.
    try? processPendingChanges()
  }
}
