import FeedParsing
import Testing

/// The text after an element or a document that ended too early, or never.
@Suite struct EndedPartTests {
  @Test(arguments: [
    "<item><title>a</title><item><title>b</title></item>\(fields)</item>",
    "<item><title>a</title><item><title>b</title></item>\(fields)</item><item><title>c</title></item>",
    "<item><title>a</title><item><title>b</title><item><title>c</title></item>\(fields)</item>\(fields)</item>",
    "<item><title>a</title><item><title>b</title></item>\(fields)<item><title>c</title></item>\(fields)</item>",
    "<item><item><title>a</title></item>\(fields)</item><item><title>b</title></item>",
  ])
  func `fields after a nested item are not those of the feed`(items: String) throws {
    let feed = try parse("<rss><channel>\(items)</channel></rss>")
    #expect(feed.items.map(\.title) == (items.contains("<title>c") ? ["a", "b", "c"] : ["a", "b"]))
    #expect(feed.items.allSatisfy { $0.url == nil })
    #expect(feed.details.homePageURL == nil)
    #expect(feed.details.description == nil)
    #expect(feed.details.title == nil)
  }

  private static let fields =
    "<link>http://o.org/</link><description>o</description><foo><title>o</title></foo><title>o</title>"

  @Test func `fields of the feed after unclosed items are those of the feed`() throws {
    let feed = try parse(
      "<rss><channel><item><title>a</title><item><title>b</title></item><link>http://f.org/</link></channel></rss>"
    )
    #expect(feed.items.map(\.title) == ["a", "b"])
    #expect(feed.details.homePageURL == "http://f.org/")
  }

  @Test(arguments: [
    "<source><title>S</title><id>s</id><title>T</title><id>1</id>\(rest)</entry>",
    "<title>T</title><id>1</id><source><title>S</title><id>s</id>\(rest)</entry>",
    "<id>1</id><source><subtitle>x</subtitle><title>S</title><updated>2001-01-01T00:00:00Z</updated><title>T</title>"
      + "\(rest)</entry>",
    "<source><title>T</title><id>1</id>\(rest)</entry>",
    "<source><title>S</title><id>s</id></source><title>T</title><id>1</id>\(rest)</entry>",
  ])
  func `an unclosed source does not swallow its entry`(entry: String) throws {
    let feed = try parse(
      "<feed xmlns='http://www.w3.org/2005/Atom'><title>F & G</title><entry>\(entry)<entry><id>2</id></entry></feed>"
    )
    #expect(feed.items.map(\.id) == ["1", "2"])
    let first = try #require(feed.items.first)
    #expect(first.title == "T")
    #expect(first.url == "http://e.org/1")
    #expect(first.contentHTML == "C")
    #expect(first.modified == 1_577_836_800)
  }

  private static let rest =
    "<link href='http://e.org/1'/><updated>2020-01-01T00:00:00Z</updated><content type='html'>C</content>"

  private func parse(_ document: String) throws -> ParsedFeed {
    let feed = try ParsedFeed.parse(Array(document.utf8))
    let again = try ParsedFeed.parse(chunks: document.utf8.map { [$0] })
    #expect(feed.items == again.items)
    #expect(feed.details == again.details)
    #expect(feed.details.isRecovered)
    return feed
  }
}
