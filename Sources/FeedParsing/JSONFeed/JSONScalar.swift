import TextOutput
internal import Markup

/// Reads JSON strings and numbers as feed fields.
enum JSONScalar {
  /// The longest number that is read, in bytes.
  private static let longestNumber = 40

  /// Appends the characters of a string, or a number as written, because feeds use numbers as ids. Returns
  /// false for other values.
  static func append(_ text: Span<UInt8>, _ value: JSONMembers.Value, to bytes: inout [UInt8]) -> Bool {
    switch value {
    case .string(let range, true): JSONMembers.append(text, range, to: &bytes, character: character)
    case .string(let range, false), .number(let range): bytes.append(text.extracting(range))
    case .null, .bool, .nested: return false
    }
    return true
  }

  /// Returns the character that replaces an escaped one.
  ///
  /// A control character, which XML would drop, becomes a space. The codes 128 to 159 are meant as
  /// windows-1252.
  static func character(_ code: UInt32) -> UInt32 {
    switch code {
    case 0x09, 0x0A, 0x0D: code
    case 0..<0x20: 0x20
    case 0x80..<0xA0: WindowsCodePage.scalar(for: UInt8(truncatingIfNeeded: code))
    default: code
    }
  }

  /// Returns a number's value; nil if it is not a finite number.
  static func number(_ text: Span<UInt8>, _ value: JSONMembers.Value) -> Double? {
    guard case .number(let range) = value, range.count <= longestNumber,
      let number = Double(text.extracting(range).text), number.isFinite
    else { return nil }
    return number
  }
}
