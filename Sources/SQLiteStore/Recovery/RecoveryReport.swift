/// What could be recovered of a store, and what is known of the rest.
public struct RecoveryReport: Sendable, Equatable {
  /// The part of one table.
  public struct Table: Sendable, Equatable {
    /// The entity's name.
    public let name: String
    /// The number of rows in the store, by its table or an index, whichever has more; nil if none of them can be read. If the
    /// store is damaged, it may have had fewer rows.
    public var before: Int?
    /// The number of rows in the copy.
    public var copied = 0
    /// The number of rows that were read and cannot be part of a store: a required value is missing or of a wrong type,
    /// another row has the same unique values, or the row refers to a lost one.
    public var refused = 0
    /// The number of optional values of a wrong type, or that refer to a lost row. They are null in the copy.
    public var emptied = 0
    /// The number of rows that were made because others refer to them.
    public var replaced = 0

    /// The number of rows of the store that were not found in it; nil if it is not known.
    public var unreadable: Int? { before.map { max(0, $0 - copied - refused) } }
  }

  /// The tables, in the order of the model.
  public var tables: [Table] = []

  /// SQLite's descriptions of the damage in the store, at most 100; empty if its check finds none. The check does not see damage
  /// inside values.
  public var damage: [String] = []

  /// The number of rows that may be of several tables, or of none. They are not in the copy.
  public var strayRows = 0

  /// The number of pages of the log that cannot be read. They are of earlier commits, or of commits after damage in the log.
  public var unreadLogPages = 0

  /// False if transactions of the history, or positions of its consumers, cannot be read.
  public var isHistoryWhole = true
}
