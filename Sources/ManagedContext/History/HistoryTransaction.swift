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

  /// Creates a transaction.
  public init(token: HistoryToken, date: Date, author: String?, changes: ContextChanges) {
    self.token = token
    self.date = date
    self.author = author
    self.changes = changes
  }
}
