/// A stored row, as one context sees it.
///
/// An object must not leave its context. It is not `Sendable`, so passing it to another queue does not
/// compile; pass its ``id`` instead. A fault is an object that reads its row at the next use of a value. If
/// the row no longer exists, the last known values stay readable and ``isGone`` is true.
open class ManagedObject {
  /// The name of the entity that this class represents. Each subclass overrides it.
  open class var entityName: String { "" }

  /// The object's ID, which becomes permanent with the first save to a store.
  public internal(set) final var id: ManagedObjectID
  /// The object's context; nil after the context was released or reset.
  public internal(set) final weak var context: ManagedObjectContext?
  // Every read of a value uses the properties below. They are exempt from exclusivity checks, because a check
  // would double a read's cost. Only this class's methods access them, and call no other code during an
  // access.

  /// True if the values must be read before their next use.
  @exclusivity(unchecked) public internal(set) final var isFault: Bool
  /// True if the next save inserts the object.
  public internal(set) final var isInserted: Bool {
    get { current.state.contains(.inserted) }
    set { state.set(.inserted, newValue) }
  }
  /// True if ``ManagedObjectContext/delete(_:)`` was called and not undone.
  public internal(set) final var isDeleted: Bool {
    get { current.state.contains(.deleted) }
    set { state.set(.deleted, newValue) }
  }
  /// True if the store no longer has the object because it was deleted elsewhere, or if a fault was used after
  /// its context was released or reset. Its values are the last known ones.
  public internal(set) final var isGone: Bool {
    get { current.state.contains(.gone) }
    set { state.set(.gone, newValue) }
  }

  /// The page with the values as they were fetched; nil after an edit, and for an object that was read otherwise.
  ///
  /// The object leaves the page also if it is read often; see ``pagedValue(at:)``.
  @exclusivity(unchecked) @usableFromInline final var page: RowPage?
  /// The values without a page, by attribute index.
  @exclusivity(unchecked) @usableFromInline final var ownValues: [AttributeValue]
  /// The row in the page.
  private final var pageRow: Int32
  /// How often a value was read in the page.
  private final var pageReads: Int32 = 0
  /// The parent's values, if any attribute was edited since; nil without unsaved edits.
  final var snapshot: [AttributeValue]?
  /// The attributes set since the first unsaved edit, possibly to the same value. The others equal
  /// ``snapshot``.
  final var touched = AttributeSet.all
  /// The row's version, which increases with each saved change; 0 before the first save.
  final var version: Int64
  /// The objects that to-many relationships lead to, by relationship index; nil for a relationship not yet
  /// read.
  final var related: [RelatedObjects?] = []
  /// The faults that are read together with this one; nil if it is read alone.
  final var batch: FaultBatch?
  /// The object's state besides its values.
  @exclusivity(unchecked) final var state: State = []
  /// The time when the values were last read, in seconds on the context's clock; 0 if it was not recorded.
  final var readAt: Double = 0

  struct State: OptionSet {
    let rawValue: UInt8

    static let inserted = State(rawValue: 1)
    static let deleted = State(rawValue: 2)
    static let gone = State(rawValue: 4)
    /// The context is notified about each edit, not only the first.
    static let observed = State(rawValue: 8)
    /// The context has another object for the row, and this one forwards to it; see
    /// ``ManagedObject/current``.
    static let superseded = State(rawValue: 16)
    /// An in-flight save contains the object. The save determines its state; the parent's row may be
    /// outdated.
    static let inFlight = State(rawValue: 32)
    /// The object is a probe that finds out which attribute a property reads: it records the index in
    /// ``version``.
    static let probe = State(rawValue: 64)

    mutating func set(_ member: State, _ isMember: Bool) {
      if isMember { insert(member) } else { remove(member) }
    }
  }

  /// Creates an object from a seed. Only contexts call this, because only they can create a seed.
  public required init(_ seed: ManagedObjectSeed) {
    id = seed.id
    context = seed.context
    ownValues = seed.values
    page = seed.page
    pageRow = seed.pageRow
    version = seed.version
    isFault = seed.isFault
  }

  /// The context's object for the row: this one, unless it was superseded.
  ///
  /// A save can show that a new object and an existing object are the same row. The new object then replaces
  /// the existing one, which stays a fault and forwards reads and writes to the new object.
  final var current: ManagedObject {
    state.contains(.superseded) ? context?.object(with: id) ?? self : self
  }

  /// True if a save would write this object, or pairs of its many-to-many relationships.
  public final var hasChanges: Bool { context?.hasChanges(in: current) ?? false }

  /// True if the object has unsaved edits or a pending insertion or deletion, or belongs to an in-flight
  /// save. The parent's row then does not represent it.
  final var isUnsaved: Bool {
    snapshot != nil || !state.isDisjoint(with: [.inserted, .deleted, .inFlight])
  }

  /// The indexes of the attributes with an unsaved value that differs from the stored one, ascending.
  public final var changedAttributes: [Int] {
    let object = current
    guard let snapshot = object.snapshot else { return [] }
    return object.values.indices.filter {
      object.touched.contains(AttributeSet(index: $0)) && object.values[$0] != snapshot[$0]
    }
  }

  /// The value for an attribute key.
  ///
  /// Reading a fault reads its row. Setting the value that the object already has is not a change. A key from
  /// another entity reads as the type's placeholder; setting it makes the next save fail.
  @inlinable
  public final subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value {
    get { value(at: key.index) }
    set { setValue(newValue.attributeValue, at: key.index) }
  }

  /// The value of the attribute at an index. It is always inlined, so that no caller passes a key's name.
  @inlinable @inline(__always)
  final func value<Value: AttributeConvertible>(at index: Int) -> Value {
    if isFault { fire(reading: index) }
    if page != nil { return Value(attributeValue: pagedValue(at: index)) ?? Value.placeholder }
    guard index < ownValues.count else { return Value.placeholder }
    return Value(attributeValue: ownValues[index]) ?? Value.placeholder
  }

  /// The values, by attribute index, outside the page. A fault has the last known values, or none if it was never
  /// read.
  final var values: [AttributeValue] {
    get {
      leavePage()
      return ownValues
    }
    _modify {
      leavePage()
      yield &ownValues
    }
  }

  /// Returns a value in the page. An object that is read more often than it has attributes copies its values: a
  /// text is made again with each read in the page.
  @usableFromInline
  final func pagedValue(at index: Int) -> AttributeValue {
    guard let page, index < page.destinations.count else { return .null }
    pageReads += 1
    guard pageReads > page.destinations.count else { return page.value(pageRow, index) }
    leavePage()
    return ownValues[index]
  }

  private func leavePage() {
    guard let page else { return }
    ownValues = page.values(pageRow)
    self.page = nil
  }

  /// Returns an attribute's last known value without reading a fault, nor leaving the page; nil without values.
  final func knownValue(at index: Int) -> AttributeValue? {
    if let page { return index < page.destinations.count ? page.value(pageRow, index) : nil }
    return index < ownValues.count ? ownValues[index] : nil
  }

  /// Reads a fault's row, or the values from the object that superseded it.
  ///
  /// - Parameter index: The attribute that is read; nil if no attribute in particular is read.
  @usableFromInline
  final func fire(reading index: Int? = nil) {
    if state.contains(.probe) {
      version = Int64(index ?? -1)
      return
    }
    guard let context else {
      isGone = true
      if page == nil, ownValues.isEmpty { failWithoutContext("its values were") }
      return
    }
    if state.contains(.superseded) { readSuperseding() } else { context.fulfillFault(self) }
  }

  /// Stops the program, in debug builds, if what a program reads is lost with the object's context.
  ///
  /// - Parameter subject: What is read, with its verb: "its values were".
  final func failWithoutContext(_ subject: String) {
    guard context == nil else { return }
    assertionFailure("\(Self.entityName) \(id): \(subject) read after its context was released or reset")
  }

  private func readSuperseding() {
    let other = current
    guard other !== self else { return }
    if other.isFault { other.fire() }
    // If the row is gone, this object may have more last known values than the other one.
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
    var value = value
    if case .date = value, let context {
      value = value.stored(as: context.model[id.entity].attributes[index].type)
    }
    let old = values[index]
    guard old != value else { return }
    // A new object has no stored values to compare with, and its attributes are often all set one by one.
    let stored = state.contains(.inserted) ? nil : noteEdit(at: index)
    if stored == nil, state.contains(.observed) { context?.didChangeObject?(self) }
    values[index] = value
    if old.isReference || value.isReference {
      context?.noteReference(of: self, attribute: index, from: old, to: value)
    }
    if let stored, stored == value { context?.noteRevertedEdit(of: self) }
  }

  /// Records the parent's values before an attribute is set.
  ///
  /// - Returns: The parent's value of the attribute.
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

  /// Takes over the parent's current values. Unsaved edits are kept, attribute by attribute.
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

/// The arguments that a context passes to ``ManagedObject/init(_:)``.
public struct ManagedObjectSeed {
  let id: ManagedObjectID
  let context: ManagedObjectContext?
  let values: [AttributeValue]
  var page: RowPage?
  var pageRow: Int32 = 0
  let version: Int64
  let isFault: Bool
}

/// Faults from one fetch that are read together, page by page.
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

  /// Returns the page that contains an object; the object alone if it is not in the batch.
  func page(around id: ManagedObjectID) -> ArraySlice<ManagedObjectID> {
    guard let place = place[id] else { return [id] }
    let start = place / size * size
    return ids[start..<min(start + size, ids.count)]
  }
}
