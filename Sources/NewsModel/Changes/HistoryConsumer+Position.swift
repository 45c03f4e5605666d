import Foundation
package import ManagedContext

extension [HistoryConsumer] {
  /// Returns the consumer with a name; nil if none has it.
  package func named(_ name: String) -> HistoryConsumer? {
    // Swift's comparison would also find names that are only equivalent.
    first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}

extension PersistentStore {
  /// Records that a consumer has handled a transaction's first events.
  ///
  /// - Parameter force: True to allow moving the consumer back.
  package func acknowledge(
    _ position: Int, of transaction: HistoryToken, by name: String, force: Bool = false
  ) throws(StoreError) {
    let before = HistoryToken(transaction.number - 1)
    do throws(StoreError) {
      try acknowledge(before, position: position, by: name, at: Date(), force: force)
    } catch .history(.purged) {
      // The transaction is the oldest one, at which the number 0 starts.
      try acknowledge(HistoryToken(0), position: position, by: name, at: Date(), force: true)
    }
  }
}

extension ChangeToken {
  /// A consumer's position; without the events in a transaction that it has read in part.
  package init(_ consumer: HistoryConsumer) { self.init(consumer.token) }
}
