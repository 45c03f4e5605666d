/// HTML from elsewhere as a page of one's own may have it: text with its structure, and nothing that acts or loads.
///
/// What is written is made anew from a list of elements and attributes, all text escaped, every element closed. None of
/// them begins a place where a browser reads by other rules (scripts, styles, SVG, MathML, `textarea`, `noscript`), so
/// that it reads what was written and nothing else. Pictures, films and frames become links to them.
public enum SafeHTML {
  /// Makes a fragment that may stand in any element that holds blocks.
  ///
  /// - Parameter html: UTF-8, however broken.
  public static func fragment(of html: String) -> String {
    var writer = SafeHTMLWriter()
    HTMLTree.visit(html) { writer.take($0) }
    return writer.finish()
  }

  /// Whether an address may be a link: of the web or of mail, written as browsers read it.
  public static func isSafe(_ address: String) -> Bool {
    // Browsers take controls out of an address, and so find other schemes in it.
    guard !address.unicodeScalars.contains(where: { $0.value < 0x21 || $0.value == 0x7F || $0 == "\\" })
    else {
      return false
    }
    let start = address.prefix(8).lowercased()
    return ["http://", "https://", "mailto:"].contains { start.hasPrefix($0) }
  }

  /// Whether a text has the form of a language tag (RFC 5646).
  public static func isLanguage(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 35
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D
      }
  }

  /// Text for elements and for attributes in quotation marks; controls but white space are left out.
  public static func escaped(_ text: some StringProtocol) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "`": result += "&#96;"
      case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
      default:
        let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        if !isControl && scalar.value & 0xFFFE != 0xFFFE { result.unicodeScalars.append(scalar) }
      }
    }
    return result
  }
}
