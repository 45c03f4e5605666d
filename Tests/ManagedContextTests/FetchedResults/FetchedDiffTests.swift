import TestSupport
import Testing

@testable import ManagedContext
import Sequences

@Suite struct FetchedDiffTests {
  private func id(_ key: Int) -> ManagedObjectID {
    ManagedObjectID(entity: Library.book, store: .none, key: Int64(key))
  }

  private func results(_ sections: [(Int, [Int])]) -> FetchedResults {
    FetchedResults(sections.map { (.integer(Int64($0.0)), $0.1.map(id)) })
  }

  private func list(_ results: FetchedResults) -> ShownList {
    ShownList(
      results.sections.map { section in
        .init(value: section.value, ids: Array(results.ids[section.range]))
      })
  }

  /// Sections in any order, with unique IDs.
  private func randomResults(_ random: inout SeededGenerator, isSorted: Bool) -> FetchedResults {
    var keys = Array(0..<Int.random(in: 0...24, using: &random)).shuffled(using: &random)
    if isSorted { keys.sort() }
    var values = Array(0..<6).shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))
    values.sort()
    if !isSorted { values.shuffle(using: &random) }
    var sections = values.map { ($0, [Int]()) }
    guard !sections.isEmpty else { return results([]) }
    for key in keys where Int.random(in: 0..<5, using: &random) > 0 {
      sections[Int.random(in: 0..<sections.count, using: &random)].1.append(key)
    }
    return results(sections)
  }

  @Test(arguments: 0..<300) func `applying the changes to the old state produces the new state`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let isSorted = seed.isMultiple(of: 2)
    let old = randomResults(&random, isSorted: isSorted)
    let new = randomResults(&random, isSorted: isSorted)
    let updated = Set((0..<24).filter { _ in Bool.random(using: &random) }.map(id))
    let changes = FetchedChanges(from: old, to: new, updated: updated)
    var list = list(old)
    list.apply(changes, inserting: new)
    #expect(list == self.list(new))

    let stayed = Set(old.ids).intersection(new.ids)
    let reported = changes.updates.map(\.id) + changes.moves.filter(\.isUpdated).map(\.id)
    #expect(Set(reported) == updated.intersection(stayed))
    #expect(reported.count == Set(reported).count)
    for update in changes.updates {
      #expect(old.ids.firstIndex(of: update.id).map(old.path) == update.before)
      #expect(new.ids.firstIndex(of: update.id).map(new.path) == update.after)
    }
    #expect(Set(changes.insertions.map(\.id)) == Set(new.ids).subtracting(old.ids))
    #expect(Set(changes.deletions.map(\.id)) == Set(old.ids).subtracting(new.ids))
  }

  @Test(arguments: 0..<50) func `a state does not differ from itself`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let state = randomResults(&random, isSorted: false)
    #expect(FetchedChanges(from: state, to: state, updated: []).isEmpty)
  }

  @Test func `moving one object past many is reported as one move`() {
    let changes = FetchedChanges(
      from: results([(0, [1, 2, 3, 4, 5])]), to: results([(0, [5, 1, 2, 3, 4])]), updated: [id(5)])
    #expect(
      changes.moves == [
        .init(id: id(5), from: .init(section: 0, item: 4), to: .init(section: 0, item: 0), isUpdated: true)
      ])
    #expect(changes.updates.isEmpty && changes.insertions.isEmpty && changes.deletions.isEmpty)
  }

  @Test func `an update has the old index of its object, even after shifts`() {
    let changes = FetchedChanges(
      from: results([(0, [1, 2])]), to: results([(0, [9, 1, 2])]), updated: [id(2)])
    #expect(
      changes.updates == [
        .init(id: id(2), before: .init(section: 0, item: 1), after: .init(section: 0, item: 2))
      ])
  }

  @Test func `the objects of a removed section are reported too`() {
    let changes = FetchedChanges(
      from: results([(0, [1]), (1, [2, 3])]), to: results([(0, [1, 2]), (5, [4])]), updated: [])
    #expect(changes.deletedSections == [1])
    #expect(changes.insertedSections == [1])
    #expect(changes.deletions == [.init(id: id(3), path: .init(section: 1, item: 1))])
    #expect(changes.moves.map(\.id) == [id(2)])
    #expect(changes.insertions == [.init(id: id(4), path: .init(section: 1, item: 0))])
  }

  @Test(arguments: 0..<50) func `a duplicate ID causes no failure`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    func doubled() -> FetchedResults {
      results(
        (0..<3).map { section in
          (section, (0..<5).map { _ in Int.random(in: 0..<6, using: &random) })
        })
    }
    let (old, new) = (doubled(), doubled())
    var list = list(old)
    list.apply(FetchedChanges(from: old, to: new, updated: [id(0)]), inserting: new)
    #expect(list == self.list(new))
  }

  @Test(arguments: 0..<50) func `the result is a longest increasing subsequence`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let numbers = (0..<12).map { _ in Int.random(in: 0..<20, using: &random) }
    let found = longestIncrease(in: numbers)
    #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 && numbers[$0] < numbers[$1] })
    var best = [Int](repeating: 1, count: numbers.count)
    for place in numbers.indices {
      for earlier in 0..<place where numbers[earlier] < numbers[place] {
        best[place] = max(best[place], best[earlier] + 1)
      }
    }
    #expect(found.count == best.max())
  }

  @Test func `a saved object keeps its position under its new ID`() {
    let (temporary, permanent) = (ManagedObjectID.makeTemporary(entity: Library.book), id(7))
    var permanentIDs = PermanentIDs()
    permanentIDs.add([temporary: permanent])
    var state = FetchedResults([(.null, [id(1), temporary])])
    state.adopt(permanentIDs)
    #expect(state.ids == [id(1), permanent])
    // The new object became an existing one, so the list has two lines of it, and one has to go.
    var doubled = FetchedResults([(.null, [permanent, temporary])])
    doubled.adopt(permanentIDs)
    let after = FetchedResults([(.null, [permanent])])
    #expect(
      FetchedChanges(from: doubled, to: after, updated: []).deletions.map(\.path) == [
        .init(section: 0, item: 1)
      ])
  }
}

/// A list as the user interface shows it. Only batch updates change it.
struct ShownList: Equatable {
  struct Section: Equatable {
    let value: AttributeValue
    var ids: [ManagedObjectID]
  }

  private(set) var sections: [Section]

  init(_ sections: [Section]) {
    self.sections = sections
  }

  /// Applies the changes. Only the values of new sections are read from the new results.
  mutating func apply(_ changes: FetchedChanges, inserting new: FetchedResults) {
    let gone = changes.deletions.map(\.path) + changes.moves.map(\.from)
    for path in gone.sorted(by: >) { sections[path.section].ids.remove(at: path.item) }
    for section in changes.deletedSections.reversed() {
      let removed = sections.remove(at: section)
      #expect(removed.ids.isEmpty)
    }
    for section in changes.insertedSections {
      sections.insert(Section(value: new.sections[section].value, ids: []), at: section)
    }
    let come = changes.insertions + changes.moves.map { .init(id: $0.id, path: $0.to) }
    for place in come.sorted(by: { $0.path < $1.path }) {
      sections[place.path.section].ids.insert(place.id, at: place.path.item)
    }
  }
}
