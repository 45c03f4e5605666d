/// A row with new values for some attributes, for an edit that creates no object.
///
/// ```swift
/// let columns = [Book.schema.pages.index]
/// var edited = EditedRow(row, columns: columns)
/// edited[Book.schema.pages] = 240
/// var rows = RowBatch(entity: row.id.entity, columns: columns)
/// edited.append(to: &rows)
/// context.edit(BatchEdit(rows))
/// ```
public struct EditedRow<Object: Entity>: EditableValues {
  private let row: StoredRow<Object>
  private let columns: [Int]
  /// The new values, in the order of the columns; nil for unchanged values.
  private var values: [AttributeValue?]

  /// Creates a row without edits.
  ///
  /// - Parameters:
  ///   - row: The row, with a value for each column.
  ///   - columns: The attributes that may change, by their indexes. Other attributes ignore new values.
  public init(_ row: StoredRow<Object>, columns: [Int]) {
    (self.row, self.columns) = (row, columns)
    values = [AttributeValue?](repeating: nil, count: columns.count)
  }

  /// The object's ID.
  public var id: ManagedObjectID { row.id }

  /// An attribute's value.
  public subscript<Value: AttributeConvertible>(_ attribute: Attribute<Value>) -> Value {
    get {
      let new = columns.firstIndex(of: attribute.index).flatMap { values[$0] }
      return new.map { Value(attributeValue: $0) ?? .placeholder } ?? row[attribute]
    }
    set {
      if let column = columns.firstIndex(of: attribute.index) { values[column] = newValue.attributeValue }
    }
  }

  /// Adds the row with its new values to a batch with the same columns.
  public func append(to rows: inout RowBatch) {
    precondition(rows.columns == columns, "a row with other columns was added to a batch")
    rows.beginRow(key: row.id.key, version: row.version)
    for (column, attribute) in columns.enumerated() {
      rows.append(values[column].map { stored($0, attribute) } ?? row.value(at: attribute))
    }
  }

  /// Returns a value in the form that the store keeps for an attribute. Only dates have several, and looking up the
  /// attribute of each value would take most of an edit's time.
  private func stored(_ value: AttributeValue, _ attribute: Int) -> AttributeValue {
    guard case .date = value else { return value }
    return value.stored(as: row.rows.model[row.id.entity].attributes[attribute].type)
  }
}
