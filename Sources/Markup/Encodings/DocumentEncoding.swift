/// The document kinds, which declare their encodings differently.
package enum DocumentLanguage {
  case xml, html, json
}

/// A document's encoding, by its byte order mark, its Content-Type, its XML declaration, or UTF-8.
package struct DocumentEncoding: Equatable {
  /// The name for decoding and reporting, in lower case.
  var name: String
  /// The length of the byte order mark, in bytes.
  var markLength = 0
  /// Another possible encoding: UTF-8 if a label declares another one, and the declared one if ``name`` is
  /// UTF-8. Nil if the encoding is certain.
  var alternative: String?
  /// True if a second label declares ``alternative``, so that little evidence suffices.
  var alternativeIsLabelled = false
  /// True if a label names an unknown encoding, or one in which the label could not be read. Also true if it
  /// contradicts the byte order mark or the zeros in wide characters.
  var hasFalseLabel = false

  /// The number of bytes that always suffice to decide.
  static let headLength = 1024

  /// Returns whether `head` suffices to decide: more bytes would not change the result.
  static func canDecide(_ head: [UInt8], _ language: DocumentLanguage) -> Bool {
    guard head.count >= 4 else { return false }
    if head.count >= headLength || language == .json { return true }
    if language == .html { return false }
    if head.starts(with: ebcdic) { return head.contains(0x6E) }
    // If there is a declaration, it begins with the first bracket.
    guard let start = head.firstIndex(of: UInt8(ascii: "<")), start + 1 < head.count else { return false }
    let mayDeclare = head[start + 1] == UInt8(ascii: "?") || head[start + 1] == 0
    return !mayDeclare || head[start...].contains(UInt8(ascii: ">"))
  }

  /// `<?xm` in EBCDIC.
  private static let ebcdic: [UInt8] = [0x4C, 0x6F, 0xA7, 0x94]

  /// Decides by the first bytes, the Content-Type's charset and the document's declaration.
  init(head: [UInt8], _ language: DocumentLanguage, contentType: String?) {
    let declaration: String? =
      switch language {
      case .xml: Self.declaration(in: head)
      // A page that is XML may have either (HTML Standard, section 13.2.3.2).
      case .html: Self.meta(in: head) ?? Self.declaration(in: head)
      case .json: nil
      }
    let labels = [contentType.flatMap(Self.charset(ofContentType:)), declaration].compactMap(\.self)
    let names = labels.compactMap(EncodingName.supported)
    if let mark = Self.mark(of: head) {
      (name, markLength) = mark
      hasFalseLabel = names.contains { !Self.agrees($0, mark.0) }
    } else if let wide = Self.wideForm(of: head, declared: declaration.flatMap(EncodingName.supported)) {
      name = wide
      hasFalseLabel = names.contains { !Self.agrees($0, wide) }
    } else {
      let credible = names.filter(EncodingName.readsASCII)
      hasFalseLabel = credible.count < labels.count
      name = language == .json ? "utf-8" : credible.first ?? "utf-8"
      doubt(credible.last)
    }
    // A JSON charset matters only if the text is not UTF-8 (RFC 8259, section 11).
    if language == .json { hasFalseLabel = false }
  }

  /// Sets the alternative, if the bytes can show which encoding is right.
  private mutating func doubt(_ last: String?) {
    let other = name == "utf-8" ? last : name
    guard let other, other != "utf-8", EncodingName.isSupersetOfASCII(other) else { return }
    alternative = name == "utf-8" ? other : "utf-8"
    alternativeIsLabelled = last == alternative
  }

  /// Returns a Content-Type's charset if it is unknown, as written there; nil if it is known or missing.
  package static func unknownCharset(inContentType text: String) -> String? {
    charset(ofContentType: text).flatMap { EncodingName.supported($0) == nil ? $0 : nil }
  }

  /// Returns whether a label agrees with the bytes: wide characters in either order, or exactly that
  /// encoding.
  private static func agrees(_ label: String, _ name: String) -> Bool {
    name == label || (name.hasPrefix("utf-") && name != "utf-8" && !EncodingName.readsASCII(label))
  }

  private static func mark(of head: [UInt8]) -> (String, Int)? {
    let span = head.span
    if span.hasPrefix("\u{FEFF}") { return ("utf-8", 3) }
    guard head.count >= 4 else { return nil }
    switch (head[0], head[1], head[2], head[3]) {
    case (0xFF, 0xFE, 0, 0): return ("utf-32le", 4)
    case (0, 0, 0xFE, 0xFF): return ("utf-32be", 4)
    case (0xFF, 0xFE, _, _): return ("utf-16le", 2)
    case (0xFE, 0xFF, _, _): return ("utf-16be", 2)
    default: return nil
    }
  }

  /// Returns an encoding that is not a superset of ASCII, recognized by the zeros around the first
  /// characters, or as EBCDIC.
  private static func wideForm(of head: [UInt8], declared: String?) -> String? {
    guard head.count >= 4 else { return nil }
    switch (head[0], head[1], head[2], head[3]) {
    case (0, 0, 0, 1...): return "utf-32be"
    case (1..., 0, 0, 0): return "utf-32le"
    case (0, 1..., 0, 1...): return "utf-16be"
    case (1..., 0, 1..., 0): return "utf-16le"
    case (0x4C, 0x6F, 0xA7, 0x94): return declared ?? "ibm037"
    default: return nil
    }
  }

  /// Returns the value of `charset` in a Content-Type, wherever it is.
  static func charset(ofContentType text: String) -> String? {
    let bytes = Array(text.utf8)
    guard let charset = charset(in: bytes.span) else { return nil }
    // Programs write these for a missing charset.
    return ["", "none", "null", "undefined"].contains(charset.lowercased()) ? nil : charset
  }

  private static func charset(in text: Span<UInt8>) -> String? {
    for index in 0..<text.count where text.hasPrefixIgnoringCase("charset", at: index) {
      return value(in: text, from: index + 7)
    }
    return nil
  }

  /// Returns the encoding that the XML declaration at the beginning of `head` names.
  static func declaration(in head: [UInt8]) -> String? {
    let head = head.prefix(headLength)
    // The text after the first tag is not a declaration, and may be long.
    let start = head.firstIndex(of: UInt8(ascii: "<")) ?? head.endIndex
    let end = head[start...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? head.endIndex
    var ascii = head[start..<end].filter { $0 != 0 }
    if head.starts(with: ebcdic), let converter = IconvConverter(from: "IBM037") {
      ascii = []
      _ = unsafe head.withUnsafeBufferPointer { unsafe converter.convert($0, into: &ascii) }
    }
    let text = ascii.span
    var index = ascii.firstIndex(of: UInt8(ascii: "<")) ?? ascii.count
    guard text.hasPrefixIgnoringCase("<?xml", at: index) else { return nil }
    while index < text.count, text[index] != UInt8(ascii: ">") {
      if text.hasPrefixIgnoringCase("encoding", at: index) { return value(in: text, from: index + 8) }
      index += 1
    }
    return nil
  }

  /// Returns the charset in the first `meta` that has one, either as `charset=...` or within a Content-Type.
  private static func meta(in head: [UInt8]) -> String? {
    let head = Array(head.prefix(headLength))
    let text = head.span
    var index = 0
    while let open = text.firstIndex(of: UInt8(ascii: "<"), from: index) {
      index = open + 1
      guard text.hasPrefixIgnoringCase("meta", at: index) else { continue }
      let end = text.firstIndex(of: UInt8(ascii: ">"), from: index) ?? text.count
      if let charset = charset(in: text.extracting(index..<end)) { return charset }
      index = end
    }
    return nil
  }

  /// Returns the value after an equals sign, with or without quotation marks.
  private static func value(in text: Span<UInt8>, from start: Int) -> String? {
    var index = start
    while index < text.count,
      text[index].isXMLSpace || text[index] == UInt8(ascii: "=") || text[index] == 0x3A
    {
      index += 1
    }
    guard index < text.count else { return nil }
    if text[index] == 0x22 || text[index] == 0x27 {
      guard let end = text.firstIndex(of: text[index], from: index + 1) else { return nil }
      return text.extracting((index + 1)..<end).text
    }
    var end = index
    while end < text.count, text[end].isASCIIAlphanumeric || "-_.:".utf8.contains(text[end]) { end += 1 }
    return end > index ? text.extracting(index..<end).text : nil
  }
}
