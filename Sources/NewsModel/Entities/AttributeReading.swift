package import ManagedContext

/// An object, or a row of its entity, from which values of attributes are read.
package protocol AttributeReading {
  var id: ManagedObjectID { get }
  subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value { get }
}

extension ManagedObject: AttributeReading {}

extension RowValues: AttributeReading {}
