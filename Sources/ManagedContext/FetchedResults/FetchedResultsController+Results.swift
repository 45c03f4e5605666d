extension FetchedResultsController {
  /// The sections, in order; empty before the first fetch.
  ///
  /// Without a section attribute, all objects form one section, which can be empty.
  public var sections: [FetchedSection<Object>] {
    let type = fetched?.sectionType
    return results.sections.map { FetchedSection($0, of: results, type: type, controller: self) }
  }

  /// The number of objects.
  public var count: Int { results.ids.count }

  /// The IDs of all objects, in order.
  public var fetchedIDs: [ManagedObjectID] { results.ids }

  /// All objects, in order. They are faults if the request has a batch size.
  public var fetchedObjects: [Object] { results.ids.indices.compactMap { object($0, of: results) } }

  /// Returns the object at an index path; nil if the path is out of range, or for a new object that was just
  /// deleted.
  ///
  /// If the request has a batch size, the object is a fault that is read together with its neighbors.
  public func object(at path: FetchedIndexPath) -> Object? {
    results.position(of: path).flatMap { object($0, of: results) }
  }

  /// Returns an object's position; nil if the results do not contain it.
  public func indexPath(of object: Object) -> FetchedIndexPath? { indexPath(of: object.id) }

  /// Returns the position for an object's ID; nil if the results do not contain it.
  public func indexPath(of id: ManagedObjectID) -> FetchedIndexPath? {
    let permanentIDs = main.context.permanentIDs
    let id = permanentIDs[id]
    let position = keys.map { $0.position(of: id, in: results.ids) } ?? results.ids.firstIndex(of: id)
    // The object may have been saved, and got a permanent ID, since the results were read.
    let found = position ?? results.temporaryPositions.first { permanentIDs[results.ids[$0]] == id }
    return found.map { results.path(at: $0) }
  }

  // MARK: An index beside the list

  /// Titles for an index beside the list: the sections' index titles in order, without duplicates.
  public var sectionIndexTitles: [String] {
    var seen: Set<String> = []
    return sections.map(\.indexTitle).filter { !$0.isEmpty && seen.insert($0).inserted }
  }

  /// Returns the first section with an index title; nil if no section has it.
  public func section(forIndexTitle title: String) -> Int? {
    sections.firstIndex { $0.indexTitle == title }
  }

  // MARK: Objects

  /// Returns the object at a position in the results' `ids`.
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
