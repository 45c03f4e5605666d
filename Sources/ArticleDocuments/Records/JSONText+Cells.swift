import ManagedContext
package import TextOutput

/// Writes values of the store as ``RecordValue/writeJSON(to:)`` does, without copying them.
extension JSONText: CellReceiver {
  package mutating func receiveNull() { null() }
  package mutating func receive(_ number: Int64) { raw("\(number)") }
  package mutating func receive(_ number: Double) { raw(number.isFinite ? "\(number)" : "null") }
  package mutating func receive(text: Span<UInt8>) { string(text) }
  package mutating func receive(bytes: Span<UInt8>) { hexadecimal(bytes) }
}
