/// One row's values, for callers that create their own values from a batch instead of managed objects.
public struct RowValues {
  @usableFromInline let rows: RowBatch
  @usableFromInline let row: Int
  @usableFromInline let model: ManagedObjectModel

  /// Creates a view into one row.
  ///
  /// - Parameters:
  ///   - rows: The rows that were read, with columns for the attributes to use.
  ///   - row: The row's index, counted from 0.
  ///   - model: The model in the context that read the rows.
  public init(_ rows: RowBatch, row: Int, model: ManagedObjectModel) {
    self.rows = rows
    self.row = row
    self.model = model
  }

  /// The row object's ID.
  public var id: ManagedObjectID { rows.id(row: row) }

  /// An attribute's value; the type's placeholder if the attribute was not read or has another type.
  @inlinable
  public subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value {
    rows.value(of: key, row: row, model: model)
  }
}

extension RowBatch {
  /// Returns an attribute's value in a row, counted from 0.
  ///
  /// Returns the type's placeholder if the attribute was not read or has another type.
  @inlinable
  public func value<Value: AttributeConvertible>(
    of key: AttributeKey<Value>, row: Int, model: ManagedObjectModel
  ) -> Value {
    guard let column = columns.firstIndex(of: key.index) else { return Value.placeholder }
    return Value(attributeValue: value(row: row, column: column, model: model)) ?? Value.placeholder
  }
}
