internal import XMLStream

/// Says in words what a document is that is no feed.
enum ForeignDocument {
  /// Nil when nothing tells what it is.
  ///
  /// - Parameters:
  ///   - body: The beginning of the document, or all of it.
  ///   - root: The name of its first element; nil where there is none, or where it is that of a feed.
  ///   - source: Where it came from; the feed that a page links to is named by its whole address.
  static func description(body: [UInt8], root: String?, source: DocumentSource) -> String? {
    if body.allSatisfy({ $0.isXMLSpace || FeedParser.isOfMark($0) }) { return "an empty document" }
    for (start, name) in signatures where body.starts(with: start) { return name }
    if body.first(where: { $0 > 0x20 && !FeedParser.isOfMark($0) }) == UInt8(ascii: "[") {
      return "a JSON document, but no JSON Feed"
    }
    if isPage(body: body, root: root, source: source) {
      let links = FeedLink.ranked(FeedLink.all(in: body, from: source), of: source.url)
      return links.first.map { "an HTML page; it links to a feed at \(withoutUser($0.url))" }
        ?? "an HTML page"
    }
    if body.prefix(headBytes).contains(0) { return "binary data" }
    return root.map { kind($0) }
  }

  /// A document by the name of its first element.
  static func kind(_ root: String) -> String { "a document of the kind <\(root.prefix(40))>" }

  /// What a document is of which no element was found.
  static func textDescription(_ body: [UInt8]) -> String {
    guard let name = nameOfUnfinishedTag(body) else { return "plain text" }
    return "the beginning of " + kind(name)
  }

  /// The name in the tag at which a document ends.
  private static func nameOfUnfinishedTag(_ body: [UInt8]) -> String? {
    guard let start = body.lastIndex(of: UInt8(ascii: "<")) else { return nil }
    let tag = body[(start + 1)...]
    guard let first = tag.first, first.isASCIILetter, !tag.contains(UInt8(ascii: ">")) else { return nil }
    return String(decoding: tag.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }, as: UTF8.self)
  }

  /// Whether a document is an HTML page, which may come without its root element.
  static func isPage(body: [UInt8], root: String?, source: DocumentSource) -> Bool {
    if root?.lowercased() == "html" { return true }
    if root != nil, source.contentType?.lowercased().contains("html") == true { return true }
    let text = String(decoding: body.prefix(headBytes), as: UTF8.self).lowercased()
    return text.contains("<!doctype html") || text.contains("<html")
  }

  /// How much of a document tells its kind, in bytes.
  private static let headBytes = 512

  /// The address without a user and a password, which it has of the page's own address.
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
  ]
}
