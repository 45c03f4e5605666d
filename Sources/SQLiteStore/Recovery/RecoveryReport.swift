/// The recovered parts of a store, and the known losses.
public struct RecoveryReport: Sendable, Equatable {
  /// One table's figures.
  public struct Table: Sendable, Equatable {
    /// The entity's name.
    public let name: String
    /// The row count in the store, by its table or an index, whichever has more; nil if none is readable. A
    /// damaged store may have had fewer rows.
    public var before: Int?
    /// The row count in the copy.
    public var copied = 0
    /// The count of readable rows that cannot be part of a store. A required value is missing or has a wrong
    /// type, another row has the same unique values, or the row refers to a lost one.
    public var refused = 0
    /// The count of optional values with a wrong type or a lost reference. They are null in the copy.
    public var emptied = 0
    /// The count of rows that were made because others refer to them.
    public var replaced = 0

    /// The count of rows that were not found in the store; nil if unknown.
    public var unreadable: Int? { before.map { max(0, $0 - copied - refused) } }
  }

  /// The tables, in model order.
  public var tables: [Table] = []

  /// SQLite's damage descriptions, at most 100; empty if its check finds none. Damage inside values is not
  /// detected.
  public var damage: [String] = []

  /// The count of rows that fit several tables, or none. They are not in the copy.
  public var strayRows = 0

  /// The count of unreadable log pages. They belong to earlier commits, or follow damage in the log.
  public var unreadLogPages = 0

  /// False if history transactions or consumer positions are unreadable.
  public var isHistoryWhole = true
}
