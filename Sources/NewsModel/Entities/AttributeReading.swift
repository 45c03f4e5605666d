package import ManagedContext

/// An object, or an entity's row, that provides attribute values.
package protocol AttributeReading {
  var id: ManagedObjectID { get }
  subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value { get }
}

/// An object, or new values for a row, that receives attribute values.
package protocol AttributeWriting: AttributeReading {
  subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value { get set }
}

extension ManagedObject: AttributeWriting {}

extension StoredRow: AttributeReading {}
