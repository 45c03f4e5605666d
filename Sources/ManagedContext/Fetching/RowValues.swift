/// One row of a batch, attribute by attribute: for one who makes values of a kind of his own of it, without an object.
public struct RowValues {
  @usableFromInline let rows: RowBatch
  @usableFromInline let row: Int
  @usableFromInline let model: ManagedObjectModel

  /// Looks at a row of a batch.
  ///
  /// - Parameters:
  ///   - rows: What was read, with columns for the attributes that are asked for.
  ///   - row: The place of the row, from 0.
  ///   - model: The entities of the context that read it.
  public init(_ rows: RowBatch, row: Int, model: ManagedObjectModel) {
    self.rows = rows
    self.row = row
    self.model = model
  }

  /// The row's object.
  public var id: ManagedObjectID { rows.id(row: row) }

  /// The value of an attribute; one that was not read, or is of another type, reads as nothing.
  @inlinable
  public subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value {
    rows.value(of: key, row: row, model: model)
  }
}

extension RowBatch {
  /// The value of an attribute of a row, from 0; one that was not read, or is of another type, reads as nothing.
  @inlinable
  public func value<Value: AttributeConvertible>(
    of key: AttributeKey<Value>, row: Int, model: ManagedObjectModel
  ) -> Value {
    guard let column = columns.firstIndex(of: key.index) else { return Value.placeholder }
    return Value(attributeValue: value(row: row, column: column, model: model)) ?? Value.placeholder
  }
}
