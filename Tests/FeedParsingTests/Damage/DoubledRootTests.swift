import FeedParsing
import Testing

/// Documents with more than one root.
@Suite struct DoubledRootTests {
  private static let rss =
    "<rss version='2.0'><channel><title>A</title><link>http://a.org/</link><item><title>a</title></item></channel></rss>"

  @Test(arguments: [
    "<rss><channel><title>B</title><link>http://b.org/</link><description>D</description>"
      + "<item><title>b</title></item></channel></rss>",
    "<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='de'><title>B</title><link href='http://b.org/'/>"
      + "<subtitle>D</subtitle><author><name>N</name></author><entry><title>b</title></entry></feed>",
    "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>"
      + "<channel><title>B</title><link>http://b.org/</link></channel><item><title>b</title></item></rdf:RDF>",
  ])
  func `a second feed adds its items, and the first one has the details`(second: String) throws {
    let feed = try parse(Self.rss + second)
    #expect(feed.items.map(\.title) == ["a", "b"])
    #expect(feed.items.allSatisfy { $0.authors.isEmpty })
    #expect(feed.details.title == "A")
    #expect(feed.details.homePageURL == "http://a.org/")
    #expect(feed.details.description == nil && feed.details.language == nil)
    #expect(feed.details.authors.isEmpty)
    #expect(feed.details.format == .rss20)
    #expect(feed.details.isRecovered)
  }

  @Test func `entries of a second feed are read by the rules of their format`() throws {
    let entry =
      "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id><title type='html'>&lt;x&gt;y</title></entry></feed>"
    #expect(try parse(Self.rss + entry).items.last?.title == "y")
    #expect(try parse(entry + Self.rss).details.format == .atom10)
  }

  @Test func `the first feed that is not empty is the feed`() throws {
    let feed = try parse("<rss></rss>" + Self.rss)
    #expect(feed.details.title == "A")
    #expect(feed.items.map(\.title) == ["a"])
  }

  @Test func `a root inside a root counts as one`() throws {
    let feed = try parse("<rss>\(Self.rss)</rss>")
    #expect(feed.details.title == "A")
    #expect(feed.items.map(\.title) == ["a"])
  }

  private func parse(_ document: String) throws -> ParsedFeed {
    let feed = try ParsedFeed.parse(Array(document.utf8))
    let again = try ParsedFeed.parse(chunks: document.utf8.map { [$0] })
    #expect(feed.items == again.items)
    #expect(feed.details == again.details)
    return feed
  }
}
