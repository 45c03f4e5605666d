/// Text as it stands in a document of XML 1.0.
package enum XMLText {
  /// Escapes markup; what no document may have (XML 1.0, 2.2) is U+FFFD.
  ///
  /// - Parameter keepsLines: Whether tabs and line feeds stay as they are, as in elements; in attributes a reader would take
  ///   them for spaces.
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
        result.unicodeScalars.append(isAllowed ? scalar : "\u{FFFD}")
      }
    }
    return result
  }
}
