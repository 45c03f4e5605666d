/// A column that the store's engine computes from the row's other columns. Only SQL uses it; it is not an
/// attribute.
///
/// A store creates it if it does not exist. A column with another value needs another name.
public struct ComputedColumn: Sendable {
  /// The entity's name.
  public let table: String
  /// The column's name.
  public let name: String
  /// The declared type, as SQL.
  public let type: String
  /// The value, as SQL.
  public let value: String

  /// Describes a column.
  public init(table: String, name: String, type: String, value: String) {
    (self.table, self.name, self.type, self.value) = (table, name, type, value)
  }
}
