public import struct Foundation.Date

/// A named reader of a store's history, with a position that the store keeps.
///
/// The store keeps the transactions that its consumers have not acknowledged. A consumer that finishes its
/// work before it acknowledges a transaction reads each change at least once.
public struct HistoryConsumer: Sendable, Equatable {
  /// The name, which identifies the consumer in its store.
  public let name: String
  /// The last transaction that is acknowledged completely. With the number 0, the consumer starts at the
  /// oldest transaction that the store keeps.
  public let token: HistoryToken
  /// The number of acknowledged changes in the following transaction. The consumer decides how it counts
  /// them.
  public let position: Int
  /// The date of the last acknowledgement or ``PersistentStore/touchConsumer(named:at:)``.
  public let seen: Date

  /// Creates a value.
  public init(name: String, token: HistoryToken, position: Int, seen: Date) {
    (self.name, self.token, self.position, self.seen) = (name, token, position, seen)
  }
}
