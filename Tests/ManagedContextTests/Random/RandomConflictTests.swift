@testable import ManagedContext
import TestSupport
import Testing

/// Saves with unique values that conflict with another context's saves, compared with the policy table in Conflicts.md.
@Suite(.serialized) struct RandomConflictTests {
  /// An author in the plain model: a row, or nothing.
  private struct Row: Hashable {
    var name: String
    var city: String
  }

  /// One context's changes of the authors 0 to 5, by index, and its new author.
  private struct Edits {
    var names: [Int: String] = [:]
    var cities: [Int: String] = [:]
    var deleted: Set<Int> = []
    var new: Row?

    var edited: Set<Int> { Set(names.keys).union(cities.keys) }

    func without(_ places: Set<Int>) -> Edits {
      var edits = self
      for place in places { (edits.names[place], edits.cities[place]) = (nil, nil) }
      edits.deleted.subtract(places)
      return edits
    }
  }

  @Test(arguments: seeds(20), StoreKind.allCases)
  func `a save writes the values that the table gives for its policy`(part: Int, kind: StoreKind) async throws
  {
    for seed in kind.seeds(part * 5..<(part + 1) * 5) {
      await Task.yield()
      for policy in MergePolicy.allCases { try check(UInt64(seed), kind, policy) }
    }
  }

  private func check(_ seed: UInt64, _ kind: StoreKind, _ policy: MergePolicy) throws {
    var dice = SeededGenerator(seed: seed)
    let before = (0..<6).map { Row(name: "n\($0)", city: "c\($0)") }
    let theirs = makeTheirs(&dice)
    let mine = makeMine(&dice)
    let store = try LibraryStore(kind)
    let context = store.context(policy)
    let authors = before.map { row in
      let author = context.insert(Author.self)
      (author.name, author.city) = (row.name, row.city)
      return author
    }
    try context.save()
    let other = store.context()
    try make(theirs, of: try authors.map { try other.existingObject(Author.self, with: $0.id) }, in: other)
    let theirChanges = try other.save()
    let new = try make(mine, of: authors, in: context)

    var rows = before.map(Optional.some)
    for (place, name) in theirs.names { rows[place]?.name = name }
    for (place, city) in theirs.cities { rows[place]?.city = city }
    for place in theirs.deleted { rows[place] = nil }
    let after = expectation(mine, over: rows, theirs, before, policy)
    let report = "seed \(seed), \(kind), \(policy): \(mine) over \(theirs)"
    try expectSave(of: context, in: store, after, else: rows + [theirs.new], report)
    if after == nil {
      // After the merge, and without edits of deleted objects, only duplicate names are a conflict.
      try context.mergeChanges(from: theirChanges)
      for place in theirs.deleted { context.refresh(authors[place], mergeChanges: false) }
      let merged = expectation(
        mine.without(theirs.deleted), over: rows, Edits(new: theirs.new),
        rows.map { $0 ?? Row(name: "", city: "") }, policy)
      try expectSave(of: context, in: store, merged, else: rows + [theirs.new], "merged: \(report)")
      guard merged != nil else { return }
    }
    // The context shows the stored values of its saved objects.
    #expect(!context.hasChanges)
    if let new { #expect(!new.isGone && new.context != nil, "\(report)") }
    let reader = store.context()
    for author in mine.edited.map({ authors[$0] }) + (new.map { [$0] } ?? []) {
      let (name, city) = (author.name, author.city)
      guard let row = try reader.fetch(FetchRequest(Author.self, where: .ids([author.id]))).first else {
        continue
      }
      #expect(row.name == name && row.city == city, "\(author.id): \(report)")
    }
  }

  /// Saves, and compares the store with the expected rows.
  ///
  /// - Parameters:
  ///   - after: The rows after the save; nil for a conflict.
  ///   - before: The rows before it.
  private func expectSave(
    of context: ManagedObjectContext, in store: LibraryStore, _ after: Set<Row>?, else before: [Row?],
    _ report: String
  ) throws {
    do throws(StoreError) {
      try context.save()
      #expect(after != nil, "no conflict: \(report)")
    } catch {
      guard case .conflict = error else { throw error }
      #expect(after == nil, "\(error): \(report)")
    }
    let found = try store.context().fetch(FetchRequest(Author.self)).map {
      Row(name: $0.name, city: $0.city ?? "-")
    }
    #expect(Set(found) == after ?? Set(before.compactMap { $0 }), "\(report)")
    #expect(found.count == Set(found).count, "\(report)")
  }

  @discardableResult
  private func make(_ edits: Edits, of authors: [Author], in context: ManagedObjectContext) throws -> Author?
  {
    for (place, name) in edits.names { authors[place].name = name }
    for (place, city) in edits.cities { authors[place].city = city }
    for place in edits.deleted { context.delete(authors[place]) }
    return edits.new.map { row in
      let author = context.insert(Author.self)
      (author.name, author.city) = (row.name, row.city)
      return author
    }
  }

  /// Makes one change in the other context, which saves first.
  private func makeTheirs(_ dice: inout SeededGenerator) -> Edits {
    var edits = Edits()
    let place = Int.random(in: 0..<6, using: &dice)
    switch Int.random(in: 0..<5, using: &dice) {
    case 0: edits.names[place] = "theirs"
    case 1: edits.cities[place] = "theirs"
    case 2: edits.deleted = [place]
    case 3: edits.new = Row(name: "theirs", city: "theirs")
    default: break
    }
    return edits
  }

  /// Assigns names that some authors exchange, free names, and names of the other context.
  private func makeMine(_ dice: inout SeededGenerator) -> Edits {
    var edits = Edits()
    var places = Array(0..<6).shuffled(using: &dice)
    if Bool.random(using: &dice) { edits.deleted = [places.removeLast()] }
    if Bool.random(using: &dice) { edits.cities[places[0]] = "mine" }
    let movers = places.prefix(Int.random(in: 0...4, using: &dice))
    var names = (movers + edits.deleted).map { "n\($0)" } + ["theirs", "free"]
    names.shuffle(using: &dice)
    for place in movers {
      guard let name = names.popLast(), name != "n\(place)" else { continue }
      edits.names[place] = name
    }
    if Bool.random(using: &dice), let name = names.popLast() { edits.new = Row(name: name, city: "new") }
    return edits
  }

  /// Returns the rows of the store after the save; nil for a conflict.
  private func expectation(
    _ mine: Edits, over rows: [Row?], _ theirs: Edits, _ before: [Row], _ policy: MergePolicy
  ) -> Set<Row>? {
    let touched = theirs.edited.union(theirs.deleted)
    let isStale = { (place: Int) in touched.contains(place) }
    if policy == .error,
      mine.edited.contains(where: isStale) || mine.deleted.contains(where: { theirs.edited.contains($0) })
    {
      return nil
    }
    var result = rows
    /// Rows that change their names, with the values they fall back to if the name is taken.
    var movers: [Int: Row?] = [:]
    for place in mine.deleted {
      let stays = theirs.edited.contains(place) && (policy == .storeTrumps || policy == .rollback)
      if !stays { result[place] = nil }
    }
    for place in mine.edited {
      guard let row = rows[place] else {
        // The row was deleted elsewhere.
        guard policy == .objectTrumps || policy == .overwrite else { continue }
        result[place] = Row(
          name: mine.names[place] ?? before[place].name, city: mine.cities[place] ?? before[place].city)
        continue
      }
      if isStale(place) && policy == .rollback { continue }
      var new = isStale(place) && policy == .overwrite ? before[place] : row
      if let city = mine.cities[place], !(policy == .storeTrumps && row.city != before[place].city) {
        new.city = city
      }
      if let name = mine.names[place], !(policy == .storeTrumps && row.name != before[place].name) {
        new.name = name
      }
      if new.name != row.name {
        movers[place] = policy == .rollback ? row : Row(name: row.name, city: new.city)
      }
      result[place] = new
    }
    var others = theirs.new.map { [$0] } ?? []
    let wins = policy == .objectTrumps || policy == .overwrite
    // A row whose name another row keeps yields, or that row is deleted, until no two rows have the same name.
    while true {
      let all = result.indices.filter { result[$0] != nil }
      let clash =
        all.first { place in
          movers[place] != nil
            && (others.contains { $0.name == result[place]?.name }
              || all.contains { $0 != place && result[$0]?.name == result[place]?.name })
        }
        ?? all.first { place in
          wins && rows[place] == nil && others.contains { $0.name == result[place]?.name }
        }
      guard let clash else { break }
      if policy == .error { return nil }
      if wins {
        others.removeAll { $0.name == result[clash]?.name }
        for place in all where place != clash && result[place]?.name == result[clash]?.name {
          result[place] = nil
        }
      } else if let fallback = movers[clash] {
        result[clash] = fallback
        movers[clash] = nil
      }
    }
    if let new = mine.new {
      if let place = result.firstIndex(where: { $0?.name == new.name }) {
        if policy == .error { return nil }
        if wins { result[place] = new }
      } else if let place = others.firstIndex(where: { $0.name == new.name }) {
        if policy == .error { return nil }
        if wins { others[place] = new }
      } else {
        others.append(new)
      }
    }
    return Set(result.compactMap { $0 } + others)
  }
}
