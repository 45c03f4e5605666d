public import struct Foundation.Date

/// What a store's history keeps of an entity's objects besides their IDs: an option of ``EntityDescription``.
///
/// Attributes are given by name.
public struct HistoryOptions: Sendable {
  /// False to keep nothing: for objects that matter only to the programs that write them at the same time, such as locks.
  public var isRecorded = true
  /// True if programs follow the changes of the entity's objects. A transaction without such changes costs them nothing.
  public var isFollowed = false
  /// The attributes whose old values are kept as an ``ObjectVersion`` when they change, whatever changes them.
  public var oldValues: [String] = []
  /// The attributes whose values the transaction of a deletion keeps.
  public var deletedValues: [String] = []
  /// An integer attribute whose new value describes a change, and is kept with the version that the change ends. It applies
  /// only to changes that a context saved. Nil without such an attribute.
  public var note: String?
  /// Decides whether a change replaces the current values without a version of its own: the version that the previous
  /// change ended is then followed by the new values.
  ///
  /// It runs on the writer's thread, with the change and the earlier ones that have versions, newest first (at most
  /// ``examinedChanges``).
  public var isMerged: @Sendable (_ change: ObjectVersion.Change, _ earlier: [ObjectVersion.Change]) -> Bool =
    { _, _ in false }

  /// The number of earlier changes that ``isMerged`` gets.
  public static let examinedChanges = 6

  /// Creates the options of an entity whose history has IDs and the written attributes only.
  public init() {}
}

/// Values that an object had before a change; its values are read with ``PersistentStore/values(ofVersion:of:)``.
public struct ObjectVersion: Sendable, Equatable {
  /// A change of an object, without values.
  public struct Change: Sendable, Equatable {
    /// The attributes with an old value.
    public var attributes: AttributeSet
    /// The time of the change.
    public var date: Date
    /// The value of ``HistoryOptions/note`` after the change; nil if none was written, or another program changed the object.
    public var note: Int?

    /// Creates a value.
    public init(attributes: AttributeSet, date: Date, note: Int?) {
      (self.attributes, self.date, self.note) = (attributes, date, note)
    }
  }

  /// The number of the version, from 1. The current values have the number after the last version.
  public let number: Int
  /// The change that ended the version.
  public let change: Change
  /// The number of the transaction that ended the version; nil if another program changed the object and no context has
  /// saved since then, or if the store records no transactions.
  public let transaction: Int64?
  /// The number of later changes that have no version of their own, because ``HistoryOptions/isMerged`` was true.
  public let mergedChanges: Int

  /// Creates a version.
  public init(number: Int, change: Change, transaction: Int64?, mergedChanges: Int) {
    (self.number, self.change) = (number, change)
    (self.transaction, self.mergedChanges) = (transaction, mergedChanges)
  }
}
