/// The reserved names of the history tables: no entity may have them.
public enum HistoryTables {
  /// The table with one row for each transaction and author.
  public static let transactions = "persistent_history"
  public static let consumers = "persistent_consumer"
}
