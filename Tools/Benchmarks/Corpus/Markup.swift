/// Texts escaped for the formats.
enum Markup {
  /// Returns the text with the characters of markup as entities (XML 1.0, section 2.4).
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Appends the characters between the quotes of a JSON string (RFC 8259, section 7).
  static func appendJSON(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      default: bytes.append(byte)
      }
    }
  }
}
