public import struct Foundation.Date

/// A place in a store's history: what was read up to here is not read again.
///
/// Grows with each transaction. A program keeps it between its runs (as a number) to go on where it ended.
public struct HistoryToken: Sendable, Hashable, Comparable, Codable {
  /// The transaction's number in its store.
  public let number: Int64

  /// The token of a number that was kept.
  public init(_ number: Int64) {
    self.number = number
  }

  public static func < (left: HistoryToken, right: HistoryToken) -> Bool { left.number < right.number }
}

/// One transaction of a store, as its persistent history keeps it.
public struct HistoryTransaction: Sendable {
  /// Its place in the history.
  public let token: HistoryToken
  /// When it was committed.
  public let date: Date
  /// Who saved it: the ``ManagedObjectContext/transactionAuthor``; nil when that was not set.
  public let author: String?
  /// What it changed. Objects whose entity the model no longer has are left out.
  public let changes: ContextChanges

  /// Describes a transaction.
  public init(token: HistoryToken, date: Date, author: String?, changes: ContextChanges) {
    self.token = token
    self.date = date
    self.author = author
    self.changes = changes
  }
}
