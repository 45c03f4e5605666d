internal import XMLStream

/// A value of JSON.
indirect enum JSONValue {
  case null
  case bool(Bool)
  case number(Double)
  case string([UInt8])
  case array([JSONValue])
  case object([(key: [UInt8], value: JSONValue)])

  /// The bytes of a string; a number as its digits, because feeds have numbers for ids.
  var bytes: [UInt8]? {
    switch self {
    case .string(let bytes): bytes
    case .number(let number):
      number == number.rounded() && abs(number) < 1e15 ? Array(String(Int64(number)).utf8) : nil
    default: nil
    }
  }

  var text: String? { bytes.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) } }

  var elements: [JSONValue] {
    if case .array(let elements) = self { elements } else { [] }
  }

  var isObject: Bool {
    if case .object = self { true } else { false }
  }

  /// The value of a key; nil when there is none or it is null.
  subscript(_ key: StaticString) -> JSONValue? {
    guard case .object(let fields) = self else { return nil }
    for field in fields where field.key.span.equals(key) {
      if case .null = field.value { return nil }
      return field.value
    }
    return nil
  }
}

extension Span<UInt8> {
  /// Whether the bytes are those of `text`.
  func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && hasPrefix(text) }
}

/// Moves over JSON, byte by byte.
struct JSONCursor {
  /// The text is not JSON at `index`.
  struct Failure: Error {
    let index: Int
  }

  /// How deep values may nest.
  static let deepest = 64

  let bytes: [UInt8]
  private(set) var index = 0

  init(_ bytes: [UInt8], from index: Int = 0) {
    self.bytes = bytes
    self.index = index
  }

  /// The line that is read, from 1.
  var line: Int { 1 + bytes[..<min(index, bytes.count)].count { $0 == 0x0A } }

  var isAtEnd: Bool { index >= bytes.count }

  /// Takes `byte` when it comes next, white space aside.
  mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  mutating func expect(_ byte: UInt8) throws(Failure) {
    guard take(byte) else { throw Failure(index: index) }
  }

  mutating func skipSpace() {
    while index < bytes.count, bytes[index].isXMLSpace { index += 1 }
  }

  mutating func value(depth: Int = 0) throws(Failure) -> JSONValue {
    guard depth < Self.deepest else { throw Failure(index: index) }
    skipSpace()
    guard index < bytes.count else { throw Failure(index: index) }
    switch bytes[index] {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""): return .string(try string())
    default: return try word()
    }
  }

  private mutating func object(_ depth: Int) throws(Failure) -> JSONValue {
    index += 1
    var fields: [(key: [UInt8], value: JSONValue)] = []
    if take(UInt8(ascii: "}")) { return .object(fields) }
    repeat {
      let key = try key()
      fields.append((key, try value(depth: depth + 1)))
    } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "}"))
    return .object(fields)
  }

  /// A key with its colon.
  mutating func key() throws(Failure) -> [UInt8] {
    skipSpace()
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw Failure(index: index) }
    let key = try string()
    try expect(UInt8(ascii: ":"))
    return key
  }

  private mutating func array(_ depth: Int) throws(Failure) -> JSONValue {
    index += 1
    var elements: [JSONValue] = []
    if take(UInt8(ascii: "]")) { return .array(elements) }
    repeat { elements.append(try value(depth: depth + 1)) } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "]"))
    return .array(elements)
  }

  private mutating func word() throws(Failure) -> JSONValue {
    let start = index
    while index < bytes.count, bytes[index].isASCIIAlphanumeric || "+-.".utf8.contains(bytes[index]) {
      index += 1
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    switch text {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    default:
      guard let first = text.utf8.first, first.isASCIIDigit || first == UInt8(ascii: "-"),
        let number = Double(text), number.isFinite
      else { throw Failure(index: start) }
      return .number(number)
    }
  }

  private mutating func string() throws(Failure) -> [UInt8] {
    index += 1
    var result: [UInt8] = []
    while index < bytes.count {
      let start = index
      while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\") {
        index += 1
      }
      result.append(contentsOf: bytes[start..<index])
      guard index < bytes.count else { break }
      index += 1
      if bytes[index - 1] == UInt8(ascii: "\"") { return result }
      try escape(&result)
    }
    throw Failure(index: index)
  }

  /// What follows a backslash.
  private mutating func escape(_ result: inout [UInt8]) throws(Failure) {
    guard index < bytes.count else { throw Failure(index: index) }
    index += 1
    switch bytes[index - 1] {
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "b"), UInt8(ascii: "f"): result.append(0x20)
    case UInt8(ascii: "u"): try unicodeEscape(&result)
    default: result.append(bytes[index - 1])
    }
  }

  private mutating func unicodeEscape(_ result: inout [UInt8]) throws(Failure) {
    let first = try fourDigits()
    guard first & 0xFC00 == 0xD800 else { return result.appendUTF8(first) }
    // The second half of a pair; one that stands alone becomes U+FFFD.
    guard bytes.span.hasPrefix("\\u", at: index) else { return result.appendUTF8(0xFFFD) }
    let back = index
    index += 2
    let second = try fourDigits()
    guard second & 0xFC00 == 0xDC00 else {
      index = back
      return result.appendUTF8(0xFFFD)
    }
    result.appendUTF8(0x1_0000 + ((first & 0x3FF) << 10) + (second & 0x3FF))
  }

  private mutating func fourDigits() throws(Failure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard index < bytes.count, let digit = bytes[index].hexadecimalDigit else {
        throw Failure(index: index)
      }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }
}
