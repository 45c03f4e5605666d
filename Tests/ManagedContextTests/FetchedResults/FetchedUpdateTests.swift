import TestSupport
import Testing

@testable import ManagedContext

@Suite struct FetchedUpdateTests {
  /// An object of a list, which is sorted by section, then by key.
  private struct Line: Equatable {
    let id: ManagedObjectID
    var section: Int
    var key: Int

    static func precedes(_ one: Line, _ other: Line) -> Bool {
      (one.section, one.key, one.id.key) < (other.section, other.key, other.id.key)
    }
  }

  private func results(_ lines: [Line], hasSections: Bool) -> FetchedResults {
    guard hasSections else { return FetchedResults([(.null, lines.map(\.id))]) }
    let sections = Set(lines.map(\.section)).sorted()
    return FetchedResults(
      sections.map { section in
        (.integer(Int64(section)), lines.filter { $0.section == section }.map(\.id))
      })
  }

  private func list(_ results: FetchedResults) -> ShownList {
    ShownList(
      results.sections.map { .init(value: $0.value, ids: Array(results.ids[$0.range])) })
  }

  @Test(arguments: 0..<300)
  func `updating a list with changed objects gives the same result as sorting it again`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let hasSections = !seed.isMultiple(of: 3)
    func line(_ key: Int) -> Line {
      Line(
        id: ManagedObjectID(entity: Library.book, store: .none, key: Int64(key)),
        section: hasSections ? Int.random(in: 0..<4, using: &random) : 0,
        key: Int.random(in: 0..<8, using: &random))
    }
    let before = (0..<Int.random(in: 0...20, using: &random)).map(line).sorted(by: Line.precedes)
    // Some objects are removed, changed or added, and some are reported as changed but are not.
    var after = before
    var touched: Set<ManagedObjectID> = []
    for index in after.indices.reversed() where Int.random(in: 0..<4, using: &random) == 0 {
      touched.insert(after[index].id)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: after.remove(at: index)
      case 1: break
      default: after[index] = Line(id: after[index].id, section: line(0).section, key: line(0).key)
      }
    }
    for key in 0..<Int.random(in: 0...4, using: &random) {
      after.append(line(100 + key))
      touched.insert(ManagedObjectID(entity: Library.book, store: .none, key: Int64(100 + key)))
    }
    after.sort(by: Line.precedes)

    let (old, new) = (
      results(before, hasSections: hasSections), results(after, hasSections: hasSections)
    )
    let kept = before.filter { !touched.contains($0.id) }
    let updated = touched.filter { _ in Bool.random(using: &random) }
    let update = FetchedUpdate(
      old,
      taking: before.indices.filter { touched.contains(before[$0].id) }.map { ($0, before[$0].id) },
      adding: after.filter { touched.contains($0.id) }.map { line in
        FetchedArrival(
          id: line.id, section: hasSections ? .integer(Int64(line.section)) : .null,
          place: kept.count { Line.precedes($0, line) })
      },
      updated: updated, hasSections: hasSections)
    #expect(update.results == new)
    var list = list(old)
    list.apply(update.changes, inserting: new)
    #expect(list == self.list(new))

    let stayed = Set(old.ids).intersection(new.ids)
    let told = update.changes.updates.map(\.id) + update.changes.moves.filter(\.isUpdated).map(\.id)
    #expect(Set(told) == updated.intersection(stayed) && told.count == Set(told).count)
    #expect(update.changes.moves.allSatisfy { touched.contains($0.id) })
    for update in update.changes.updates {
      #expect(old.ids.firstIndex(of: update.id).map(old.path) == update.before)
      #expect(new.ids.firstIndex(of: update.id).map(new.path) == update.after)
    }
    #expect(Set(update.changes.insertions.map(\.id)) == Set(new.ids).subtracting(old.ids))
    #expect(Set(update.changes.deletions.map(\.id)) == Set(old.ids).subtracting(new.ids))
  }
}
