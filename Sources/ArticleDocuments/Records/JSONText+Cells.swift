public import ManagedContext
public import TextOutput

/// Writes values of the store as ``RecordValue/writeJSON(to:)`` does, without copying them.
extension JSONText: CellReceiver {
  public mutating func receiveNull() { null() }
  public mutating func receive(_ number: Int64) { raw("\(number)") }
  public mutating func receive(_ number: Double) { raw(number.isFinite ? "\(number)" : "null") }
  public mutating func receive(text: Span<UInt8>) { string(text) }
  public mutating func receive(bytes: Span<UInt8>) { hexadecimal(bytes) }
}
