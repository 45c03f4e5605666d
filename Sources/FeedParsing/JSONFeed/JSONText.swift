internal import Markup

/// Writes JSON on one line that is safe on a terminal.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// Whether a character is written as an escape: controls, line and paragraph separators, and what turns the
  /// direction of text.
  static func mustEscape(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069,
      0xFEFF,
      0xFFF9...0xFFFB:
      true
    default: false
    }
  }

  /// Moves out what is written; what follows goes on from there.
  mutating func takeBytes() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    return taken
  }

  /// Appends what another text has written as elements of the same list.
  mutating func append(elements: [UInt8]) {
    guard !elements.isEmpty else { return }
    separate()
    bytes.append(contentsOf: elements)
    needsComma = true
  }

  mutating func open(_ bracket: Unicode.Scalar) {
    separate()
    bytes.append(UInt8(truncatingIfNeeded: bracket.value))
    needsComma = false
  }

  mutating func close(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(truncatingIfNeeded: bracket.value))
    needsComma = true
  }

  mutating func key(_ name: StaticString) {
    separate()
    bytes.append(0x22)
    name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    bytes.append(0x22)
    bytes.append(0x3A)
    needsComma = false
  }

  mutating func field(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    key(name)
    string(value)
  }

  mutating func field(_ name: StaticString, _ value: Int64?) {
    guard let value else { return }
    key(name)
    raw(String(value))
  }

  mutating func field(_ name: StaticString, _ value: Bool) {
    key(name)
    raw(value ? "true" : "false")
  }

  mutating func date(_ name: StaticString, _ seconds: Int64?) {
    guard let seconds else { return }
    key(name)
    bytes.append(0x22)
    DateParser.append(seconds, to: &bytes)
    bytes.append(0x22)
    needsComma = true
  }

  mutating func null(_ name: StaticString) {
    key(name)
    raw("null")
  }

  mutating func string(_ value: String) {
    var value = value
    value.withUTF8 { unsafe string($0.span) }
  }

  /// Writes UTF-8 as a string; what is none becomes U+FFFD.
  mutating func string(_ text: Span<UInt8>) {
    separate()
    bytes.append(0x22)
    var start = 0
    var index = 0
    while true {
      index = JSONEscape.next(in: text, from: index)
      guard index < text.count else { break }
      let character = JSONEscape.character(in: text, at: index)
      let end = index + character.length
      if let escape = character.escape {
        bytes.append(text.extracting(start..<index))
        JSONEscape.append(escape, to: &bytes)
        start = end
      }
      index = end
    }
    bytes.append(text.extracting(start...))
    bytes.append(0x22)
    needsComma = true
  }

  /// A finite number; a whole one is written without a fraction.
  mutating func number(_ value: Double) {
    raw(Int64(exactly: value).map { String($0) } ?? String(value))
  }

  private mutating func raw(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(0x2C) }
    needsComma = false
  }
}
