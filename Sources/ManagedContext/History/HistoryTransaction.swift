public import struct Foundation.Date

/// One transaction in a store, as its persistent history records it.
public struct HistoryTransaction: Sendable {
  /// The transaction's position in the history.
  public let token: HistoryToken
  /// The date of the commit.
  public let date: Date
  /// The save's author: its context's ``ManagedObjectContext/transactionAuthor``; nil if none was set.
  public let author: String?
  /// The changes. Objects are omitted if the model no longer has their entity.
  public let changes: ContextChanges

  /// The values that the deleted objects last had, one for each attribute in
  /// ``HistoryOptions/deletedValues``, in that order.
  ///
  /// Objects of entities without such attributes are omitted.
  public let deletedValues: [ManagedObjectID: [AttributeValue]]
  /// True if the changes contain an object of a followed entity, or a deleted object with kept values; see
  /// ``HistoryOptions/isFollowed``.
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

/// The next transactions in a history, for a reader with constant memory.
public struct HistoryPart: Sendable {
  /// The transactions, oldest first.
  public let transactions: [HistoryTransaction]
  /// The token to continue from; nil before the first transaction.
  ///
  /// It is the last transaction's token or, if no later one is left to read, the token of the store's newest
  /// transaction.
  public let end: HistoryToken?
  /// The number of the first transaction up to ``end`` that another program has deleted; nil for none.
  ///
  /// If it is not nil, changes were missed.
  public let missing: Int64?

  /// Creates a part.
  public init(transactions: [HistoryTransaction], end: HistoryToken?, missing: Int64? = nil) {
    (self.transactions, self.end, self.missing) = (transactions, end, missing)
  }
}
