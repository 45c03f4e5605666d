import FeedParsing
import Testing

/// Feeds whose namespaces differ from those of the specifications.
struct NamespaceTests {
  private static let fields = "<title>One</title><link>http://e.org/1</link><description>Text</description>"

  @Test(arguments: [
    #"<rss xmlns="http://nobody.example/rss"><channel>@</channel></rss>"#,
    #"<rss><channel xmlns="http://nobody.example/rss">@</channel></rss>"#,
    #"<rss xmlns="http://www.w3.org/1999/xhtml"><channel>@</channel></rss>"#,
    #"<rss xmlns="http://search.yahoo.com/mrss/"><channel>@</channel></rss>"#,
    #"<rss xmlns="http://purl.org/dc/elements/1.1/"><channel>@</channel></rss>"#,
    #"<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://nobody.example/"><channel/>@</r:RDF>"#,
    #"<rdf:RDF xmlns:rdf="http://nobody.example/" xmlns="http://purl.org/rss/1.0/"><channel/>@</rdf:RDF>"#,
  ])
  func `a wrong default namespace loses nothing`(frame: String) throws {
    let feed = try parse(frame, "<item>\(Self.fields)</item>")
    #expect(feed.items.map(\.title) == ["One"])
    #expect(feed.items.map(\.url) == ["http://e.org/1"])
    #expect(feed.items.map(\.contentHTML) == ["Text"])
  }

  @Test(arguments: [
    #"<item xmlns="http://nobody.example/">@</item>"#, #"<item xmlns="">@</item>"#,
    #"<items><item>@</item></items>"#, "<channel><item>@</item></channel>",
  ])
  func `an item is found in any namespace or list`(item: String) throws {
    let feed = try parse("<rss><channel><title>Feed</title>@</channel></rss>", item, Self.fields)
    #expect(feed.details.title == "Feed")
    #expect(feed.items.map(\.title) == ["One"])
  }

  @Test(arguments: [
    "<rss><channel>@</rss>@</channel></rss>", "<rss><channel>@</channel></rss>@",
    "<rss><channel>@</channel>@</rss>",
    "<rss><channel>@ & </channel></rss><rss><channel>@</channel></rss>",
    "<rss><channel>@</channel></channel>@</rss>",
  ])
  func `items after an extra end tag are kept`(frame: String) throws {
    let text = frame.replacing("@", with: "<item>\(Self.fields)</item>")
    #expect(try ParsedFeed.parse(Array(text.utf8)).items.map(\.title) == ["One", "One"])
  }

  @Test func `entries that follow the end of the feed are kept and do not change it`() throws {
    let text = """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>Feed</title><entry><title>One</title></entry></feed>
      <entry xmlns="http://www.w3.org/2005/Atom"><title>Two</title></entry>
      """
    let feed = try ParsedFeed.parse(Array(text.utf8))
    #expect(feed.items.map(\.title) == ["One", "Two"])
    #expect(feed.details.title == "Feed")
    #expect(feed.details.language == "de")
  }

  @Test(arguments: [
    #"<feed xmlns="http://nobody.example/">@</feed>"#,
    #"<x:feed xmlns:x="http://nobody.example/">@</x:feed>"#,
    #"<x:feed>@</x:feed>"#,
  ])
  func `an Atom feed is known by its root even in an unknown namespace`(frame: String) throws {
    let prefix = frame.contains("x:") ? "x:" : ""
    let entry = "<\(prefix)entry><\(prefix)title>One</\(prefix)title></\(prefix)entry>"
    #expect(try parse(frame, entry).items.map(\.title) == ["One"])
  }

  @Test func `a usual prefix has its usual meaning if its namespace is unknown`() throws {
    let item = "<c:title>other</c:title><title>One</title><content:encoded>Text</content:encoded>"
    let feed = try parse(
      #"<rss xmlns:content="http://nobody.example/" xmlns:c="http://c.example/"><channel>@</channel></rss>"#,
      "<item>\(item)<dc:date>2006-01-02</dc:date></item>")
    let first = try #require(feed.items.first)
    #expect(first.title == "One")
    #expect(first.contentHTML == "Text")
    #expect(first.published == 1_136_160_000)
  }

  @Test func `a field in the namespace of XHTML is read`() throws {
    let item = #"<title>One</title><description xmlns="http://www.w3.org/1999/xhtml">Text</description>"#
    let feed = try parse("<rss><channel>@</channel></rss>", "<item>\(item)</item>")
    #expect(feed.items.map(\.contentHTML) == ["Text"])
  }

  @Test func `a title of another vocabulary is not the title`() throws {
    let item = """
      <x:title xmlns:x="http://x.example/">other</x:title><svg xmlns="http://www.w3.org/2000/svg"><title>other</title></svg>
      """
    let feed = try parse("<rss><channel>@</channel></rss>", "<item>\(item)<title>One</title></item>")
    #expect(feed.items.map(\.title) == ["One"])
  }

  private func parse(_ parts: String...) throws -> ParsedFeed {
    let text = parts.dropFirst().reduce(parts[0]) { $0.replacing("@", with: $1) }
    return try ParsedFeed.parse(Array(text.utf8))
  }
}
