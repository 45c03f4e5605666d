extension FetchedResultsController {
  /// The sections, in order: one without sections of one's own, even when it is empty; none before the first fetch.
  public var sections: [FetchedSection<Object>] {
    let type = fetched?.sectionType
    return results.sections.map { FetchedSection($0, of: results, type: type, controller: self) }
  }

  /// How many objects there are.
  public var count: Int { results.ids.count }

  /// The IDs of all objects, in order.
  public var fetchedIDs: [ManagedObjectID] { results.ids }

  /// All objects, in order: faults where the request has a batch size.
  public var fetchedObjects: [Object] { results.ids.indices.compactMap { object($0, of: results) } }

  /// The object at a place; nil outside the results, and for a new object that was deleted unsaved just now.
  ///
  /// With a batch size it is a fault that is read together with those around it.
  public func object(at path: FetchedIndexPath) -> Object? {
    results.position(of: path).flatMap { object($0, of: results) }
  }

  /// Where an object stands; nil when it is not among the results.
  public func indexPath(of object: Object) -> FetchedIndexPath? { indexPath(of: object.id) }

  /// Where the object of an ID stands; nil when it is not among the results.
  public func indexPath(of id: ManagedObjectID) -> FetchedIndexPath? {
    let permanentIDs = main.context.permanentIDs
    let id = permanentIDs[id]
    let position = keys.map { $0.position(of: id, in: results.ids) } ?? results.ids.firstIndex(of: id)
    // It may have been saved since the results were read.
    let found = position ?? results.temporaryPositions.first { permanentIDs[results.ids[$0]] == id }
    return found.map { results.path(at: $0) }
  }

  // MARK: An index beside the list

  /// The titles of an index beside the list: those of the sections, each once, in order.
  public var sectionIndexTitles: [String] {
    var seen: Set<String> = []
    return sections.map(\.indexTitle).filter { !$0.isEmpty && seen.insert($0).inserted }
  }

  /// The first section with an index title; nil for a title that none has.
  public func section(forIndexTitle title: String) -> Int? {
    sections.firstIndex { $0.indexTitle == title }
  }

  // MARK: Objects

  /// The object at a place among all of some results.
  func object(_ position: Int, of results: FetchedResults) -> Object? {
    let context = main.context
    let id = results.ids[position]
    if let known = context.registeredObject(for: id), !known.isFault || known.batch != nil {
      return known as? Object
    }
    let size = request.batchSize > 0 ? request.batchSize : results.ids.count
    let start = position / size * size
    let page = results.ids[start..<min(start + size, results.ids.count)]
    let batch = FaultBatch(ids: Array(page), size: size)
    for other in page {
      if let object = context.object(with: other), object.isFault { object.batch = batch }
    }
    return context.object(Object.self, with: id)
  }
}
