internal import TextOutput

/// Converts foreign HTML into HTML that is safe to embed in a page: structured text without scripts or loaded
/// resources.
///
/// The result is built from scratch from a list of allowed elements and attributes. All text is escaped, and every
/// element is closed. No allowed element switches the browser to other parsing rules (scripts, styles, SVG, MathML,
/// `textarea`, `noscript`), so a browser parses the result exactly as it was written. Pictures, videos and frames
/// become links.
public enum SafeHTML {
  /// Returns a fragment that may be placed in any element that can contain blocks.
  ///
  /// - Parameter html: UTF-8, which may be malformed.
  public static func fragment(of html: String) -> String {
    var writer = SafeHTMLWriter()
    HTMLTree.visit(html) { writer.take($0) }
    return writer.finish()
  }

  /// Returns whether an address may be used as a link: an http, https or mailto address without characters that
  /// browsers reinterpret.
  public static func isSafe(_ address: String) -> Bool {
    // Browsers remove control characters from an address, which may reveal another scheme.
    guard !address.unicodeScalars.contains(where: { $0.value < 0x21 || $0.value == 0x7F || $0 == "\\" })
    else {
      return false
    }
    let start = address.prefix(8).lowercased()
    return ["http://", "https://", "mailto:"].contains { start.hasPrefix($0) }
  }

  /// Returns whether a text has the form of a language tag (RFC 5646).
  public static func isLanguage(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 35
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
  }

  /// Escapes text for elements and quoted attributes, and characters that are unsafe on a terminal. Control characters
  /// other than white space are removed.
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
      case "\t", "\n": result.unicodeScalars.append(scalar)
      case "\r": result += "&#13;"
      default:
        // References to other control characters have other meanings in HTML.
        let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        if isControl || scalar.value & 0xFFFE == 0xFFFE { continue }
        if Unicode.Scalar.isUnsafe(scalar.value) {
          result += "&#\(scalar.value);"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }
}
