/// The IDs that a request returned: the state of a ``FetchedResultsController``.
struct FetchedResults: Sendable, Equatable {
  /// Consecutive IDs of objects with the same section value.
  struct Section: Sendable, Equatable {
    let value: AttributeValue
    /// The section's positions in ``FetchedResults/ids``.
    let range: Range<Int>
  }

  /// All IDs, section by section.
  private(set) var ids: [ManagedObjectID] = []
  private(set) var sections: [Section] = []
  private var hasTemporaryIDs = false

  init() {}

  init(ids: [ManagedObjectID], sections: [Section]) {
    (self.ids, self.sections) = (ids, sections)
    hasTemporaryIDs = ids.contains(where: \.isTemporary)
  }

  /// Creates results from sections.
  init(_ parts: [(value: AttributeValue, ids: [ManagedObjectID])]) {
    for (value, part) in parts {
      sections.append(Section(value: value, range: ids.count..<ids.count + part.count))
      ids += part
    }
    hasTemporaryIDs = ids.contains(where: \.isTemporary)
  }

  /// Creates results from rows in their order, with a section value for each. Without such values, all rows form
  /// one section, possibly empty.
  init(_ rows: RowBatch, sections values: [AttributeValue]?) {
    ids = rows.ids
    hasTemporaryIDs = ids.contains(where: \.isTemporary)
    guard let values else {
      sections = [Section(value: .null, range: 0..<ids.count)]
      return
    }
    var start = 0
    var current = AttributeValue.null
    for (row, value) in values.enumerated() {
      let value = value.asSection
      if row > start && value != current {
        sections.append(Section(value: current, range: start..<row))
        start = row
      }
      current = value
    }
    if rows.count > start { sections.append(Section(value: current, range: start..<rows.count)) }
  }

  /// Returns an index path's position in `ids`; nil if it is out of range.
  func position(of path: FetchedIndexPath) -> Int? {
    guard sections.indices.contains(path.section) else { return nil }
    let range = sections[path.section].range
    let position = range.lowerBound + path.item
    return path.item >= 0 && position < range.upperBound ? position : nil
  }

  /// Returns the index path for a position in `ids`.
  func path(at position: Int) -> FetchedIndexPath {
    var (low, high) = (0, sections.count)
    while low < high {
      let middle = (low + high) / 2
      if sections[middle].range.upperBound <= position { low = middle + 1 } else { high = middle }
    }
    return FetchedIndexPath(section: low, item: position - sections[low].range.lowerBound)
  }

  /// Returns all IDs except at some positions, which must be ascending.
  func ids(without positions: [Int]) -> [ManagedObjectID] {
    guard !positions.isEmpty else { return ids }
    var kept: [ManagedObjectID] = []
    kept.reserveCapacity(ids.count - positions.count)
    var start = 0
    for position in positions {
      kept += ids[start..<position]
      start = position + 1
    }
    return kept + ids[start...]
  }

  /// Positions of objects that were unsaved when they were added.
  var temporaryPositions: [Int] { hasTemporaryIDs ? ids.indices.filter { ids[$0].isTemporary } : [] }

  /// Replaces saved objects' temporary IDs with their permanent IDs.
  ///
  /// An object keeps its temporary ID if its permanent ID is already in the results. A list then shows the
  /// object twice until the next change removes one.
  ///
  /// - Returns: True if any ID was replaced.
  @discardableResult
  mutating func adopt(_ permanentIDs: PermanentIDs) -> Bool {
    guard hasTemporaryIDs, !permanentIDs.isEmpty else { return false }
    var known = Set(ids)
    let before = known.count
    for position in ids.indices where ids[position].isTemporary {
      let permanent = permanentIDs[ids[position]]
      if known.insert(permanent).inserted { ids[position] = permanent }
    }
    hasTemporaryIDs = ids.contains(where: \.isTemporary)
    return known.count > before
  }
}

extension AttributeValue {
  /// The value as a section key. Equal numbers of different types become one key, and NaN becomes null.
  var asSection: AttributeValue {
    if case .date(let seconds) = self { return seconds.isNaN ? .null : self }
    guard case .real(let number) = self else { return self }
    if let whole = Int64(exactly: number) { return .integer(whole) }
    return number.isNaN ? .null : self
  }
}
