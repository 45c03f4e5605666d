import Foundation
import HTMLText
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// RSS 2.0 (rssboard.org/rss-specification) with the modules content, dc, atom, media, itunes and dcterms.
///
/// Values that are errors to W3C's feed validator (validator.w3.org/feed) are corrected or left out.
package enum RSSText: FeedText {
  package static func head(_ channel: FeedChannel) -> String {
    // A link is required.
    let site = WebAddress(channel.address.map { $0.site + "/" } ?? "http://localhost/")
    let ownLink = channel.address.map {
      "<atom:link rel=\"self\" type=\"application/rss+xml\" href=\"\(XMLText.escaped(address($0.asciiText)))\"/>\n"
    }
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" \
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" \
      xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" \
      xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
      <channel>
      <title>\(markup(channel.title))</title>
      <link>\(escaped(address((channel.home ?? site).asciiText)))</link>
      <description>\(markup(channel.title))</description>
      <lastBuildDate>\(CivilDate(channel.created).mail)</lastBuildDate>
      \(ownLink ?? "")
      """
  }

  package static let separator = ""

  package static let tail = "</channel>\n</rss>\n"

  package static func write(_ entry: FeedEntry, to bytes: inout [UInt8]) {
    bytes += "<item>\n".utf8
    element("title", entry.title.map(plain), to: &bytes)
    element("link", entry.url.flatMap(absolute), to: &bytes)
    bytes += "<guid isPermaLink=\"false\">".utf8
    XMLText.append(escaping: entry.id, keepsLines: true, to: &bytes)
    bytes += "</guid>\n".utf8
    element("pubDate", entry.published.map { CivilDate($0).mail }, to: &bytes)
    element("dcterms:modified", entry.modified.map(iso8601), to: &bytes)
    write(entry.authors, to: &bytes)
    for tag in entry.tags { element("category", plain(tag), to: &bytes) }
    writeTexts(of: entry, to: &bytes)
    element("dc:language", entry.languageTag, to: &bytes)
    element("comments", entry.commentsURL.flatMap(absolute), to: &bytes)
    for file in entry.attachments { bytes += enclosure(file).utf8 }
    let played = entry.attachments.first(where: isPlayed)
    element("itunes:duration", played?.seconds.flatMap(wholeSeconds), to: &bytes)
    if let image = entry.image.flatMap(absolute) {
      bytes += "<media:thumbnail url=\"\(XMLText.escaped(image))\"/>\n".utf8
    }
    if let url = entry.feedURL.flatMap(absolute) {
      bytes += "<source url=\"\(XMLText.escaped(url))\">\(escaped(entry.feedTitle ?? url))</source>\n".utf8
    }
    bytes += "</item>\n".utf8
  }

  private static func element(_ name: String, _ text: String?, to bytes: inout [UInt8]) {
    guard var text else { return }
    text.withUTF8 { element(name, $0.span, to: &bytes) }
  }

  private static func element(
    _ name: String, _ entry: FeedEntry, _ key: AttributeKey<String?>, to bytes: inout [UInt8]
  ) {
    entry.withUTF8(of: key) { text in
      if let text { element(name, text, to: &bytes) }
    }
  }

  private static func element(_ name: String, _ text: Span<UInt8>, to bytes: inout [UInt8]) {
    bytes += "<\(name)>".utf8
    XMLText.append(escaping: text, keepsLines: true, to: &bytes)
    bytes += "</\(name)>\n".utf8
  }

  /// Writes the summary as the description and the content beside it. Content without a summary is the
  /// description: `content:encoded` needs one.
  private static func writeTexts(of entry: FeedEntry, to bytes: inout [UInt8]) {
    let hasSummary = entry.withUTF8(of: Article.schema.summary) { $0 != nil }
    let hasContent = entry.withUTF8(of: Article.schema.contentHTML) { $0 != nil }
    element(
      "description", entry, hasSummary ? Article.schema.summary : Article.schema.contentHTML, to: &bytes)
    if hasSummary { element("content:encoded", entry, Article.schema.contentHTML, to: &bytes) }
    // An item needs a title or a description.
    if !hasSummary, !hasContent, entry.title == nil { bytes += "<description></description>\n".utf8 }
  }

  /// Writes one author in Atom's form (RFC 4287, 3.2), because RSS has no element for a person's address. An
  /// item has only one such element, so several authors are names.
  private static func write(_ authors: [FeedEntry.Author], to bytes: inout [UInt8]) {
    guard authors.count == 1, let author = authors.first, let name = author.name else {
      for author in authors { element("dc:creator", author.name ?? author.email ?? author.url, to: &bytes) }
      return
    }
    bytes += "<atom:author>\n".utf8
    element("atom:name", name, to: &bytes)
    element("atom:uri", author.url.map(address), to: &bytes)
    element("atom:email", author.email.flatMap { isEmail($0) ? $0 : nil }, to: &bytes)
    bytes += "</atom:author>\n".utf8
  }

  /// Returns whether a file is or may be a sound or a film. `itunes:duration` states the first one's length.
  private static func isPlayed(_ file: FeedEntry.File) -> Bool {
    guard let type = file.type?.lowercased() else { return true }
    return type.hasPrefix("audio/") || type.hasPrefix("video/")
  }

  /// Returns a duration in whole seconds; nil if it is not valid.
  private static func wholeSeconds(_ seconds: Double) -> String? {
    Int64(exactly: seconds.rounded()).flatMap { $0 >= 0 ? String($0) : nil }
  }

  /// All three attributes are required; an unknown length is written as 0. Only web files are enclosures.
  private static func enclosure(_ file: FeedEntry.File) -> String {
    guard let address = absolute(file.url) else { return "" }
    let (name, length) =
      WebAddress(address).problem == nil ? ("enclosure", "length") : ("media:content", "fileSize")
    let type = file.type.flatMap { isMediaType($0) ? $0 : nil } ?? "application/octet-stream"
    let size = max(0, file.bytes ?? 0)
    return "<\(name) url=\"\(XMLText.escaped(address))\" type=\"\(XMLText.escaped(type))\""
      + (size == 0 && name != "enclosure" ? "/>\n" : " \(length)=\"\(size)\"/>\n")
  }

  // MARK: Values that the format allows

  /// Returns an address or reference in ASCII; characters that RFC 2396 does not allow are percent-encoded.
  private static func address(_ text: String) -> String {
    String(decoding: text.utf8.percentEncoded { $0 >= 0x80 || isAddressByte($0) }, as: UTF8.self)
  }

  /// Returns ``address(_:)`` for an address; nil for a text without a scheme.
  private static func absolute(_ text: String) -> String? {
    let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    let isScheme = scheme.allSatisfy { isAlphanumeric($0) || "+-.".utf8.contains($0) }
    return isScheme && scheme.count + 1 < text.utf8.count ? address(text) : nil
  }

  private static func isEmail(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return false }
    let labels = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts[0].allSatisfy { isAlphanumeric($0) || "_-+.'".utf8.contains($0) }
      && labels.count > 1 && labels.allSatisfy { isToken($0, with: "-") }
  }

  /// Returns whether a text is a type and a subtype, with or without parameters.
  private static func isMediaType(_ text: String) -> Bool {
    let parts = text.utf8.prefix { $0 != UInt8(ascii: ";") }
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { isToken($0, with: "!#$&^_.+-") }
  }

  private static func isToken(_ text: Substring.UTF8View, with signs: String) -> Bool {
    !text.isEmpty && text.allSatisfy { isAlphanumeric($0) || signs.utf8.contains($0) }
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || ";/?:@&=+$.-_!~*'()%,#".utf8.contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
  }

  /// Returns plain text as HTML, because most readers take text in RSS titles that resembles a tag for a tag.
  private static func plain(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
      return text
    }
    return text.replacingASCII { byte in
      switch byte {
      case UInt8(ascii: "&"): "&amp;"
      case UInt8(ascii: "<"): "&lt;"
      default: nil
      }
    }
  }

  private static func markup(_ text: String) -> String { escaped(plain(text)) }

  /// Returns an element's escaped text.
  private static func escaped(_ text: String) -> String { XMLText.escaped(text, keepsLines: true) }
}
