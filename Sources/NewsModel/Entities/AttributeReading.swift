package import ManagedContext

/// An object, or a row of its entity, from which values of attributes are read.
package protocol AttributeReading {
  var id: ManagedObjectID { get }
  subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value { get }
}

/// An object, or new values for a row, to which values of attributes are written.
package protocol AttributeWriting: AttributeReading {
  subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value { get set }
}

extension ManagedObject: AttributeWriting {}

extension RowValues: AttributeReading {}
