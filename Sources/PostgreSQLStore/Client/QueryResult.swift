internal import CPostgreSQL
internal import ManagedContext

/// A statement's rows in the binary format, read in place.
@safe final class QueryResult {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) { unsafe self.handle = handle }

  deinit { unsafe libpq.PQclear(handle) }

  /// The row count.
  var count: Int { Int(unsafe libpq.PQntuples(handle)) }

  var columnCount: Int { Int(unsafe libpq.PQnfields(handle)) }

  /// The count of rows that a statement has written.
  var written: Int { Int(unsafe Self.text(libpq.PQcmdTuples(handle)) ?? "") ?? 0 }

  var columnNames: [String] {
    (0..<(unsafe libpq.PQnfields(handle))).map { unsafe Self.text(libpq.PQfname(handle, $0)) ?? "" }
  }

  /// The parameter count of a described statement.
  var parameterCount: Int { Int(unsafe libpq.PQnparams(handle)) }

  /// The object ID of a column's type.
  func type(ofColumn column: Int) -> UInt32 { unsafe libpq.PQftype(handle, Int32(column)) }

  var errorMessage: String { unsafe Self.text(libpq.PQresultErrorMessage(handle)) ?? "" }

  func errorField(_ code: Int32) -> String? { unsafe Self.text(libpq.PQresultErrorField(handle, code)) }

  private static func text(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    unsafe text.map { unsafe String(cString: $0) }
  }

  // MARK: Values

  func isNull(_ row: Int, _ column: Int) -> Bool {
    unsafe libpq.PQgetisnull(handle, Int32(row), Int32(column)) != 0
  }

  /// Returns a whole number, whatever its size in bytes; nil for null.
  func integer(_ row: Int, _ column: Int) -> Int64? {
    if isNull(row, column) { return nil }
    return unsafe withBytes(row, column) { bytes in
      guard let first = unsafe bytes.first else { return nil }
      return unsafe bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }
  }

  /// Returns a number with a fraction; nil for null.
  func real(_ row: Int, _ column: Int) -> Double? {
    integer(row, column).map { Double(bitPattern: UInt64(bitPattern: $0)) }
  }

  func isTrue(_ row: Int, _ column: Int) -> Bool { integer(row, column) == 1 }

  /// Returns a text; nil for null.
  func text(_ row: Int, _ column: Int) -> String? {
    if isNull(row, column) { return nil }
    return unsafe withBytes(row, column) { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Returns bytes; nil for null.
  func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
    if isNull(row, column) { return nil }
    return unsafe withBytes(row, column) { unsafe Array($0) }
  }

  /// Calls `body` with a value's bytes; empty for null.
  func withBytes(_ row: Int, _ column: Int, _ body: (Span<UInt8>) -> Void) {
    unsafe withBytes(row, column) { unsafe body($0.span) }
  }

  /// Returns the value as an attribute with the given type.
  func value(_ row: Int, _ column: Int, _ type: AttributeType) -> AttributeValue {
    if isNull(row, column) { return .null }
    switch type {
    case .integer, .boolean, .reference: return integer(row, column).map { .integer($0) } ?? .null
    case .real: return real(row, column).map { .real($0) } ?? .null
    case .date: return real(row, column).map { .date($0) } ?? .null
    case .secondsSince1970: return real(row, column).map { Self.seconds($0) } ?? .null
    case .text: return text(row, column).map { .text($0) } ?? .null
    case .bytes: return bytes(row, column).map { .bytes($0) } ?? .null
    }
  }

  /// Adds an attribute's cell to rows. Text and bytes are copied once, without creating values.
  func appendCell(_ row: Int, _ column: Int, _ type: AttributeType, to rows: inout RowBatch) {
    if isNull(row, column) { return rows.append(RowBatch.Cell.null) }
    switch type {
    case .text, .bytes:
      let offset = UInt32(rows.bytes.count)
      unsafe withBytes(row, column) { unsafe rows.bytes.append(contentsOf: $0) }
      let count = UInt32(rows.bytes.count) - offset
      rows.append(type == .text ? .text(offset: offset, count: count) : .bytes(offset: offset, count: count))
    default: rows.append(value(row, column, type))
    }
  }

  /// Whole seconds are an integer, as a context writes them.
  private static func seconds(_ seconds: Double) -> AttributeValue {
    Int64(exactly: seconds).map { .integer($0) } ?? .real(seconds)
  }

  private func withBytes<Value>(
    _ row: Int, _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Value
  ) -> Value {
    let start = unsafe UnsafeRawPointer(libpq.PQgetvalue(handle, Int32(row), Int32(column)))
    let count = Int(unsafe libpq.PQgetlength(handle, Int32(row), Int32(column)))
    return unsafe body(
      UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count))
  }
}
