internal import Markup
internal import TextOutput

/// Converts foreign HTML into HTML that is safe to embed in a page: structured text without scripts or loaded
/// resources.
///
/// The result is built from scratch from a list of allowed elements and attributes. All text is escaped, and
/// every element is closed. A browser parses the result exactly as it was written: no allowed element
/// switches it to other parsing rules (scripts, styles, SVG, MathML, `textarea`, `noscript`). Pictures,
/// videos and frames become links.
public enum SafeHTML {
  /// Returns a fragment that may be placed in any element that can contain blocks.
  ///
  /// - Parameters:
  ///   - html: HTML, which may be malformed.
  ///   - prefix: The beginning for each `id`, in ASCII letters, digits and hyphens. It keeps the links inside
  ///     this document separate from other documents on the same page. Nil to leave such links out.
  ///   - page: The document's address. Links to its fragments also count as links inside the document.
  public static func fragment(of html: String, anchorPrefix prefix: String? = nil, page: String? = nil)
    -> String
  {
    var html = html
    return html.withUTF8 {
      String(decoding: unsafe bytes(of: $0.span, anchorPrefix: prefix, page: page), as: UTF8.self)
    }
  }

  /// Returns ``fragment(of:anchorPrefix:page:)`` for valid UTF-8, in UTF-8.
  public static func bytes(of html: Span<UInt8>, anchorPrefix prefix: String? = nil, page: String? = nil)
    -> [UInt8]
  {
    let isPlainText = HTMLText.isPlainText(html)
    let tree = HTMLText.tree(html, isPlainText: isPlainText)
    let anchors = prefix.map { InnerLinks(in: tree, prefix: $0, page: page) }
    var writer = SafeHTMLWriter(size: html.count, anchors: anchors, isPlainText: isPlainText)
    tree.visit(&writer)
    if let anchors = writer.anchors?.withoutMissing() {
      writer = SafeHTMLWriter(size: html.count, anchors: anchors, isPlainText: isPlainText)
      tree.visit(&writer)
    }
    return writer.finish()
  }

  /// Returns whether an address may be used as a link: an http, https or mailto address without characters
  /// that browsers reinterpret.
  public static func isSafe(_ address: String) -> Bool {
    var address = address
    return address.withUTF8 { unsafe isSafe($0.span) }
  }

  static func isSafe(_ address: Span<UInt8>) -> Bool {
    // Browsers remove control characters from an address, which may reveal another scheme.
    for index in address.indices {
      let byte = address[index]
      if byte < 0x21 || byte == 0x7F || byte == UInt8(ascii: "\\") { return false }
    }
    return address.isWebAddress() || address.hasPrefixIgnoringCase("mailto:")
  }

  /// Returns the language tag (RFC 5646) in a text: `de-DE` for `de_DE`, and `fr-FR` for `fr-FR, fr`. Nil for
  /// other texts, such as `german`.
  public static func languageTag(of text: String) -> String? {
    var text = text
    return text.withUTF8 { unsafe languageTag(of: $0.span) }.map { String(decoding: $0, as: UTF8.self) }
  }

  static func languageTag(of text: Span<UInt8>) -> [UInt8]? {
    var tag: [UInt8] = []
    for index in text.indices {
      let byte = text[index]
      if byte == UInt8(ascii: " "), tag.isEmpty { continue }
      if " ,;.".utf8.contains(byte) { break }
      tag.append(byte == UInt8(ascii: "_") ? UInt8(ascii: "-") : byte)
    }
    let subtags = tag.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard tag.count <= 35, (2...3).contains(subtags[0].count) else { return nil }
    let isTag = subtags.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy(\.isASCIIAlphanumeric) }
    return isTag ? tag : nil
  }

  /// Escapes text for elements and quoted attributes, and characters that are unsafe on a terminal. Control
  /// characters other than white space are removed.
  public static func escaped(_ text: some StringProtocol) -> String {
    var text = String(text)
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count + 16)
    text.withUTF8 { unsafe append(escaped: $0.span, to: &result) }
    return String(decoding: result, as: UTF8.self)
  }

  /// Appends escaped text. The text is copied in runs, because nearly all characters remain.
  static func append(escaped text: Span<UInt8>, to result: inout [UInt8]) {
    var copied = 0
    var place = 0
    func replace(_ count: Int, by reference: StaticString) {
      result.append(text.extracting(copied..<place))
      result.append(reference)
      place += count
      copied = place
    }
    while place < text.count {
      let byte = text[place]
      if byte >= 0x20, byte < 0x7F, let next = firstSpecial(in: text, from: place), next > place {
        place = next
        continue
      }
      switch byte {
      case UInt8(ascii: "&"): replace(1, by: "&amp;")
      case UInt8(ascii: "<"): replace(1, by: "&lt;")
      case UInt8(ascii: ">"): replace(1, by: "&gt;")
      case UInt8(ascii: "\""): replace(1, by: "&quot;")
      case UInt8(ascii: "'"): replace(1, by: "&#39;")
      case UInt8(ascii: "`"): replace(1, by: "&#96;")
      case UInt8(ascii: "\r"): replace(1, by: "&#13;")
      case 0..<0x09, 0x0B..<0x20, 0x7F: replace(1, by: "")
      // The first bytes for characters that are not all safe.
      case 0xC2, 0xD8, 0xE2, 0xEF, 0xF0...:
        let (character, count) = codePoint(in: text, at: place)
        // References to control characters have other meanings in HTML.
        if (0x80...0x9F).contains(character) || character & 0xFFFE == 0xFFFE {
          replace(count, by: "")
        } else if Unicode.Scalar.isUnsafe(character) {
          replace(count, by: "")
          result.append(contentsOf: "&#\(character);".utf8)
        } else {
          place += count
        }
      default: place += 1
      }
    }
    result.append(text.extracting(copied..<text.count))
  }

  /// Returns the first index where a byte may need a reference; the byte count without one.
  private static func firstSpecial(in text: Span<UInt8>, from start: Int) -> Int? {
    let high: UInt64 = 0x8080_8080_8080_8080
    return text.firstIndex(from: start) { bytes in
      // `<` and `>` differ in one bit, which is set here. So do `"`, `&`, `'` and `#`, although `#` needs no
      // reference.
      (bytes | 0x0202_0202_0202_0202).marks(of: 0x3E) | (bytes | 0x0505_0505_0505_0505).marks(of: 0x27)
        | bytes.marks(of: UInt8(ascii: "`")) | bytes.marks(of: 0x7F)
        | (bytes &- 0x2020_2020_2020_2020) & ~bytes & high | bytes & high
    } ?? text.count
  }

  /// Returns the code point at `place` in valid UTF-8, and its length in bytes.
  private static func codePoint(in text: Span<UInt8>, at place: Int) -> (UInt32, count: Int) {
    let first = text[place]
    let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    var character = UInt32(first) & (0x7F >> UInt32(count))
    for index in place + 1..<min(place + count, text.count) {
      character = character << 6 | UInt32(text[index]) & 0x3F
    }
    return (character, count)
  }
}

extension [UInt8] {
  /// Appends a constant text.
  mutating func append(_ text: StaticString) {
    unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
