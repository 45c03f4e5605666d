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
    bytes.append(contentsOf: name.description.utf8)
    bytes.append(contentsOf: [0x22, 0x3A])
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
    separate()
    bytes.append(0x22)
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": bytes.append(contentsOf: #"\""#.utf8)
      case "\\": bytes.append(contentsOf: #"\\"#.utf8)
      case "\n": bytes.append(contentsOf: #"\n"#.utf8)
      case "\t": bytes.append(contentsOf: #"\t"#.utf8)
      case "\r": bytes.append(contentsOf: #"\r"#.utf8)
      default:
        if Self.mustEscape(scalar.value) {
          escape(scalar.value)
        } else {
          bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
      }
    }
    bytes.append(0x22)
    needsComma = true
  }

  private mutating func escape(_ scalar: UInt32) {
    bytes.append(contentsOf: #"\u"#.utf8)
    for shift in [12, 8, 4, 0] as [UInt32] {
      let digit = UInt8(truncatingIfNeeded: scalar >> shift & 0xF)
      bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
    }
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
