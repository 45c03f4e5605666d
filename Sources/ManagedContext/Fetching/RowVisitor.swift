/// A query's current row, which can be read while it is visited.
public protocol VisitedRow: ~Copyable {
  /// The number of values.
  var count: Int { get }

  /// Passes a value to a receiver.
  ///
  /// - Parameters:
  ///   - column: The value's index, from 0.
  ///   - receiver: Receives the value. Text and bytes are valid only during the call.
  func pass(_ column: Int, to receiver: inout some CellReceiver)
}

extension VisitedRow where Self: ~Copyable {
  /// Returns a copy of a value.
  public func value(_ column: Int) -> AttributeValue {
    var copy = CellCopy()
    pass(column, to: &copy)
    return copy.value
  }

  /// Copies of the values.
  public var values: [AttributeValue] {
    var values: [AttributeValue] = []
    for column in 0..<count { values.append(value(column)) }
    return values
  }
}

/// Receives a query's rows.
public protocol RowVisitor {
  /// Receives the column names, once.
  mutating func begin(_ columns: [String])

  /// Receives a row.
  ///
  /// - Returns: Whether to continue.
  mutating func visit(_ row: borrowing some VisitedRow & ~Copyable) -> Bool
}

/// A copy of a received value.
private struct CellCopy: CellReceiver {
  var value = AttributeValue.null

  mutating func receiveNull() { value = .null }
  mutating func receive(_ number: Int64) { value = .integer(number) }
  mutating func receive(_ number: Double) { value = .real(number) }
  mutating func receive(text: Span<UInt8>) {
    unsafe text.withUnsafeBufferPointer { value = .text(unsafe String(decoding: $0, as: UTF8.self)) }
  }
  mutating func receive(bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { value = .bytes(unsafe Array($0)) }
  }
}
