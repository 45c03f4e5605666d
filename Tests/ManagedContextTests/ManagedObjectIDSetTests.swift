import ManagedContext
import TestSupport
import Testing

@Suite struct ManagedObjectIDSetTests {
  private let other = StoreNumber.unique()

  private func id(_ key: Int64, _ entity: EntityIndex = 0, _ store: StoreNumber = .none) -> ManagedObjectID {
    ManagedObjectID(entity: entity, store: store, key: key)
  }

  /// IDs close enough together that many collide, and some far apart.
  private func anyID(_ random: inout some RandomNumberGenerator) -> ManagedObjectID {
    let key = [Int64.random(in: -3...20, using: &random), .min, .max][
      Int.random(in: 0..<20, using: &random) / 9]
    return id(key, .random(in: 0...2, using: &random), Bool.random(using: &random) ? .none : other)
  }

  @Test(arguments: 0..<50) func `it contains the same IDs as a set of the standard library`(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var (ours, theirs) = (ManagedObjectIDSet(), Set<ManagedObjectID>())
    for _ in 0..<300 {
      let some = (0..<Int.random(in: 0...12, using: &random)).map { _ in anyID(&random) }
      switch Int.random(in: 0...4, using: &random) {
      case 0:
        ours.formUnion(ManagedObjectIDSet(some))
        theirs.formUnion(some)
      case 1:
        ours.subtract(ManagedObjectIDSet(some))
        theirs.subtract(some)
      case 2:
        let id = anyID(&random)
        ours.remove(id)
        theirs.remove(id)
      default:
        let start = anyID(&random)
        for key in 0..<Int64.random(in: 1...5, using: &random) {
          let next = id(start.key &+ key, start.entity, start.store)
          ours.insert(next)
          theirs.insert(next)
        }
      }
      let probe = anyID(&random)
      guard ours.contains(probe) == theirs.contains(probe), ours.count == theirs.count,
        ours.isEmpty == theirs.isEmpty, Set(ours) == theirs, ours == ManagedObjectIDSet(theirs),
        ours.count(of: probe.entity) == theirs.count(where: { $0.entity == probe.entity })
      else {
        Issue.record("\(ours) for \(theirs)")
        return
      }
    }
  }

  @Test func `iteration is in the order of store, entity and key`() {
    let ids: ManagedObjectIDSet = [id(2, 1), id(9), id(1, 1), id(0, 0, other), id(8), id(5)]
    #expect(Array(ids) == [id(5), id(8), id(9), id(1, 1), id(2, 1), id(0, 0, other)])
  }

  @Test func `sets of the same IDs are equal regardless of the order of insertion`() {
    var one: ManagedObjectIDSet = [id(1), id(2), id(3), id(9)]
    var other: ManagedObjectIDSet = [id(9), id(3), id(1)]
    #expect(one != other)
    other.insert(id(2))
    #expect(one == other && one.hashValue == other.hashValue)
    one.subtract(other)
    #expect(one.isEmpty && one == [])
  }
}
