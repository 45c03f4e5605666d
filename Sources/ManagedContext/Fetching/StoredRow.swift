/// An object or a row: what has the values of an entity's attributes.
///
/// A property that is computed from attributes belongs in an extension for its entity, so that objects and rows
/// have it: `extension EntityValues where Object == Book`. A property that other modules use often should read
/// attributes with keys (`self[Book.schema.title]`), because Swift looks up `self.title` at run time there.
@dynamicMemberLookup
public protocol EntityValues<Object> {
  /// The entity's class.
  associatedtype Object: Entity

  /// The object's ID.
  var id: ManagedObjectID { get }

  /// An attribute's value; the type's placeholder if it is missing or unreadable.
  subscript<Value: AttributeConvertible>(_ attribute: Attribute<Value>) -> Value { get }
}

extension EntityValues {
  // Inlined, so that no caller passes a key path, for which the schema would be copied.

  /// The value of an attribute.
  @inlinable @inline(__always)
  public subscript<Value: AttributeConvertible>(
    dynamicMember property: any KeyPath<Object.Schema, Attribute<Value>> & Sendable
  ) -> Value {
    @inline(__always) get { self[Object.entity.schema[keyPath: property]] }
  }
}

/// An object or an edited row: what receives values for an entity's attributes.
public protocol EditableValues<Object>: EntityValues {
  /// An attribute's value.
  subscript<Value: AttributeConvertible>(_ attribute: Attribute<Value>) -> Value { get set }
}

/// An object's values as they were read: an object that nobody can edit, which may leave its context.
///
/// It is an index in the rows that were read together, which it keeps in memory.
public struct StoredRow<Object: Entity>: EntityValues, Sendable {
  @usableFromInline let rows: StoredRows<Object>
  @usableFromInline let index: Int

  @inlinable
  init(_ rows: StoredRows<Object>, _ index: Int) {
    (self.rows, self.index) = (rows, index)
  }

  /// The object's ID.
  public var id: ManagedObjectID { rows.batch.id(row: index) }

  /// The row's version when it was read.
  public var version: Int64 { rows.batch.versions[index] }

  /// An attribute's value; the type's placeholder if it has another type. An attribute that was not read is a
  /// mistake, which stops the program in debug builds.
  @inlinable
  public subscript<Value: AttributeConvertible>(_ attribute: Attribute<Value>) -> Value {
    Value(attributeValue: value(at: attribute.index)) ?? .placeholder
  }

  /// Returns the stored form of an attribute's value, by the attribute's index.
  @inlinable
  public func value(at attribute: Int) -> AttributeValue {
    guard let column = rows.column(of: attribute) else {
      rows.checkRead(attribute)
      return .null
    }
    return rows.batch.value(row: index, column: column, destination: rows.destinations[column])
  }
}

extension StoredRow {
  /// Calls `body` with a text as UTF-8, in place. The store has not checked it. Nil without a text.
  @inlinable
  public func withUTF8<Text: AttributeConvertible, Result>(
    of attribute: Attribute<Text>, _ body: (Span<UInt8>?) -> Result
  ) -> Result {
    guard let column = rows.column(of: attribute.index) else {
      rows.checkRead(attribute.index)
      return body(nil)
    }
    return rows.batch.withText(row: index, column: column, body)
  }
}

/// Rows that were read together. Their texts become `String` values only when they are used.
public final class StoredRows<Object: Entity>: RandomAccessCollection, Sendable {
  /// The rows in the store's format.
  public let batch: RowBatch
  @usableFromInline let model: ManagedObjectModel
  /// Each attribute's column; nil if it was not read.
  @usableFromInline let columns: [Int?]
  /// The entity that each column's attribute leads to; nil for other attributes.
  @usableFromInline let destinations: [EntityIndex?]

  /// Creates rows for a batch of the entity.
  ///
  /// - Parameters:
  ///   - batch: The rows, with columns for the attributes to use.
  ///   - model: The model in the context that read the rows.
  public init(_ batch: RowBatch, model: ManagedObjectModel) {
    self.batch = batch
    self.model = model
    destinations = batch.destinations(model)
    var columns = [Int?](repeating: nil, count: Object.entity.description.attributes.count)
    for (column, attribute) in batch.columns.enumerated() where columns.indices.contains(attribute) {
      columns[attribute] = column
    }
    self.columns = columns
  }

  /// 0.
  public var startIndex: Int { 0 }
  /// The row count.
  public var endIndex: Int { batch.count }
  /// The row at an index.
  @inlinable public subscript(index: Int) -> StoredRow<Object> { StoredRow(self, index) }

  /// Returns the rows of some objects in their order; missing objects are left out.
  public func inOrder(of ids: [ManagedObjectID]) -> [StoredRow<Object>] {
    let found = batch.ids
    // The store returns them by number, which is often the order already.
    guard found != ids else { return Array(self) }
    let places = Dictionary(uniqueKeysWithValues: found.enumerated().map { ($0.element, $0.offset) })
    return ids.compactMap { places[$0].map { self[$0] } }
  }

  @inlinable
  func column(of attribute: Int) -> Int? {
    columns.indices.contains(attribute) ? columns[attribute] : nil
  }

  /// Returns the rows without the columns that are null in all of them, for long-term storage in memory.
  ///
  /// The rows must have been read with all attributes.
  public func withoutEmptyColumns() -> StoredRows { StoredRows(batch.withoutEmptyColumns(), model: model) }

  /// Stops the program, in debug builds, at the use of an attribute that its request did not name.
  @usableFromInline
  func checkRead(_ attribute: Int) {
    assert(batch.leavesOutNulls, "\(Object.entityName): attribute \(attribute) was used, and not read")
  }
}

extension ManagedObjectContext {
  /// Returns the object for a row, without a query.
  ///
  /// The row must have been read with all attributes. It may be older than the store; under
  /// ``MergePolicy/error``, a save then fails with ``StoreError/conflict(_:)``.
  ///
  /// - Returns: The context's object for the row, with its own values, or a new object with the row's values.
  ///   Nil if the row belongs to another class.
  public func object<Object: Entity>(of row: StoredRow<Object>) -> Object? {
    object(Object.self, of: row.rows.batch, row: row.index)
  }

  /// Returns the objects that match a request as rows, without creating objects.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - columns: Returns the attributes and to-one relationships to read, out of the schema; nil for all.
  public func rows<Object: Entity>(
    of request: FetchRequest<Object>, _ columns: ((Object.Schema) -> [any SchemaColumn])? = nil
  ) throws(StoreError) -> StoredRows<Object> {
    let chosen = columns.map { AttributeSet(indexes: $0(Object.schema).map(\.index)) }
    return try rows(of: request, columns: chosen ?? .all)
  }

  /// Returns the objects that match a request as rows, without creating objects.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - columns: The attributes and to-one relationships to read.
  public func rows<Object: Entity>(
    of request: FetchRequest<Object>, columns: AttributeSet
  ) throws(StoreError) -> StoredRows<Object> {
    let indexes = Object.entity.description.attributes.indices.filter {
      columns.contains(AttributeSet(index: $0))
    }
    return StoredRows(try rows(request, columns: indexes), model: model)
  }
}

extension RowBatch {
  /// Returns an attribute's value in a row, counted from 0.
  ///
  /// Returns the type's placeholder if the attribute was not read or has another type.
  @inlinable
  public func value<Value: AttributeConvertible>(
    of key: Attribute<Value>, row: Int, model: ManagedObjectModel
  ) -> Value {
    guard let column = columns.firstIndex(of: key.index) else { return Value.placeholder }
    return Value(attributeValue: value(row: row, column: column, model: model)) ?? Value.placeholder
  }
}
