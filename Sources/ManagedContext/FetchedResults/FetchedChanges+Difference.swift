internal import Sequences

extension FetchedChanges {
  /// Computes the changes that turn the old results into the new ones.
  ///
  /// Two sections are the same if their values are equal. Each ID should occur once in a state. A second
  /// occurrence is deleted and inserted like a separate object.
  ///
  /// - Parameter updated: Objects with changed values, at any position.
  init(from old: FetchedResults, to new: FetchedResults, updated: Set<ManagedObjectID>) {
    var difference = FetchedDifference(old, new, updated)
    difference.run()
    self = difference.changes
  }
}

/// The working state while two results are compared.
private struct FetchedDifference {
  private(set) var changes = FetchedChanges()
  private let old: FetchedResults
  private let new: FetchedResults
  private let updated: Set<ManagedObjectID>
  /// The old section that each new section continues; nil for an inserted section.
  private var origins: [Int?]
  /// Old positions for objects that are not yet known to have stayed in place.
  private var leftOver: [ManagedObjectID: FetchedIndexPath] = [:]

  init(_ old: FetchedResults, _ new: FetchedResults, _ updated: Set<ManagedObjectID>) {
    self.old = old
    self.new = new
    self.updated = updated
    origins = new.sections.map { _ in nil }
  }

  mutating func run() {
    matchSections()
    let kept = Set(origins.compactMap { $0 })
    for section in old.sections.indices where !kept.contains(section) {
      changes.deletedSections.append(section)
      leave(section, old.sections[section].range)
    }
    // Collect all leftover objects from the old state before placing the objects in the new one.
    let middles = new.sections.indices.map { section in
      guard let origin = origins[section] else {
        changes.insertedSections.append(section)
        return new.sections[section].range
      }
      return trim(origin, section)
    }
    for (section, middle) in middles.enumerated() { place(middle, in: section) }
    for (id, path) in leftOver { changes.deletions.append(.init(id: id, path: path)) }
    changes.sort()
  }

  /// Matches sections that stay. Sections cannot move: if two sections swapped, one is deleted and inserted.
  private mutating func matchSections() {
    var places = Dictionary(
      old.sections.enumerated().map { ($0.element.value, $0.offset) }, uniquingKeysWith: { first, _ in first }
    )
    var pairs: [(new: Int, old: Int)] = []
    for (section, content) in new.sections.enumerated() {
      if let place = places.removeValue(forKey: content.value) { pairs.append((section, place)) }
    }
    for index in longestIncrease(in: pairs.map(\.old)) { origins[pairs[index].new] = pairs[index].old }
  }

  /// Skips the objects that a section's two states have in common at their start and end.
  ///
  /// - Returns: The remaining positions in the new state. The remaining old positions are added to
  ///   `leftOver`.
  private mutating func trim(_ origin: Int, _ section: Int) -> Range<Int> {
    var (before, after) = (old.sections[origin].range, new.sections[section].range)
    while let a = before.first, let b = after.first, old.ids[a] == new.ids[b] {
      keep(old.ids[a], origin, a, section, b)
      before.removeFirst()
      after.removeFirst()
    }
    while let a = before.last, let b = after.last, old.ids[a] == new.ids[b] {
      keep(old.ids[a], origin, a, section, b)
      before.removeLast()
      after.removeLast()
    }
    leave(origin, before)
    return after
  }

  /// Classifies the objects in the middle of a new section as inserted, moved or kept.
  private mutating func place(_ middle: Range<Int>, in section: Int) {
    var candidates: [FetchedChanges.Move] = []
    for position in middle {
      let (id, to) = (new.ids[position], path(position, in: section))
      if let from = leftOver.removeValue(forKey: id) {
        let move = FetchedChanges.Move(id: id, from: from, to: to, isUpdated: updated.contains(id))
        if from.section == origins[section] { candidates.append(move) } else { changes.moves.append(move) }
      } else {
        changes.insertions.append(.init(id: id, path: to))
      }
    }
    changes.settle(candidates)
  }

  private func path(_ position: Int, in section: Int) -> FetchedIndexPath {
    FetchedIndexPath(section: section, item: position - new.sections[section].range.lowerBound)
  }

  private mutating func leave(_ section: Int, _ range: Range<Int>) {
    for position in range {
      let path = FetchedIndexPath(
        section: section, item: position - old.sections[section].range.lowerBound)
      let id = old.ids[position]
      if leftOver[id] == nil {
        leftOver[id] = path
      } else {
        changes.deletions.append(.init(id: id, path: path))
      }
    }
  }

  private mutating func keep(_ id: ManagedObjectID, _ origin: Int, _ a: Int, _ section: Int, _ b: Int) {
    guard !updated.isEmpty, updated.contains(id) else { return }
    let before = FetchedIndexPath(section: origin, item: a - old.sections[origin].range.lowerBound)
    changes.updates.append(.init(id: id, before: before, after: path(b, in: section)))
  }
}

extension FetchedChanges {
  /// Adds objects that are in the same section as before, in their new order. As few as possible are moves.
  mutating func settle(_ candidates: [Move]) {
    var staying = longestIncrease(in: candidates.map(\.from))[...]
    for (index, candidate) in candidates.enumerated() {
      if staying.first != index {
        moves.append(candidate)
        continue
      }
      staying.removeFirst()
      guard candidate.isUpdated else { continue }
      updates.append(.init(id: candidate.id, before: candidate.from, after: candidate.to))
    }
  }

  /// Sorts all changes by position. The sections and insertions are sorted already.
  mutating func sort() {
    deletions.sort { $0.path < $1.path }
    moves.sort { $0.to < $1.to }
    updates.sort { $0.before < $1.before }
  }
}
