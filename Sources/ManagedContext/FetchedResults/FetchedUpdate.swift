/// A changed object that belongs to the fetched results after the change.
struct FetchedArrival {
  let id: ManagedObjectID
  /// The object's section value.
  let section: AttributeValue
  /// The number of unchanged objects before it.
  let place: Int
}

/// Applies a few changed objects to fetched results. Unchanged objects are not compared and do not move.
struct FetchedUpdate {
  private(set) var results = FetchedResults()
  private(set) var changes = FetchedChanges()
  /// The old section that each new section continues; nil for an inserted section.
  private var origins: [Int?] = []

  /// Computes the new results and their changes.
  ///
  /// - Parameters:
  ///   - old: The results before the change.
  ///   - taken: The changed objects' positions in `old`, ascending, with their current IDs.
  ///   - arrivals: The changed objects that belong to the new results, in order.
  ///   - updated: Objects with changed values.
  ///   - hasSections: True if an attribute divides the results into sections.
  init(
    _ old: FetchedResults, taking taken: [(position: Int, id: ManagedObjectID)],
    adding arrivals: [FetchedArrival], updated: Set<ManagedObjectID>, hasSections: Bool
  ) {
    arrange(old, taken.map(\.position), arrivals, hasSections)
    compare(old, taken, arrivals, updated)
  }

  /// Builds the new results: unchanged objects keep their order, and each arrival is inserted at its
  /// position.
  private mutating func arrange(
    _ old: FetchedResults, _ taken: [Int], _ arrivals: [FetchedArrival], _ hasSections: Bool
  ) {
    var ids: [ManagedObjectID] = []
    ids.reserveCapacity(old.ids.count + arrivals.count)
    var sections: [FetchedResults.Section] = []
    var emptied: [AttributeValue: Int] = [:]
    func add(_ new: some Collection<ManagedObjectID>, to value: AttributeValue, _ origin: Int?) {
      let start = ids.count
      ids.append(contentsOf: new)
      if let last = sections.last, last.value == value {
        sections[sections.count - 1] = .init(value: value, range: last.range.lowerBound..<ids.count)
        origins[origins.count - 1] = origins[origins.count - 1] ?? origin
      } else {
        sections.append(.init(value: value, range: start..<ids.count))
        origins.append(origin)
      }
    }
    var (nextTaken, nextArrival, passed) = (0, 0, 0)
    for (number, section) in old.sections.enumerated() {
      var position = section.range.lowerBound
      let before = passed
      while position < section.range.upperBound {
        if nextTaken < taken.count, taken[nextTaken] == position {
          (nextTaken, position) = (nextTaken + 1, position + 1)
          continue
        }
        while nextArrival < arrivals.count, arrivals[nextArrival].place <= passed {
          let arrival = arrivals[nextArrival]
          add(
            CollectionOfOne(arrival.id), to: arrival.section, arrival.section == section.value ? number : nil)
          nextArrival += 1
        }
        var end = section.range.upperBound
        if nextTaken < taken.count { end = min(end, taken[nextTaken]) }
        if nextArrival < arrivals.count { end = min(end, position + arrivals[nextArrival].place - passed) }
        add(old.ids[position..<end], to: section.value, number)
        (passed, position) = (passed + end - position, end)
      }
      if passed == before { emptied[section.value] = number }
    }
    for arrival in arrivals[nextArrival...] { add(CollectionOfOne(arrival.id), to: arrival.section, nil) }
    if !hasSections && sections.isEmpty { add([], to: .null, 0) }
    // A section with an unchanged value is the same section, even if none of its objects stayed.
    for place in sections.indices where origins[place] == nil {
      origins[place] = emptied.removeValue(forKey: sections[place].value)
    }
    results = FetchedResults(ids: ids, sections: sections)
  }

  private mutating func compare(
    _ old: FetchedResults, _ taken: [(position: Int, id: ManagedObjectID)], _ arrivals: [FetchedArrival],
    _ updated: Set<ManagedObjectID>
  ) {
    let continued = Set(origins.compactMap { $0 })
    changes.deletedSections = old.sections.indices.filter { !continued.contains($0) }
    changes.insertedSections = origins.indices.filter { origins[$0] == nil }
    /// For each changed object in the old results, its position and the count of unchanged objects before it.
    var before: [ManagedObjectID: (position: Int, place: Int)] = [:]
    for (number, (position, id)) in taken.enumerated() {
      if before[id] == nil {
        before[id] = (position, position - number)
      } else {
        changes.deletions.append(.init(id: id, path: old.path(at: position)))
      }
    }
    var candidates: [FetchedChanges.Move] = []
    for (number, arrival) in arrivals.enumerated() {
      let (id, to) = (arrival.id, results.path(at: arrival.place + number))
      guard let (position, place) = before.removeValue(forKey: id) else {
        changes.insertions.append(.init(id: id, path: to))
        continue
      }
      let move = FetchedChanges.Move(
        id: id, from: old.path(at: position), to: to, isUpdated: updated.contains(id))
      let hasStayed = place == arrival.place && origins[to.section] == move.from.section
      if hasStayed { candidates.append(move) } else { changes.moves.append(move) }
    }
    // Among adjacent changed objects, some may have moved past others.
    changes.settle(candidates)
    for (id, (position, _)) in before {
      changes.deletions.append(.init(id: id, path: old.path(at: position)))
    }
    changes.sort()
  }
}
