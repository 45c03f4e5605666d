/// Receives row values in place, without a copy.
public protocol CellReceiver {
  /// Receives a missing value.
  mutating func receiveNull()
  /// Receives a whole number.
  mutating func receive(_ number: Int64)
  /// Receives a number with a fraction.
  mutating func receive(_ number: Double)
  /// Receives UTF-8 text, which the store has not checked.
  mutating func receive(text: Span<UInt8>)
  /// Receives bytes.
  mutating func receive(bytes: Span<UInt8>)
}

extension RowBatch {
  /// Calls `body` with a text cell's UTF-8, or with nil if the cell is not a text.
  public func withText<Value>(row: Int, column: Int, _ body: (Span<UInt8>?) -> Value) -> Value {
    guard case .text(let offset, let count) = cell(row: row, column: column) else { return body(nil) }
    return body(bytes.span.extracting(Int(offset)..<Int(offset) + Int(count)))
  }
}
