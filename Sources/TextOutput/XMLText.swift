/// Text for a document of XML 1.0.
package enum XMLText {
  /// Escapes markup and characters that are unsafe on a terminal, and replaces characters that no document may contain
  /// (XML 1.0, 2.2) by U+FFFD.
  ///
  /// - Parameter keepsLines: True to keep tabs and line feeds, as in elements. In attributes a reader would replace
  ///   them by spaces.
  package static func escaped(_ text: String, keepsLines: Bool = false) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t" where keepsLines, "\n" where keepsLines: result.unicodeScalars.append(scalar)
      case "\t", "\n", "\r": result += "&#\(scalar.value);"
      default:
        let isAllowed = scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
        if isAllowed, Unicode.Scalar.isUnsafe(scalar.value) {
          result += "&#\(scalar.value);"
        } else {
          result.unicodeScalars.append(isAllowed ? scalar : "\u{FFFD}")
        }
      }
    }
    return result
  }
}
