/// One row of a store, as one context sees it.
///
/// An object lives inside its context: it is not `Sendable`, and handing it to another queue does not compile.
/// Pass its ``id`` instead. A fault (an object whose values were not read yet) reads its row when a value is
/// first asked for; where the row is gone the values last known stay readable and ``isGone`` says so.
open class ManagedObject {
  /// The entity that this class stands for; each subclass names its own.
  open class var entityName: String { "" }

  /// The object's name; becomes permanent with the first save.
  public internal(set) var id: ManagedObjectID
  /// The context that this object lives in; nil once that is gone.
  public internal(set) weak var context: ManagedObjectContext?
  /// Whether ``ManagedObjectContext/delete(_:)`` was called and not undone.
  public internal(set) var isDeleted = false
  /// Whether the store no longer has the object: deleted elsewhere. Its values are the last known.
  public internal(set) var isGone = false

  /// Empty in a fault.
  var values: [AttributeValue] = []
  /// What the store had when the first unsaved edit was made; nil without unsaved edits.
  var snapshot: [AttributeValue]?
  /// Grows with each saved change; 0 before the first save.
  var version: Int64 = 0

  /// Called by contexts alone: only they can make a seed.
  public required init(_ seed: ManagedObjectSeed) {
    id = seed.id
    context = seed.context
    values = seed.values
    version = seed.version
  }

  /// Whether the values have not been read yet.
  public var isFault: Bool { values.isEmpty }

  /// Whether the object was never saved.
  public var isInserted: Bool { id.isTemporary }

  /// Whether a save would write this object.
  public var hasChanges: Bool { isInserted || isDeleted || !changedAttributes.isEmpty }

  /// The indexes of the attributes whose unsaved value differs from the stored one, ascending.
  public var changedAttributes: [Int] {
    guard let snapshot else { return [] }
    return values.indices.filter { values[$0] != snapshot[$0] }
  }

  /// The value of an attribute.
  ///
  /// Reading a fault reads its row. Setting a value that the object has already is no change.
  public subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value {
    get {
      if values.isEmpty { context?.fulfillFault(self) }
      guard key.index < values.count else { return Value.placeholder }
      return Value(attributeValue: values[key.index]) ?? Value.placeholder
    }
    set { setValue(newValue.attributeValue, at: key.index) }
  }

  private func setValue(_ value: AttributeValue, at index: Int) {
    if values.isEmpty { context?.fulfillFault(self) }
    guard index < values.count, values[index] != value else { return }
    if !isInserted && snapshot == nil { snapshot = values }
    values[index] = value
    context?.noteChange(of: self)
  }

  /// Takes over what the store has now, keeping unsaved edits attribute by attribute.
  func refresh(values stored: [AttributeValue], version: Int64) {
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
    isGone = false
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
}
