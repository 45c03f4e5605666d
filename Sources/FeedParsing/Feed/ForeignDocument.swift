import TextOutput
internal import Markup

/// Names the kind of a document that is not a feed.
enum ForeignDocument {
  /// Returns a document's kind; nil if it is unknown.
  ///
  /// - Parameters:
  ///   - body: The document's beginning, or all of it.
  ///   - root: The first element's name; nil if it is missing, or if it is a feed's root.
  ///   - source: The document's origin. The first feed that a page links to is reported by its whole address.
  static func description(body: [UInt8], root: String?, source: DocumentSource) -> String? {
    if body.allSatisfy({ $0.isXMLSpace || FeedParser.isOfMark($0) }) { return "an empty document" }
    if let kind = binaryKind(of: body) { return kind }
    if isOtherJSON(body) { return "a JSON document, but no JSON Feed" }
    if isPage(body: body, root: root, source: source) {
      let links = FeedLink.ranked(FeedLink.all(in: body, from: source), of: source.url)
      return links.first.map { "an HTML page; it links to a feed at \(withoutUser($0.url))" }
        ?? "an HTML page"
    }
    if body.prefix(headBytes).contains(0) { return binary }
    return root.map { kind($0) }
  }

  /// Returns whether a document is JSON, but not an object. An array is recognised by its beginning, other
  /// values only as a whole.
  private static func isOtherJSON(_ body: [UInt8]) -> Bool {
    guard let start = body.firstIndex(where: { $0 > 0x20 && !FeedParser.isOfMark($0) }) else { return false }
    if body[start] == UInt8(ascii: "[") { return true }
    var cursor = JSONCursor(at: start)
    guard body[start] != UInt8(ascii: "{"), cursor.value(body.span) != nil else { return false }
    cursor.skipSpace(body.span)
    return cursor.index == body.count
  }

  /// Returns a binary file's kind; nil if the bytes may be text in some encoding.
  static func binaryKind(of body: [UInt8]) -> String? {
    for (start, name) in signatures where body.starts(with: start) { return name }
    if body.count > 8, body[4..<8].elementsEqual("ftyp".utf8) { return "a film or a sound (MP4)" }
    let head = body.prefix(headBytes)
    return head.count { isControl($0) } > head.count / 32 ? binary : nil
  }

  private static let binary = "binary data"

  /// Returns whether a byte is a control character that rarely occurs in text.
  ///
  /// Zeros belong to wide characters. Tabs, line ends, form feeds, and ISO-2022's escapes and shifts occur in
  /// texts.
  private static func isControl(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x01...0x08, 0x0B, 0x10...0x1A, 0x1C...0x1F, 0x7F: true
    default: false
    }
  }

  /// Returns the kind of document that has a first element with this name.
  static func kind(_ root: String) -> String { "a document of the kind <\(root.prefix(40))>" }

  /// Returns the kind of a document without an element.
  static func textDescription(_ body: [UInt8]) -> String {
    if let name = nameOfUnfinishedTag(body) { return "the beginning of " + kind(name) }
    let text = body[(body.firstIndex { !FeedParser.isOfMark($0) && !$0.isXMLSpace } ?? body.endIndex)...]
    if text.elementsEqual("<".utf8) { return "the beginning of a document that is cut off" }
    return Array(text).span.hasPrefix("<?xml") ? "an XML declaration without a document" : "plain text"
  }

  /// Returns the name in an incomplete tag at a document's end.
  private static func nameOfUnfinishedTag(_ body: [UInt8]) -> String? {
    guard let start = body.lastIndex(of: UInt8(ascii: "<")) else { return nil }
    let tag = body[(start + 1)...]
    guard let first = tag.first, first.isASCIILetter, !tag.contains(UInt8(ascii: ">")) else { return nil }
    return String(decoding: tag.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }, as: UTF8.self)
  }

  /// Returns whether a document is an HTML page, which may lack its root element.
  static func isPage(body: [UInt8], root: String?, source: DocumentSource) -> Bool {
    if root?.lowercased() == "html" { return true }
    if root != nil, source.contentType?.lowercased().contains("html") == true { return true }
    let text = String(decoding: body.prefix(headBytes), as: UTF8.self).lowercased()
    return text.contains("<!doctype html") || text.contains("<html")
  }

  /// The count of bytes that show a document's kind.
  static let headBytes = 512

  /// Removes the user and the password from an address; the page's own address may contain them.
  private static func withoutUser(_ url: String) -> String {
    guard let start = url.firstRange(of: "://")?.upperBound else { return url }
    let authority = url[start...].prefix { !"/?#".contains($0) }
    guard let at = authority.lastIndex(of: "@") else { return url }
    return String(url[..<start] + url[url.index(after: at)...])
  }

  private static let signatures: [([UInt8], String)] = [
    (Array("%PDF".utf8), "a PDF file"), ([0x89, 0x50, 0x4E, 0x47], "an image (PNG)"),
    (Array("GIF8".utf8), "an image (GIF)"), ([0xFF, 0xD8, 0xFF], "an image (JPEG)"),
    ([0x1F, 0x8B], "compressed data (gzip)"), ([0x50, 0x4B, 0x03, 0x04], "an archive (ZIP)"),
    (Array("RIFF".utf8), "an image or a sound"), (Array("ID3".utf8), "a sound (MP3)"),
    ([0xFF, 0xFB], "a sound (MP3)"), ([0xFF, 0xF3], "a sound (MP3)"), ([0xFF, 0xF2], "a sound (MP3)"),
    (Array("OggS".utf8), "a sound or a film (Ogg)"), (Array("fLaC".utf8), "a sound (FLAC)"),
    ([0x1A, 0x45, 0xDF, 0xA3], "a film (Matroska)"), ([0x7F, 0x45, 0x4C, 0x46], "a program (ELF)"),
    (Array("BZh".utf8), "compressed data (bzip2)"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "compressed data (xz)"),
    ([0x28, 0xB5, 0x2F, 0xFD], "compressed data (Zstandard)"), ([0x37, 0x7A, 0xBC, 0xAF], "an archive (7z)"),
    (Array("SQLite format 3".utf8), "a database (SQLite)"),
  ]
}
