/// One row of a store, as one context sees it.
///
/// An object lives inside its context: it is not `Sendable`, and handing it to another queue does not compile.
/// Pass its ``id`` instead. A fault (an object whose values were not read yet) reads its row when a value is
/// first asked for; where the row is gone the values last known stay readable and ``isGone`` says so.
open class ManagedObject {
  /// The entity that this class stands for; each subclass names its own.
  open class var entityName: String { "" }

  /// The object's name; becomes permanent with the first save to a store.
  public internal(set) final var id: ManagedObjectID
  /// The context that this object lives in; nil once that is gone or was reset.
  public internal(set) final weak var context: ManagedObjectContext?
  // What every read of a value touches is not checked for overlapping access: it is read and written by methods of
  // this class alone, none of which calls out meanwhile. The check would double the cost of a read.

  /// Whether the values have to be read before the next use.
  @exclusivity(unchecked) public internal(set) final var isFault: Bool
  /// Whether the next save inserts the object.
  public internal(set) final var isInserted: Bool {
    get { current.state.contains(.inserted) }
    set { state.set(.inserted, newValue) }
  }
  /// Whether ``ManagedObjectContext/delete(_:)`` was called and not undone.
  public internal(set) final var isDeleted: Bool {
    get { current.state.contains(.deleted) }
    set { state.set(.deleted, newValue) }
  }
  /// Whether the store no longer has the object: deleted elsewhere. Its values are the last known.
  public internal(set) final var isGone: Bool {
    get { current.state.contains(.gone) }
    set { state.set(.gone, newValue) }
  }

  /// In a fault, the values last known; empty when it was never read.
  @exclusivity(unchecked) @usableFromInline final var values: [AttributeValue]
  /// What the parent has, where an attribute differs from it here; nil without unsaved edits.
  final var snapshot: [AttributeValue]?
  /// The attributes that were set since the first unsaved edit, perhaps to the value that they had: others do not differ
  /// from ``snapshot``.
  final var touched = AttributeSet.all
  /// Grows with each saved change; 0 before the first save.
  final var version: Int64
  /// What the object's to-many relationships lead to, as far as it was asked for.
  final var related: [RelatedObjects?] = []
  /// The faults that are read together with this one; nil when it is read alone.
  final var batch: FaultBatch?
  /// What is known of the object besides its values.
  @exclusivity(unchecked) final var state: State = []
  /// When the values were read, in seconds of the context's clock; 0 where that was not noted.
  final var readAt: Double = 0

  struct State: OptionSet {
    let rawValue: UInt8

    static let inserted = State(rawValue: 1)
    static let deleted = State(rawValue: 2)
    static let gone = State(rawValue: 4)
    /// The context tells of each edit, not of the first one alone.
    static let observed = State(rawValue: 8)
    /// A second object of a row: it was new when the row, which has another object by now, was saved.
    static let superseded = State(rawValue: 16)
    /// A save that has the object is on its way to the store: that says what the object is, and not the parent's row.
    static let inFlight = State(rawValue: 32)
    /// Made by a model to see which attribute a property reads: a fault that notes it in place of its version.
    static let probe = State(rawValue: 64)

    mutating func set(_ member: State, _ isMember: Bool) {
      if isMember { insert(member) } else { remove(member) }
    }
  }

  /// Called by contexts alone: only they can make a seed.
  public required init(_ seed: ManagedObjectSeed) {
    id = seed.id
    context = seed.context
    values = seed.values
    version = seed.version
    isFault = seed.isFault
  }

  /// The object that the context has of the row: this one, unless it was superseded.
  ///
  /// A new object can turn out to be a row that the context has already. It takes the row's place then, and the object
  /// that was there passes everything on to it: it stays a fault, which reads and writes the values of the other one.
  final var current: ManagedObject {
    state.contains(.superseded) ? context?.object(with: id) ?? self : self
  }

  /// Whether a save would write this object, or pairs of its many-to-many relationships.
  public final var hasChanges: Bool { context?.hasChanges(in: current) ?? false }

  /// Whether the context has other values, or another fate, for the object than its parent: rows of the parent say
  /// nothing about it.
  final var isUnsaved: Bool {
    snapshot != nil || !state.isDisjoint(with: [.inserted, .deleted, .inFlight])
  }

  /// The indexes of the attributes whose unsaved value differs from the stored one, ascending.
  public final var changedAttributes: [Int] {
    let object = current
    guard let snapshot = object.snapshot else { return [] }
    return object.values.indices.filter {
      object.touched.contains(AttributeSet(index: $0)) && object.values[$0] != snapshot[$0]
    }
  }

  /// The value of an attribute.
  ///
  /// Reading a fault reads its row. Setting a value that the object has already is no change. A key that is not
  /// the entity's reads as nothing, and makes the next save fail when it is set.
  @inlinable
  public final subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value {
    get {
      if isFault { fire(reading: key.index) }
      guard key.index < values.count else { return Value.placeholder }
      return Value(attributeValue: values[key.index]) ?? Value.placeholder
    }
    set { setValue(newValue.attributeValue, at: key.index) }
  }

  /// Reads the row of a fault, or what stands for it.
  ///
  /// - Parameter index: The attribute that is read; nil for none in particular.
  @usableFromInline
  final func fire(reading index: Int? = nil) {
    guard state.isDisjoint(with: [.superseded, .probe]) else {
      if state.contains(.probe) { version = Int64(index ?? -1) } else { readSuperseding() }
      return
    }
    context?.fulfillFault(self)
  }

  private func readSuperseding() {
    let other = current
    guard other !== self else { return }
    if other.isFault { other.fire() }
    // Of a row that is gone this object may know more.
    if !other.isGone { values = other.values }
  }

  @usableFromInline
  final func setValue(_ value: AttributeValue, at index: Int) {
    #if DEBUG
      context?.queue.check()
    #endif
    if isFault {
      let other = current
      guard other === self else {
        other.setValue(value, at: index)
        return
      }
      fire()
    }
    guard index < values.count else {
      context?.noteUnknownAttribute(index, of: self)
      return
    }
    let old = values[index]
    guard old != value else { return }
    // A new object has nothing to be compared with, and is set attribute by attribute.
    let stored = state.contains(.inserted) ? nil : noteEdit(at: index)
    if stored == nil, state.contains(.observed) { context?.didChangeObject?(self) }
    values[index] = value
    if old.isReference || value.isReference {
      context?.noteReference(of: self, attribute: index, from: old, to: value)
    }
    if let stored, stored == value { context?.noteRevertedEdit(of: self) }
  }

  /// Keeps what the parent has before an attribute is set.
  ///
  /// - Returns: What the parent has of the attribute.
  private func noteEdit(at index: Int) -> AttributeValue? {
    touched.formUnion(AttributeSet(index: index))
    if let snapshot {
      if state.contains(.observed) { context?.didChangeObject?(self) }
      return snapshot[index]
    }
    snapshot = values
    touched = AttributeSet(index: index)
    context?.noteChange(of: self)
    return values[index]
  }

  /// Takes over what the parent has now, keeping unsaved edits attribute by attribute.
  final func refresh(values stored: [AttributeValue], version: Int64) {
    if snapshot != nil {
      let edited = changedAttributes
      var merged = stored
      for index in edited { merged[index] = values[index] }
      values = merged
      snapshot = edited.contains { merged[$0] != stored[$0] } ? stored : nil
    } else {
      values = stored
    }
    self.version = version
    isFault = false
    isGone = false
    batch = nil
  }
}

@available(*, unavailable, message: "objects stay in perform; pass a ManagedObjectID")
extension ManagedObject: Sendable {}

/// What a context hands to ``ManagedObject/init(_:)``.
public struct ManagedObjectSeed {
  let id: ManagedObjectID
  let context: ManagedObjectContext?
  let values: [AttributeValue]
  let version: Int64
  let isFault: Bool
}

/// Faults of one fetch that are read together, a page at a time.
final class FaultBatch {
  let ids: [ManagedObjectID]
  let size: Int
  private let place: [ManagedObjectID: Int]

  init(ids: [ManagedObjectID], size: Int) {
    self.ids = ids
    self.size = max(size, 1)
    place = Dictionary(
      ids.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  /// The page that an object is in.
  func page(around id: ManagedObjectID) -> ArraySlice<ManagedObjectID> {
    guard let place = place[id] else { return [id] }
    let start = place / size * size
    return ids[start..<min(start + size, ids.count)]
  }
}
