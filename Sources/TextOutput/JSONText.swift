/// Writes JSON on one line that is safe on a terminal.
public struct JSONText: Sendable {
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false

  public init() {}

  /// Creates a text that continues `bytes`. It takes them over without a copy, until ``takeBytes()``.
  public init(continuing bytes: inout [UInt8]) {
    swap(&self.bytes, &bytes)
  }

  /// Returns a text as a JSON string, with its quotation marks.
  public static func quoted(_ text: String) -> String {
    var json = JSONText()
    json.string(text)
    return json.text
  }

  /// The text written so far.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the bytes written so far and removes them. The text continues after them.
  public mutating func takeBytes() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    return taken
  }

  /// Appends elements that another instance wrote for the same list.
  public mutating func append(elements: [UInt8]) {
    guard !elements.isEmpty else { return }
    separate()
    bytes.append(contentsOf: elements)
    needsComma = true
  }

  public mutating func open(_ bracket: Unicode.Scalar) {
    separate()
    bytes.append(UInt8(truncatingIfNeeded: bracket.value))
    needsComma = false
  }

  public mutating func close(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(truncatingIfNeeded: bracket.value))
    needsComma = true
  }

  public mutating func key(_ name: StaticString) {
    separate()
    bytes.append(0x22)
    name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    bytes.append(0x22)
    bytes.append(0x3A)
    needsComma = false
  }

  /// Writes a key with its quotation marks and colon; see ``encodedKey(_:)``.
  public mutating func key(encoded: [UInt8]) {
    separate()
    bytes.append(contentsOf: encoded)
    needsComma = false
  }

  /// Returns a key as written, for a key that many objects have.
  public static func encodedKey(_ name: String) -> [UInt8] {
    var json = JSONText()
    json.key(name)
    return json.bytes
  }

  /// Writes a line feed after an object. Another object may follow.
  public mutating func endLine() {
    bytes.append(0x0A)
    needsComma = false
  }

  /// Writes a key that is only known at run time.
  public mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  public mutating func field(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    key(name)
    string(value)
  }

  public mutating func field(_ name: StaticString, _ value: Int64?) {
    guard let value else { return }
    key(name)
    raw(String(value))
  }

  public mutating func field(_ name: StaticString, _ value: Bool) {
    key(name)
    raw(value ? "true" : "false")
  }

  public mutating func date(_ name: StaticString, _ seconds: Int64?) {
    guard let seconds else { return }
    key(name)
    date(seconds)
  }

  /// Writes a date as a string; see ``ISODate/append(_:to:)``.
  public mutating func date(_ seconds: Int64) {
    separate()
    bytes.append(0x22)
    ISODate.append(seconds, to: &bytes)
    bytes.append(0x22)
    needsComma = true
  }

  public mutating func null(_ name: StaticString) {
    key(name)
    null()
  }

  public mutating func null() {
    raw("null")
  }

  public mutating func string(_ value: String) {
    var value = value
    value.withUTF8 { unsafe string($0.span) }
  }

  /// Writes a string with a number between two texts of printable ASCII.
  public mutating func string(_ start: String, _ number: Int, _ end: String) {
    separate()
    bytes.append(0x22)
    bytes.append(contentsOf: start.utf8)
    bytes.append(contentsOf: String(number).utf8)
    bytes.append(contentsOf: end.utf8)
    bytes.append(0x22)
    needsComma = true
  }

  /// Writes UTF-8 as a string; invalid bytes become U+FFFD.
  public mutating func string(_ text: Span<UInt8>) {
    separate()
    bytes.append(0x22)
    Self.append(escaping: text, to: &bytes)
    bytes.append(0x22)
    needsComma = true
  }

  /// Writes UTF-8 that is already JSON, escaping characters that are unsafe on a terminal.
  public mutating func raw(_ json: Span<UInt8>) {
    separate()
    Self.append(escaping: json, isJSON: true, to: &bytes)
    needsComma = true
  }

  /// Writes bytes as a string with hexadecimal digits.
  public mutating func hexadecimal(_ content: Span<UInt8>) {
    separate()
    bytes.append(0x22)
    for index in content.indices {
      for digit in [content[index] >> 4, content[index] & 15] {
        bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
      }
    }
    bytes.append(0x22)
    needsComma = true
  }

  /// Appends a JSON string's content, without quotation marks, to `bytes`; invalid bytes become U+FFFD.
  ///
  /// - Parameter isJSON: True if the text is already JSON: only characters that are unsafe on a terminal are
  ///   escaped.
  public static func append(escaping text: Span<UInt8>, isJSON: Bool = false, to bytes: inout [UInt8]) {
    var start = 0
    var index = 0
    while true {
      index = JSONEscape.nextEscape(in: text, from: index, isJSON: isJSON)
      guard index < text.count else { break }
      let character = JSONEscape.character(in: text, at: index)
      let end = index + character.length
      if let escape = character.escape {
        bytes.append(text.extracting(start..<index))
        JSONEscape.append(isJSON ? escape.withoutLetter : escape, to: &bytes)
        start = end
      }
      index = end
    }
    bytes.append(text.extracting(start...))
  }

  /// Writes a finite number. A whole number has no fraction.
  public mutating func number(_ value: Double) {
    raw(Int64(exactly: value).map { String($0) } ?? String(value))
  }

  /// Writes a value that is already JSON.
  public mutating func raw(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(0x2C) }
    needsComma = false
  }
}

extension [UInt8] {
  mutating func append(_ span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
