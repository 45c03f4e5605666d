import ManagedContext
import TestSupport
import Testing

@Suite struct ContextChangesTests {
  private func id(_ key: Int64) -> ManagedObjectID { ManagedObjectID(entity: 0, store: .none, key: key) }

  @Test func `an object inserted and then updated is reported as inserted`() {
    var changes = ContextChanges(inserted: [id(1)])
    changes.formUnion(ContextChanges(updatedObjects: [id(1), id(2)]))
    #expect(changes == ContextChanges(inserted: [id(1)], updatedObjects: [id(2)]))
  }

  @Test func `an object inserted and then deleted is reported as deleted`() {
    var changes = ContextChanges(inserted: [id(1)])
    changes.formUnion(ContextChanges(deleted: [id(1)]))
    #expect(changes == ContextChanges(deleted: [id(1)]))
  }

  @Test(arguments: 0..<50)
  func `merging the same changes twice has the same effect as merging them once`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let some = { (generator: inout SeededGenerator) in
      Set(
        (0..<6).map { _ in
          ManagedObjectID(entity: 0, store: .none, key: Int64.random(in: 1...9, using: &generator))
        })
    }
    let inserted = some(&generator)
    let updated = some(&generator).subtracting(inserted)
    let later = ContextChanges(inserted: ManagedObjectIDSet(inserted), updatedObjects: updated)
    var once = ContextChanges(updatedObjects: some(&generator))
    once.formUnion(later)
    var twice = once
    twice.formUnion(later)
    #expect(once == twice)
  }
}
