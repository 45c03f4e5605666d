public import struct Foundation.Date

/// One transaction of a store, as recorded in its persistent history.
public struct HistoryTransaction: Sendable {
  /// The transaction's position in the history.
  public let token: HistoryToken
  /// The date of the commit.
  public let date: Date
  /// The author of the save: its context's ``ManagedObjectContext/transactionAuthor``; nil if none was set.
  public let author: String?
  /// The changes. Objects of entities that the model no longer has are omitted.
  public let changes: ContextChanges

  /// The values that the deleted objects last had: for each of them one value for each attribute of
  /// ``HistoryOptions/deletedValues``, in the order of that list. Objects of entities without such attributes are omitted.
  public let deletedValues: [ManagedObjectID: [AttributeValue]]
  /// True if the changes contain an object of a followed entity; see ``HistoryOptions/isFollowed``.
  public let isFollowed: Bool

  /// Creates a transaction.
  public init(
    token: HistoryToken, date: Date, author: String?, changes: ContextChanges,
    deletedValues: [ManagedObjectID: [AttributeValue]] = [:], isFollowed: Bool = true
  ) {
    self.token = token
    self.date = date
    self.author = author
    self.changes = changes
    self.deletedValues = deletedValues
    self.isFollowed = isFollowed
  }
}

/// The next transactions of a history, for a reader in constant memory.
public struct HistoryPart: Sendable {
  /// The transactions, oldest first.
  public let transactions: [HistoryTransaction]
  /// The token to continue from: that of the last transaction or, if no later one is left to read, of the newest
  /// transaction of the store. Nil before the first transaction.
  public let end: HistoryToken?
  /// The number of the first transaction up to ``end`` that another program has deleted; nil for none. Changes were missed.
  public let missing: Int64?

  /// Creates a part.
  public init(transactions: [HistoryTransaction], end: HistoryToken?, missing: Int64? = nil) {
    (self.transactions, self.end, self.missing) = (transactions, end, missing)
  }
}
