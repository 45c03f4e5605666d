import FeedParsing
import Testing

/// Entities that a document declares itself.
@Suite struct EntityTests {
  @Test(arguments: [
    #"<!ENTITY x "<item><title>E</title></item>">"#,
    #"<!ENTITY y "<title>E</title>"><!ENTITY x "<item>&y;</item>">"#,
    #"<!ENTITY x "<item><title><![CDATA[E]]></title></item>">"#,
  ])
  func `elements in an entity are read in place of the reference`(declaration: String) throws {
    let feed = try parse(
      "<!DOCTYPE rss [\(declaration)]><rss><channel><title>t</title><item><title>a</title></item>&x;"
        + "<item><title>b</title></item></channel></rss>")
    #expect(feed.items.map(\.title) == ["a", "E", "b"])
    #expect(feed.details.title == "t")
  }

  @Test func `fields and markup in an entity belong to the element around it`() throws {
    let feed = try parse(
      #"<!DOCTYPE rss [<!ENTITY f "<link>http://e.org/1</link>"><!ENTITY m "<b>bold</b>">]>"#
        + "<rss><channel><item><title>T</title>&f;<description>a &m; b</description></item></channel></rss>")
    #expect(feed.items.map(\.url) == ["http://e.org/1"])
    #expect(feed.items.map(\.contentHTML) == ["a <b>bold</b> b"])
  }

  @Test func `an entity of text is text, brackets in it included`() throws {
    let feed = try parse(
      #"<!DOCTYPE rss [<!ENTITY l "1 &#38;#60; 2">]><rss><channel><title>&l;</title></channel></rss>"#)
    #expect(feed.details.title == "1 < 2")
    #expect(!feed.details.isRecovered)
  }

  @Test(arguments: [#"SYSTEM "file:///etc/passwd""#, #"PUBLIC "p" "http://127.0.0.1:1/""#])
  func `files outside of the document are never read`(place: String) throws {
    let feed = try parse(
      "<!DOCTYPE rss [<!ENTITY x \(place)>]><rss><channel><title>t&x;</title></channel></rss>")
    #expect(feed.details.title == "t&x;")
  }

  @Test(arguments: [
    #"<!ENTITY x "<b>&x;&x;</b>">"#, #"<!ENTITY y "<b>&x;</b>"><!ENTITY x "<i>&y;&y;</i>">"#,
    #"<!ENTITY x "<b>">"#,
  ])
  func `elements in entities have the same limits as texts`(declaration: String) {
    var limits = ParserLimits()
    limits.expandedBytes = 1000
    let references = String(repeating: "&x;", count: 400)
    let document =
      "<!DOCTYPE rss [\(declaration)]><rss><channel><title>t</title>\(references)</channel></rss>"
    for size in [1, 100, document.utf8.count] {
      let bytes = Array(document.utf8)
      #expect(throws: FeedError.limit(name: "bytes of expanded entities", value: 1000)) {
        try ParsedFeed.parse(
          chunks: stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) },
          limits: limits)
      }
    }
  }

  private func parse(_ document: String) throws -> ParsedFeed {
    let feed = try ParsedFeed.parse(Array(document.utf8))
    let again = try ParsedFeed.parse(chunks: document.utf8.map { [$0] })
    #expect(feed.items == again.items)
    #expect(feed.details == again.details)
    return feed
  }
}
