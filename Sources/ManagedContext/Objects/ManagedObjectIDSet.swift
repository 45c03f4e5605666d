/// A set of IDs, ordered by store, entity and key.
///
/// Consecutive keys are stored as a range, so a million consecutively inserted objects take no more memory
/// than ten.
public struct ManagedObjectIDSet: Sendable {
  /// A key, or a range's upper bound, which can exceed the greatest `Int64`.
  private typealias Bound = Int128

  /// One entity's keys in one store.
  private struct Part: Sendable {
    let entity: EntityIndex
    let store: StoreNumber
    /// The keys outside ``run``.
    var settled = RangeSet<Bound>()
    /// The range with the most recently added keys, which the next key often extends; never empty.
    var run: Range<Bound>

    var count: Int { settled.isEmpty ? run.count : settled.ranges.reduce(run.count) { $0 + $1.count } }

    var keys: RangeSet<Bound> {
      var keys = settled
      keys.insert(contentsOf: run)
      return keys
    }

    func contains(_ key: Bound) -> Bool { run.contains(key) || settled.contains(key) }

    mutating func insert(_ key: Bound) {
      if key == run.upperBound, settled.isEmpty || !settled.contains(key) {
        run = run.lowerBound..<key + 1
      } else if !contains(key) {
        settled.insert(contentsOf: run)
        run = key..<key + 1
      }
    }
  }

  /// The parts, sorted by store and entity; each one has at least one key.
  private var parts: [Part] = []

  /// Creates an empty set.
  public init() {}

  /// Creates a set with the IDs in a sequence.
  public init(_ ids: some Sequence<ManagedObjectID>) {
    for id in ids { insert(id) }
  }

  /// True if the set contains no IDs.
  public var isEmpty: Bool { parts.isEmpty }

  /// The first ID in order; nil if the set is empty.
  public var first: ManagedObjectID? { first { _ in true } }

  /// The number of IDs.
  public var count: Int { parts.reduce(0) { $0 + $1.count } }

  /// Counts an entity's IDs.
  public func count(of entity: EntityIndex) -> Int {
    parts.reduce(0) { $1.entity == entity ? $0 + $1.count : $0 }
  }

  /// Returns an entity's IDs.
  public func ids(of entity: EntityIndex) -> ManagedObjectIDSet {
    var ids = ManagedObjectIDSet()
    ids.parts = parts.filter { $0.entity == entity }
    return ids
  }

  var entities: Set<EntityIndex> { Set(parts.map(\.entity)) }

  /// Returns true if the set contains an ID.
  public func contains(_ id: ManagedObjectID) -> Bool {
    place(id.entity, id.store).part.map { parts[$0].contains(Bound(id.key)) } ?? false
  }

  /// Adds an ID, unless the set already contains it.
  public mutating func insert(_ id: ManagedObjectID) {
    let (place, found) = place(id.entity, id.store)
    if let found {
      parts[found].insert(Bound(id.key))
    } else {
      let key = Bound(id.key)
      parts.insert(Part(entity: id.entity, store: id.store, run: key..<key + 1), at: place)
    }
  }

  /// Removes an ID, if the set contains it.
  public mutating func remove(_ id: ManagedObjectID) {
    guard contains(id) else { return }
    let key = Bound(id.key)
    edit(id.entity, id.store) { $0.remove(contentsOf: key..<key + 1) }
  }

  /// Adds the IDs in another set.
  public mutating func formUnion(_ other: ManagedObjectIDSet) {
    if isEmpty {
      self = other
      return
    }
    for part in other.parts {
      let (place, found) = place(part.entity, part.store)
      if let found, part.settled.isEmpty, part.run.lowerBound == parts[found].run.upperBound,
        parts[found].settled.isEmpty
      {
        parts[found].run = parts[found].run.lowerBound..<part.run.upperBound
      } else if found != nil {
        edit(part.entity, part.store) { $0.formUnion(part.keys) }
      } else {
        parts.insert(part, at: place)
      }
    }
  }

  /// Removes the IDs in another set.
  public mutating func subtract(_ other: ManagedObjectIDSet) {
    for part in other.parts where place(part.entity, part.store).part != nil {
      edit(part.entity, part.store) { $0.subtract(part.keys) }
    }
  }

  /// Returns the index at which a part is or would be inserted, and as `part` the same index if the part
  /// exists.
  private func place(_ entity: EntityIndex, _ store: StoreNumber) -> (place: Int, part: Int?) {
    let place = parts.firstIndex { ($0.store, $0.entity) >= (store, entity) } ?? parts.count
    let isThere = place < parts.count && parts[place].store == store && parts[place].entity == entity
    return (place, isThere ? place : nil)
  }

  private mutating func edit(
    _ entity: EntityIndex, _ store: StoreNumber, _ body: (inout RangeSet<Bound>) -> Void
  ) {
    guard let part = place(entity, store).part else { return }
    var keys = parts[part].keys
    body(&keys)
    guard let last = keys.ranges.last else {
      parts.remove(at: part)
      return
    }
    keys.remove(contentsOf: last)
    parts[part].settled = keys
    parts[part].run = last
  }
}

extension ManagedObjectIDSet: Sequence {
  /// Iterates over the IDs in order.
  public struct Iterator: IteratorProtocol {
    private let ranges: [(entity: EntityIndex, store: StoreNumber, keys: Range<Int128>)]
    private var place = 0
    /// The number of keys already visited in the range at ``place``.
    private var offset: Int128 = 0

    fileprivate init(_ ranges: [(entity: EntityIndex, store: StoreNumber, keys: Range<Int128>)]) {
      self.ranges = ranges
    }

    /// Returns the next ID; nil after the last one.
    public mutating func next() -> ManagedObjectID? {
      guard place < ranges.count else { return nil }
      let (entity, store, keys) = ranges[place]
      let key = keys.lowerBound + offset
      offset += 1
      if key + 1 == keys.upperBound { (place, offset) = (place + 1, 0) }
      return ManagedObjectID(entity: entity, store: store, key: Int64(truncatingIfNeeded: key))
    }
  }

  /// Returns an iterator over the IDs, ordered by store, entity and key.
  public func makeIterator() -> Iterator {
    Iterator(parts.flatMap { part in part.keys.ranges.map { (part.entity, part.store, $0) } })
  }

  /// The same as ``count``.
  public var underestimatedCount: Int { count }
}

extension ManagedObjectIDSet: Hashable {
  /// Returns true if both sets contain the same IDs.
  public static func == (one: ManagedObjectIDSet, other: ManagedObjectIDSet) -> Bool {
    one.parts.elementsEqual(other.parts) {
      ($0.entity, $0.store) == ($1.entity, $1.store) && $0.keys == $1.keys
    }
  }

  /// Hashes the IDs.
  public func hash(into hasher: inout Hasher) {
    for part in parts {
      hasher.combine(part.entity)
      hasher.combine(part.store)
      hasher.combine(part.keys)
    }
  }
}

extension ManagedObjectIDSet: ExpressibleByArrayLiteral {
  /// Creates a set from an array literal.
  public init(arrayLiteral ids: ManagedObjectID...) {
    self.init(ids)
  }
}

extension ManagedObjectIDSet: CustomStringConvertible {
  public var description: String { "\(Array(self))" }
}
