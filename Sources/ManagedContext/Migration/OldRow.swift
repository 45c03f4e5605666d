/// A row as it was before a migration. Its values have the names of the store's old version.
public struct OldRow {
  /// The row's key, which its object's ID contains.
  public let key: Int64
  let version: Int64
  let table: OldTable
  let values: [AttributeValue]

  /// The value of an attribute. A reference is its row's key, an `Int64`.
  ///
  /// - Throws: ``StoreError/validation(_:)`` with the row and the value if it has another type;
  ///   ``StoreError/incompatible(_:)`` if the old version has no such attribute.
  public subscript<Value: AttributeConvertible>(
    name: String, as type: Value.Type = Value.self
  ) -> Value {
    get throws(StoreError) {
      let stored = try stored(name)
      guard let value = Value(attributeValue: stored) else {
        throw error(name, stored.isNull ? "a value is missing" : "\(stored) is not \(Value.self)")
      }
      return value
    }
  }

  /// Converts the value of an attribute.
  ///
  /// - Parameters:
  ///   - name: The attribute.
  ///   - transform: Returns the new value; nil, or an error, if the old one cannot be converted.
  /// - Returns: Nil if the row has no value.
  /// - Throws: ``StoreError/validation(_:)`` with the row and the value if it cannot be converted.
  public func convert<Old: AttributeConvertible, New>(
    _ name: String, _ transform: (Old) throws -> New?
  ) throws(StoreError) -> New? {
    guard let old = try self[name, as: Old?.self] else { return nil }
    do {
      if let new = try transform(old) { return new }
    } catch let error as StoreError {
      throw error
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw self.error(name, "\(old.attributeValue) cannot be converted: \(error)")
    }
    throw error(name, "\(old.attributeValue) cannot be converted to \(New.self)")
  }

  /// Returns an error about the row for a migration to throw, such as `row.error("born", "is not a date")`.
  ///
  /// - Parameters:
  ///   - name: The attribute with the value that the error names; nil for the whole row.
  ///   - cause: The reason in words.
  public func error(_ name: String?, _ cause: String) -> StoreError { .validation(violation(name, cause)) }

  func violation(_ name: String?, _ cause: String) -> ValidationError {
    let value = name.flatMap { table.places[$0] }.map { values[$0] }
    return ValidationError(
      entity: table.name, attribute: name, object: table.id(key),
      cause: .rule(table.entity == nil ? "row \(key): \(cause)" : cause), value: value)
  }

  func stored(_ name: String) throws(StoreError) -> AttributeValue {
    guard let place = table.places[name] else {
      throw .incompatible("\(table.name) has no attribute \(name) in version \(table.version)")
    }
    return values[place]
  }
}

/// A table before a migration.
final class OldTable {
  let name: String
  let place: Int
  let version: Int
  /// The places of the values, by their names.
  let places: [String: Int]
  /// The entity that has the rows now; nil if they will be deleted.
  let entity: EntityIndex?
  private let store: StoreNumber

  init(_ place: Int, of tables: any MigratedTables, version: Int) {
    let description = tables.old[place]
    (name, self.place, self.version, store) = (description.name, place, version, tables.store)
    places = Dictionary(uniqueKeysWithValues: description.attributes.map { ($0.name, $0.index) })
    entity = tables.model.entities.indices.map { EntityIndex($0) }
      .first { tables.source(of: $0)?.table == place }
  }

  /// Returns a row's ID in the new model; nil if its entity is not in the model.
  func id(_ key: Int64) -> ManagedObjectID? {
    entity.map { ManagedObjectID(entity: $0, store: store, key: key) }
  }
}
