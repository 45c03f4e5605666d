public import struct Foundation.Date

/// A position in a store's history: the number of the last transaction that was read.
///
/// Numbers increase with each transaction. A program can store the number between runs and continue from there.
public struct HistoryToken: Sendable, Hashable, Comparable, Codable {
  /// The transaction's number in its store.
  public let number: Int64

  /// Creates the token for a stored number.
  public init(_ number: Int64) {
    self.number = number
  }

  public static func < (left: HistoryToken, right: HistoryToken) -> Bool { left.number < right.number }
}

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
