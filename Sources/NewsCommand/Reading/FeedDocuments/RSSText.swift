import FeedParsing
import Foundation
import ManagedContext
import NewsModel
import TextOutput

/// RSS 2.0 (rssboard.org/rss-specification) with the modules content, dc, atom, media, itunes and dcterms.
enum RSSText: FeedText {
  static func head(title: String) -> String {
    // A link is required, but a region has no page.
    let place = title.addingPercentEncoding(withAllowedCharacters: .urlHostAllowed) ?? "region"
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" \
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" \
      xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" \
      xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
      <channel>
      <title>\(markup(title))</title>
      <link>urn:newsimport:region:\(escaped(place))</link>
      <description>\(markup(title))</description>

      """
  }

  static let separator = ""

  static let tail = "</channel>\n</rss>\n"

  static func write(_ entry: FeedEntry, to bytes: inout [UInt8]) {
    bytes += "<item>\n".utf8
    element("title", entry.title.map(plain), to: &bytes)
    element("link", entry.url, to: &bytes)
    bytes += "<guid isPermaLink=\"false\">".utf8
    XMLText.append(escaping: entry.id, keepsLines: true, to: &bytes)
    bytes += "</guid>\n".utf8
    element("pubDate", entry.published.map(date), to: &bytes)
    element("dcterms:modified", entry.modified.map(iso8601), to: &bytes)
    for author in entry.authors { bytes += Self.author(author).utf8 }
    for tag in entry.tags { element("category", plain(tag), to: &bytes) }
    element("description", entry, Article.Key.summary, to: &bytes)
    element("content:encoded", entry, Article.Key.contentHTML, to: &bytes)
    element("dc:language", entry.language, to: &bytes)
    element("comments", entry.commentsURL, to: &bytes)
    for file in entry.attachments { bytes += enclosure(file).utf8 }
    let played = entry.attachments.first(where: isPlayed)
    element("itunes:duration", played?.seconds.flatMap(wholeSeconds), to: &bytes)
    if let image = entry.image { bytes += "<media:thumbnail url=\"\(XMLText.escaped(image))\"/>\n".utf8 }
    if let url = entry.feedURL {
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

  /// Atom's form of an author (RFC 4287, 3.2): RSS has no element for a person's address.
  private static func author(_ author: FeedEntry.Author) -> String {
    var text = "<atom:author>"
    if let name = author.name { text += "<atom:name>\(escaped(name))</atom:name>" }
    if let url = author.url { text += "<atom:uri>\(escaped(url))</atom:uri>" }
    if let email = author.email { text += "<atom:email>\(escaped(email))</atom:email>" }
    return text + "</atom:author>\n"
  }

  /// Returns whether a file is or may be a sound or a film. `itunes:duration` states the first one's length.
  private static func isPlayed(_ file: FeedEntry.File) -> Bool {
    guard let type = file.type?.lowercased() else { return true }
    return type.hasPrefix("audio/") || type.hasPrefix("video/")
  }

  /// Returns a duration in whole seconds; nil for one that is none.
  private static func wholeSeconds(_ seconds: Double) -> String? {
    Int64(exactly: seconds.rounded()).flatMap { $0 >= 0 ? String($0) : nil }
  }

  /// All three attributes are required; an unknown length is written as 0.
  private static func enclosure(_ file: FeedEntry.File) -> String {
    let type = XMLText.escaped(file.type ?? "application/octet-stream")
    return
      "<enclosure url=\"\(XMLText.escaped(file.url))\" type=\"\(type)\" length=\"\(file.bytes ?? 0)\"/>\n"
  }

  /// RFC 822 with a year of four digits, in UTC.
  static func date(_ date: Date) -> String {
    let date = CivilDate(date)
    let month = months[Int(date.month) - 1]
    return "\(days[date.weekday]), \(digits(date.day)) \(month) \(digits(date.year, 4)) "
      + "\(digits(date.hour)):\(digits(date.minute)):\(digits(date.second)) GMT"
  }

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns plain text as HTML, which titles in RSS may be: most readers take text that resembles a tag for
  /// a tag.
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

  /// Returns the escaped text of an element.
  private static func escaped(_ text: String) -> String { XMLText.escaped(text, keepsLines: true) }
}
