public import struct Foundation.Date

/// The values that a store's history keeps for an entity's objects, besides their IDs.
///
/// Attributes are given by name.
public struct HistoryOptions: Sendable {
  /// False to keep nothing: for objects that matter only to the programs that write them at the same time,
  /// such as locks.
  public var isRecorded = true
  /// True if programs follow the changes to the entity's objects. A transaction without such changes costs
  /// them nothing.
  public var isFollowed = false
  /// The attributes that keep their old values in an ``ObjectVersion`` when they change, whatever changes
  /// them.
  public var oldValues: [String] = []
  /// The attributes that keep their values in the transaction that deletes an object.
  public var deletedValues: [String] = []
  /// An integer attribute that describes each change; nil for none.
  ///
  /// Its new value is kept with the version that the change ends. It applies only to changes that a context
  /// saved.
  public var note: String?
  /// Returns whether a change is merged into the previous one, without its own version. The version that the
  /// previous change ended is then followed by the new values.
  ///
  /// It runs on the writer's thread, with the change and earlier changes that have versions, newest first. It
  /// receives at most ``examinedChanges`` earlier changes.
  public var isMerged: @Sendable (_ change: ObjectVersion.Change, _ earlier: [ObjectVersion.Change]) -> Bool =
    { _, _ in false }

  /// The number of earlier changes that ``isMerged`` receives.
  public static let examinedChanges = 6

  /// Creates options for a history with only IDs and the written attributes.
  public init() {}
}

/// A version of an object: the values from before a change. Read them with
/// ``PersistentStore/values(ofVersion:of:)``.
public struct ObjectVersion: Sendable, Equatable {
  /// A change to an object, without values.
  public struct Change: Sendable, Equatable {
    /// The attributes with an old value.
    public var attributes: AttributeSet
    /// The date of the change.
    public var date: Date
    /// The value of ``HistoryOptions/note`` after the change; nil if none was written, or another program
    /// changed the object.
    public var note: Int?

    /// Creates a value.
    public init(attributes: AttributeSet, date: Date, note: Int?) {
      (self.attributes, self.date, self.note) = (attributes, date, note)
    }
  }

  /// The version's number, from 1. The current values have the number after the last version.
  public let number: Int
  /// The change that ended the version.
  public let change: Change
  /// The number of the transaction that ended the version.
  ///
  /// Nil if another program changed the object and no context has saved since then, or if the store records
  /// no transactions.
  public let transaction: Int64?
  /// The number of later changes without their own version, because ``HistoryOptions/isMerged`` returned
  /// true.
  public let mergedChanges: Int

  /// Creates a version.
  public init(number: Int, change: Change, transaction: Int64?, mergedChanges: Int) {
    (self.number, self.change) = (number, change)
    (self.transaction, self.mergedChanges) = (transaction, mergedChanges)
  }
}
