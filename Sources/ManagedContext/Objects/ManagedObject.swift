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
  public internal(set) final var isInserted = false
  /// Whether ``ManagedObjectContext/delete(_:)`` was called and not undone.
  public internal(set) final var isDeleted = false
  /// Whether the store no longer has the object: deleted elsewhere. Its values are the last known.
  public internal(set) final var isGone = false

  /// In a fault, the values last known; empty when it was never read.
  @exclusivity(unchecked) @usableFromInline final var values: [AttributeValue]
  /// What the parent had when the first unsaved edit was made; nil without unsaved edits.
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
  /// Whether the context tells of each edit, not of the first one alone.
  final var isObserved = false
  /// When the values were read, in seconds of the context's clock; 0 where that was not noted.
  final var readAt: Double = 0

  /// Called by contexts alone: only they can make a seed.
  public required init(_ seed: ManagedObjectSeed) {
    id = seed.id
    context = seed.context
    values = seed.values
    version = seed.version
    isFault = seed.isFault
  }

  /// Whether a save would write this object.
  public final var hasChanges: Bool { isInserted || isDeleted || !changedAttributes.isEmpty }

  /// The indexes of the attributes whose unsaved value differs from the stored one, ascending.
  public final var changedAttributes: [Int] {
    guard let snapshot else { return [] }
    return values.indices.filter {
      touched.contains(AttributeSet(index: $0)) && values[$0] != snapshot[$0]
    }
  }

  /// The value of an attribute.
  ///
  /// Reading a fault reads its row. Setting a value that the object has already is no change. A key that is not
  /// the entity's reads as nothing, and makes the next save fail when it is set.
  @inlinable
  public final subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value {
    get {
      if isFault { fire() }
      guard key.index < values.count else { return Value.placeholder }
      return Value(attributeValue: values[key.index]) ?? Value.placeholder
    }
    set { setValue(newValue.attributeValue, at: key.index) }
  }

  @usableFromInline
  final func fire() {
    context?.fulfillFault(self)
  }

  @usableFromInline
  final func setValue(_ value: AttributeValue, at index: Int) {
    if isFault { fire() }
    guard index < values.count else {
      context?.noteUnknownAttribute(index, of: self)
      return
    }
    let old = values[index]
    guard old != value else { return }
    if !isInserted && snapshot == nil {
      snapshot = values
      touched = []
      context?.noteChange(of: self)
    } else if isObserved {
      context?.didChangeObject?(self)
    }
    values[index] = value
    touched.formUnion(AttributeSet(index: index))
    if old.isReference || value.isReference {
      context?.noteReference(of: self, attribute: index, from: old, to: value)
    }
  }

  /// Takes over what the parent has now, keeping unsaved edits attribute by attribute.
  final func refresh(values stored: [AttributeValue], version: Int64) {
    if snapshot != nil {
      let edited = changedAttributes
      var merged = stored
      for index in edited { merged[index] = values[index] }
      values = merged
      snapshot = stored
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
  let context: ManagedObjectContext
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
