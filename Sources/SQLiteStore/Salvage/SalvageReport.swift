/// What could be copied of a damaged store, and what is missing in the copy.
public struct SalvageReport: Sendable, Equatable {
  /// The part of one table.
  public struct Table: Sendable, Equatable {
    /// The entity's name.
    public let name: String
    /// The number of rows in the copy.
    public var copied = 0
    /// The number of keys whose rows cannot be read. Some of these rows may have been deleted before.
    public var unreadable = 0
    /// True if rows cannot be read and it is not known how many.
    public var hasUnknownLoss = false
    /// The number of rows that were read and cannot be part of a store: a required value is missing or of a wrong type,
    /// another row has the same unique values, or the row refers to a lost one.
    public var refused = 0
    /// The number of optional values that cannot be read or are of a wrong type, and are null in the copy.
    public var emptied = 0
    /// The number of rows that were made because others refer to them.
    public var replaced = 0

    /// True if rows cannot be read.
    var hasLostRows: Bool { unreadable > 0 || hasUnknownLoss }

    /// True if the copy has everything.
    public var isWhole: Bool { unreadable + refused + emptied + replaced == 0 && !hasUnknownLoss }
  }

  /// The tables, in the order of the model.
  public var tables: [Table] = []

  /// The number of commits in the log that cannot be read, because the log is damaged before them. It is not known which
  /// rows they changed.
  public var lostCommits = 0

  /// False if transactions of the history, or positions of its consumers, cannot be read.
  public var isHistoryWhole = true

  /// True if the copy has everything.
  public var isWhole: Bool { lostCommits == 0 && isHistoryWhole && tables.allSatisfy(\.isWhole) }
}
