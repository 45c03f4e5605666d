/// The reserved names of the history tables: no entity may have them.
package enum HistoryTables {
  /// The table with one row for each transaction and author.
  package static let transactions = "persistent_history"
  package static let consumers = "persistent_consumer"
}
