public import struct Foundation.Date

/// A named reader of a store's history, whose position is kept in the store.
///
/// The store keeps the transactions that its consumers have not acknowledged. A consumer that has done its work before it
/// acknowledges a transaction reads each change at least once.
public struct HistoryConsumer: Sendable, Equatable {
  /// The name, which identifies the consumer in its store.
  public let name: String
  /// The last transaction that is acknowledged completely. With the number 0, the consumer starts at the oldest transaction
  /// that the store keeps.
  public let token: HistoryToken
  /// The number of changes of the following transaction that are acknowledged. The consumer decides how it counts them.
  public let position: Int
  /// The date of the last acknowledgement, or of the last ``PersistentStore/touchConsumer(named:at:)``.
  public let seen: Date

  /// Creates a value.
  public init(name: String, token: HistoryToken, position: Int, seen: Date) {
    (self.name, self.token, self.position, self.seen) = (name, token, position, seen)
  }
}
