/// The values of one row of a batch, for callers that create their own values from it instead of managed objects.
public struct RowValues {
  @usableFromInline let rows: RowBatch
  @usableFromInline let row: Int
  @usableFromInline let model: ManagedObjectModel

  /// Creates a view of a row of a batch.
  ///
  /// - Parameters:
  ///   - rows: The rows that were read, with columns for the attributes to use.
  ///   - row: The index of the row, counted from 0.
  ///   - model: The model of the context that read the rows.
  public init(_ rows: RowBatch, row: Int, model: ManagedObjectModel) {
    self.rows = rows
    self.row = row
    self.model = model
  }

  /// The ID of the row's object.
  public var id: ManagedObjectID { rows.id(row: row) }

  /// The value of an attribute; the type's placeholder if the attribute was not read or has another type.
  @inlinable
  public subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value {
    rows.value(of: key, row: row, model: model)
  }
}

extension RowBatch {
  /// Returns the value of an attribute in a row, counted from 0.
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
