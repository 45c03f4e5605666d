/// What a request gave, as IDs: the state of a ``FetchedResultsController``.
struct FetchedResults: Sendable, Equatable {
  /// IDs that stand together because they have one value.
  struct Section: Sendable, Equatable {
    let value: AttributeValue
    /// Its places among all.
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

  /// Makes results of sections.
  init(_ parts: [(value: AttributeValue, ids: [ManagedObjectID])]) {
    for (value, part) in parts {
      sections.append(Section(value: value, range: ids.count..<ids.count + part.count))
      ids += part
    }
    hasTemporaryIDs = ids.contains(where: \.isTemporary)
  }

  /// Makes results of rows in their order; without a column all are in one section, which is there even when empty.
  init(_ rows: RowBatch, sectionColumn: Int?, model: ManagedObjectModel) {
    ids = rows.ids
    hasTemporaryIDs = ids.contains(where: \.isTemporary)
    guard let sectionColumn else {
      sections = [Section(value: .null, range: 0..<ids.count)]
      return
    }
    var start = 0
    var current = AttributeValue.null
    for row in 0..<rows.count {
      let value = rows.value(row: row, column: sectionColumn, model: model).asSection
      if row > start && value != current {
        sections.append(Section(value: current, range: start..<row))
        start = row
      }
      current = value
    }
    if rows.count > start { sections.append(Section(value: current, range: start..<rows.count)) }
  }

  /// The place, among all, of a path; nil outside.
  func position(of path: FetchedIndexPath) -> Int? {
    guard sections.indices.contains(path.section) else { return nil }
    let range = sections[path.section].range
    let position = range.lowerBound + path.item
    return path.item >= 0 && position < range.upperBound ? position : nil
  }

  /// The path of a place among all.
  func path(at position: Int) -> FetchedIndexPath {
    var (low, high) = (0, sections.count)
    while low < high {
      let middle = (low + high) / 2
      if sections[middle].range.upperBound <= position { low = middle + 1 } else { high = middle }
    }
    return FetchedIndexPath(section: low, item: position - sections[low].range.lowerBound)
  }

  /// All IDs but those at some places, which ascend.
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

  /// The places of objects that had never been saved when they came.
  var temporaryPositions: [Int] { hasTemporaryIDs ? ids.indices.filter { ids[$0].isTemporary } : [] }

  /// Gives objects that were saved meanwhile the IDs that they have now.
  ///
  /// One that turned out to be an object that is in the results already keeps its old ID: there are two lines of it
  /// in a list, and one will have to go.
  /// - Returns: Whether one has another ID now.
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
  /// The value as the key of a section: numbers that sort alike are one, and so is all that is no number.
  var asSection: AttributeValue {
    guard case .real(let number) = self else { return self }
    if let whole = Int64(exactly: number) { return .integer(whole) }
    return number.isNaN ? .null : self
  }
}
