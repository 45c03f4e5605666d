internal import ManagedContext
internal import SQLStatements

struct Statement {
  var text: String
  var parameters = Parameters()

  init(_ text: String, _ parameters: Parameters = Parameters()) {
    (self.text, self.parameters) = (text, parameters)
  }

  init(_ text: String, _ values: SQLValue...) { self.init(text, values: values) }

  init(_ text: String, values: [SQLValue]) {
    self.text = text
    for value in values { parameters.append(value) }
  }
}

/// The types for parameters and columns, by their object IDs (the server's pg_type.dat).
enum ServerType: UInt32 {
  case bytes = 17
  case integer = 20
  case text = 25
  case real = 701
  case bytesArray = 1001
  case textArray = 1009
  case integerArray = 1016
  case realArray = 1022
  case words = 3614
  case wordsArray = 3643

  var array: ServerType {
    switch self {
    case .bytes, .bytesArray: .bytesArray
    case .integer, .integerArray: .integerArray
    case .text, .textArray: .textArray
    case .real, .realArray: .realArray
    case .words, .wordsArray: .wordsArray
    }
  }

  /// The type's name in SQL.
  var name: String {
    switch self {
    case .bytes: "bytea"
    case .integer: "bigint"
    case .text: "text"
    case .real: "double precision"
    case .bytesArray: "bytea[]"
    case .textArray: "text[]"
    case .integerArray: "bigint[]"
    case .realArray: "double precision[]"
    case .words: "tsvector"
    case .wordsArray: "tsvector[]"
    }
  }

  init(_ type: AttributeType) {
    switch type {
    case .integer, .boolean, .reference: self = .integer
    case .real, .date, .secondsSince1970: self = .real
    case .text: self = .text
    case .bytes: self = .bytes
    }
  }
}

/// Statement parameters in the binary format, in one arena.
struct Parameters {
  private var bytes: [UInt8] = []
  /// The range of each value in ``bytes``; a count of -1 is null.
  private var places: [(offset: Int, count: Int)] = []
  private var types: [UInt32] = []

  var count: Int { places.count }
  var isEmpty: Bool { places.isEmpty }

  // MARK: Values

  mutating func append(_ value: SQLValue) {
    switch value {
    case .integer(nil): appendNull(.integer)
    case .integer(let number?): append(number)
    case .real(let number): append(number)
    case .text(nil): appendNull(.text)
    case .text(let text?): append(text)
    case .bytes(let content): append(content, .bytes)
    case .integers(let numbers): append(numbers)
    }
  }

  mutating func appendNull(_ type: ServerType) {
    places.append((0, -1))
    types.append(type.rawValue)
  }

  mutating func append(_ number: Int64) {
    add(.integer) { $0.write(UInt64(bitPattern: number)) }
  }

  /// NaN becomes null, as in SQLite.
  mutating func append(_ number: Double) {
    if number.isNaN { return appendNull(.real) }
    add(.real) { $0.write(number.bitPattern) }
  }

  mutating func append(_ text: String) {
    add(.text) { $0.bytes.append(contentsOf: text.utf8) }
  }

  mutating func append(_ content: some Collection<UInt8>, _ type: ServerType) {
    add(type) { $0.bytes.append(contentsOf: content) }
  }

  mutating func append(_ numbers: some Collection<Int64>) {
    add(.integerArray) { parameters in
      parameters.beginArray(of: .integer, count: numbers.count, hasNulls: false)
      for number in numbers {
        parameters.write(UInt32(8))
        parameters.write(UInt64(bitPattern: number))
      }
    }
  }

  /// Appends an array; `body` writes its elements.
  mutating func appendArray(of type: ServerType, count: Int, _ body: (inout Parameters) -> Void) {
    add(type.array) { parameters in
      parameters.beginArray(of: type, count: count, hasNulls: true)
      body(&parameters)
    }
  }

  /// Appends a `tsvector` array in binary format.
  mutating func append(vectors: [[UInt8]?]) {
    add(.wordsArray) { parameters in
      parameters.beginArray(of: .words, count: vectors.count, hasNulls: true)
      for vector in vectors {
        parameters.write(vector.map { UInt32($0.count) } ?? .max)
        parameters.bytes.append(contentsOf: vector ?? [])
      }
    }
  }

  /// Appends an array of values with one type; values with other types are null.
  mutating func append(_ values: [AttributeValue], of type: ServerType) {
    add(type.array) { parameters in
      parameters.beginArray(of: type, count: values.count, hasNulls: true)
      for value in values { parameters.writeElement(value, type) }
    }
  }

  /// Appends an array with the cells in one column of a batch.
  mutating func append(column: Int, of rows: RowBatch, _ type: ServerType) {
    add(type.array) { parameters in
      parameters.beginArray(of: type, count: rows.count, hasNulls: true)
      for row in 0..<rows.count { parameters.writeElement(rows.cell(row: row, column: column), rows, type) }
    }
  }

  private mutating func add(_ type: ServerType, _ body: (inout Parameters) -> Void) {
    let offset = bytes.count
    body(&self)
    places.append((offset, bytes.count - offset))
    types.append(type.rawValue)
  }

  // MARK: The binary format

  /// Writes the header of a one-dimensional array (array_send in the server's arrayfuncs.c).
  private mutating func beginArray(of type: ServerType, count: Int, hasNulls: Bool) {
    write(UInt32(count == 0 ? 0 : 1))
    write(UInt32(hasNulls ? 1 : 0))
    write(type.rawValue)
    guard count > 0 else { return }
    write(UInt32(count))
    write(UInt32(1))
  }

  mutating func writeElement(_ value: AttributeValue, _ type: ServerType) {
    switch (value, type) {
    case (.integer(let number), .integer): writeElement(UInt64(bitPattern: number))
    case (.reference(let id), .integer): writeElement(UInt64(bitPattern: id.key))
    case (.integer(let number), .real): writeElement(Double(number).bitPattern)
    case (.real(let number), .real) where !number.isNaN, (.date(let number), .real) where !number.isNaN:
      writeElement(number.bitPattern)
    case (.text(let text), .text):
      write(UInt32(text.utf8.count))
      bytes.append(contentsOf: text.utf8)
    case (.bytes(let content), .bytes):
      write(UInt32(content.count))
      bytes.append(contentsOf: content)
    default: write(UInt32.max)
    }
  }

  mutating func writeElement(_ cell: RowBatch.Cell, _ rows: RowBatch, _ type: ServerType) {
    switch (cell, type) {
    case (.integer(let number), .integer): writeElement(UInt64(bitPattern: number))
    case (.integer(let number), .real): writeElement(Double(number).bitPattern)
    case (.real(let number), .real) where !number.isNaN, (.date(let number), .real) where !number.isNaN:
      writeElement(number.bitPattern)
    case (.text(let offset, let count), .text), (.bytes(let offset, let count), .bytes):
      write(count)
      bytes.append(contentsOf: rows.bytes[Int(offset)..<Int(offset) + Int(count)])
    default: write(UInt32.max)
    }
  }

  private mutating func writeElement(_ bits: UInt64) {
    write(UInt32(8))
    write(bits)
  }

  /// Writes a number in network byte order.
  private mutating func write(_ number: some FixedWidthInteger) {
    unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  // MARK: libpq

  /// Calls `body` with the arguments for PQexecParams.
  func withPointers<Value>(
    _ body: (
      _ count: Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
    ) -> Value
  ) -> Value {
    let lengths = places.map { Int32(max(0, $0.count)) }
    let formats = [Int32](repeating: 1, count: places.count)
    // An empty value that is not null needs an address.
    let arena = bytes.isEmpty ? [0] : bytes
    return unsafe arena.withUnsafeBufferPointer { arena in
      let values: [UnsafePointer<CChar>?] = unsafe places.map { place in
        guard place.count >= 0, let base = arena.baseAddress else { return nil }
        return unsafe UnsafeRawPointer(base + place.offset).assumingMemoryBound(to: CChar.self)
      }
      return unsafe values.withUnsafeBufferPointer { values in
        unsafe body(Int32(places.count), values.baseAddress, lengths, formats)
      }
    }
  }

  /// Calls `body` with the parameter types.
  func withTypes<Value>(_ body: (UnsafePointer<UInt32>?) -> Value) -> Value {
    unsafe types.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
  }
}
