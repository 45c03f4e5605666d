internal import Markup

/// Feed texts that another program has kept as it read them.
package enum ConvertedText {
  /// Returns the plain text for a title that may have markup, as in an RSS feed's title.
  package static func title(_ text: String) -> String {
    var bytes = Array(text.utf8)
    PlainText.make(&bytes, from: 0, .maybe)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns HTML with its relative addresses resolved; the same HTML if `base` is not an absolute address.
  package static func html(_ text: String, resolvedAgainst base: String) -> String {
    let bytes = Array(text.utf8)
    guard HTMLAddresses.mayBeRelative(bytes.span) else { return text }
    var resolved: [UInt8] = []
    let limit = 4 * ParserLimits.standard.fieldBytes
    guard HTMLAddresses.append(bytes.span, resolvingAgainst: URLBase(base.utf8), to: &resolved, upTo: limit)
    else {
      return text
    }
    return String(decoding: resolved, as: UTF8.self)
  }
}
