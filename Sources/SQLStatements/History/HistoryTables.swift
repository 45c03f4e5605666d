/// The names of the history's tables, which are reserved: no entity may have them.
package enum HistoryTables {
  /// The table with one row for each transaction and author.
  package static let transactions = "persistent_history"
  /// The table of consumers.
  package static let consumers = "persistent_consumer"
}
