import TestSupport
import Testing

@testable import ManagedContext

@Suite struct ObjectTableTests {
  /// A table, and what a dictionary has after the same calls.
  private final class Both {
    let table = ObjectTable()
    /// The objects' versions: the dictionary must not hold the objects.
    var versions: [ManagedObjectID: Int64] = [:]
    /// The objects that other code holds.
    var held: [ManagedObjectID: ManagedObject] = [:]
    private var last: Int64 = 0

    func set(_ id: ManagedObjectID, isHeld: Bool) {
      last += 1
      let object = ManagedObject(
        ManagedObjectSeed(id: id, context: nil, values: [], version: last, isFault: true))
      table[id] = object
      versions[id] = last
      held[id] = isHeld ? object : nil
    }

    /// Removes an object in one of two ways, and returns whether the result is the dictionary's.
    func remove(_ id: ManagedObjectID, returns: Bool) -> Bool {
      held[id] = nil
      let version = versions.removeValue(forKey: id)
      if returns { return table.remove(id)?.version == version }
      table[id] = nil
      return true
    }

    func isSame(_ id: ManagedObjectID) -> Bool {
      table[id]?.version == versions[id] && table[id]?.id == versions[id].map { _ in id }
    }

    func isUnheldRight(_ id: ManagedObjectID) -> Bool {
      table.isUnheld(id) == (versions[id] != nil && held[id] == nil)
    }

    var isSame: Bool {
      let all = table.all.map { ($0.id, $0.version) }
      let unheld = table.unheldIDs()
      return all.count == versions.count && all.allSatisfy { versions[$0] == $1 }
        && versions.keys.allSatisfy(isSame)
        && table.count == versions.count && unheld.count == versions.count - held.count
        && Set(unheld) == Set(versions.keys.filter { held[$0] == nil })
    }
  }

  private let other = StoreNumber.unique()

  /// IDs in a few blocks, of which several differ in the entity or the store alone.
  private func anyID(_ random: inout some RandomNumberGenerator) -> ManagedObjectID {
    let near = Int64.random(in: -40...40, using: &random)
    let key = [near, near, near, .min + abs(near), .max - abs(near)].randomElement(using: &random) ?? near
    return ManagedObjectID(
      entity: .random(in: 0...1, using: &random), store: Bool.random(using: &random) ? .none : other, key: key
    )
  }

  @Test(arguments: seeds(50)) func `it has the same objects as a dictionary`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let both = Both()
    for _ in 0..<200 {
      let start = anyID(&random)
      let sets = [0.1, 0.5, 0.9].randomElement(using: &random) ?? 0.5
      // Few keys, so that whole blocks become empty and are used again.
      for _ in 0..<Int.random(in: 1...24, using: &random) {
        let offset = Int64.random(in: 0..<12, using: &random)
        let id = ManagedObjectID(entity: start.entity, store: start.store, key: start.key &+ offset)
        if Double.random(in: 0..<1, using: &random) < sets {
          both.set(id, isHeld: Bool.random(using: &random))
        } else {
          #expect(both.remove(id, returns: Bool.random(using: &random)))
        }
        #expect(both.isSame(id) && both.isUnheldRight(id))
      }
      let probe = anyID(&random)
      #expect(both.isSame(probe) && both.isUnheldRight(probe))
      both.held[probe] = nil
      #expect(both.isSame)
    }
  }

  @Test func `the ID with the least key has a description`() {
    let id = ManagedObjectID(entity: 0, store: .none, key: .min)
    #expect("\(id)" == "new object 9223372036854775808")
  }
}
