/// A context's objects by ID.
///
/// Objects with neighbouring keys, which are usually created together, have neighbouring places. A fetch therefore
/// looks up a block of places for many objects, and objects are released in the order in which memory has them.
final class ObjectTable {
  /// The places of a block: two lines of the processor's cache.
  private static let size: Int64 = 16

  /// The first place of each block, by the ID of its first object with its key divided by the size.
  private var blocks: [ManagedObjectID: Int] = [:]
  private var places: [ManagedObject?] = []
  /// The first places of blocks that no longer have objects.
  private var unused: [Int] = []
  /// The block of the last object that was looked up.
  private var last: (block: ManagedObjectID, first: Int)?
  private(set) var count = 0

  /// All objects, in no order.
  var all: [ManagedObject] { places.compactMap { $0 } }

  subscript(id: ManagedObjectID) -> ManagedObject? {
    get { place(of: id).flatMap { places[$0] } }
    set {
      guard let newValue else {
        remove(id)
        return
      }
      let place = place(of: id) ?? addBlock(of: id)
      if places[place] == nil { count += 1 }
      places[place] = newValue
    }
  }

  /// Removes and returns an object.
  @discardableResult
  func remove(_ id: ManagedObjectID) -> ManagedObject? {
    guard let place = place(of: id), let object = places[place] else { return nil }
    places[place] = nil
    count -= 1
    let first = place - place % Int(Self.size)
    if places[first..<first + Int(Self.size)].allSatisfy({ $0 == nil }) {
      blocks[Self.block(of: id)] = nil
      unused.append(first)
      last = nil
    }
    return object
  }

  /// Returns whether no other code holds an object.
  func isUnheld(_ id: ManagedObjectID) -> Bool {
    place(of: id).map { isKnownUniquelyReferenced(&places[$0]) } ?? false
  }

  /// The IDs of the objects that no other code holds.
  func unheldIDs() -> [ManagedObjectID] {
    var unheld: [ManagedObjectID] = []
    for place in places.indices where isKnownUniquelyReferenced(&places[place]) {
      if let id = places[place]?.id { unheld.append(id) }
    }
    return unheld
  }

  private func place(of id: ManagedObjectID) -> Int? {
    let block = Self.block(of: id)
    let offset = Int(id.key & (Self.size - 1))
    if let last, last.block == block { return last.first + offset }
    guard let first = blocks[block] else { return nil }
    last = (block, first)
    return first + offset
  }

  /// Returns the object's place in a new block.
  private func addBlock(of id: ManagedObjectID) -> Int {
    let first = unused.popLast() ?? places.count
    if first == places.count { places += repeatElement(nil, count: Int(Self.size)) }
    let block = Self.block(of: id)
    blocks[block] = first
    last = (block, first)
    return first + Int(id.key & (Self.size - 1))
  }

  private static func block(of id: ManagedObjectID) -> ManagedObjectID {
    ManagedObjectID(entity: id.entity, store: id.store, key: id.key >> size.trailingZeroBitCount)
  }
}
