import FeedParsing
import Testing

/// The members of `_newsimport` for documents with all the usual prefixes.
enum ModuleDocument {
  static let url = "http://e.org/d/feed.xml"

  /// The members of the `_newsimport` of an RSS item.
  static func members(ofItem source: String) throws -> String {
    try members(of: ItemModuleTests.document("<item>\(source)</item>"))
  }

  /// The members of the `_newsimport` of an Atom entry.
  static func members(ofEntry source: String) throws -> String {
    try members(of: atom("<entry>\(source)</entry>"))
  }

  /// The members of the feed's `_newsimport` after those about the document.
  static func members(ofFeed source: String) throws -> String {
    try members(ofFeedIn: ItemModuleTests.document(source))
  }

  /// The same as ``members(ofFeed:)`` for an Atom feed.
  static func members(ofAtomFeed source: String) throws -> String {
    try members(ofFeedIn: atom(source))
  }

  /// The only entry of an Atom feed.
  static func entry(_ source: String) throws -> FeedItem {
    let feed = try ParsedFeed.parse(atom("<entry>\(source)</entry>"), source: DocumentSource(url: url))
    return try #require(feed.items.first)
  }

  static func atom(_ content: String) -> [UInt8] {
    Array(#"<feed xmlns="http://www.w3.org/2005/Atom">\#(content)</feed>"#.utf8)
  }

  private static func members(of document: [UInt8]) throws -> String {
    let line = String(decoding: Fixture.line(document, url: url), as: UTF8.self)
    let items = line.split(separator: #""items":["#, maxSplits: 1)
    let rest = try #require(items.last).split(separator: #"}],"_newsimport":{"format""#).first ?? ""
    return rest.split(separator: #""_newsimport":{"#, maxSplits: 1).dropFirst().first.map {
      String($0.dropLast())
    } ?? ""
  }

  private static func members(ofFeedIn document: [UInt8]) throws -> String {
    let line = String(decoding: Fixture.line(document, url: url).dropLast(), as: UTF8.self)
    let parts = line.split(separator: #""error":null"#, maxSplits: 1)
    return String(try #require(parts.last).dropFirst().dropLast(2))
  }
}
