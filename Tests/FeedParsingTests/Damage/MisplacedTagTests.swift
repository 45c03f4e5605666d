import FeedParsing
import Testing

/// Tags in the wrong place, and elements around fields and items.
struct MisplacedTagTests {
  @Test func `fields in markup are read if an item has no others`() throws {
    let feed = try parse(
      """
      <item><p><title>b</title><link>https://x/2</link></p></item>
      <item><center><span><title>no</title></span></center><title>yes</title></item>
      """)
    #expect(feed.items.map(\.title) == ["b", "yes"])
    #expect(feed.items.first?.url == "https://x/2")
  }

  @Test func `fields in a title end it`() throws {
    let feed = try parse("<item><title>T<link>https://x/1</link></title></item>")
    #expect(feed.items.map(\.title) == ["T"])
    #expect(feed.items.map(\.url) == ["https://x/1"])
  }

  @Test func `items in an unknown element are read`() throws {
    let feed = try parse("<div><item><title>a</title></item><part><item><title>b</title></item></part></div>")
    #expect(feed.items.map(\.title) == ["a", "b"])
    #expect(!feed.details.isRecovered)
  }

  @Test func `an end tag of the feed inside an item is ignored`() throws {
    let feed = try parse(
      "<item><title>T</title></channel><link>https://x/1</link><guid>g</guid></item><item><title>U</title></item>"
    )
    #expect(feed.items.map(\.title) == ["T", "U"])
    #expect(feed.items.first?.url == "https://x/1")
    #expect(feed.items.first?.id == "g")
    #expect(feed.details.homePageURL == nil)
    #expect(try parse("<item><title>T</title>").items.map(\.title) == ["T"])
  }

  @Test func `a value without its quotation mark ends before the next name`() throws {
    let feed = try parse(
      #"<item><enclosure url="https://f.example/a.mp3 length="1" type="audio/mpeg"/></item>"#)
    let file = try #require(feed.items.first?.attachments.first)
    #expect(file.url == "https://f.example/a.mp3")
    #expect(file.size == 1)
    #expect(file.mimeType == "audio/mpeg")
  }

  @Test func `an unclosed document type ends where the root begins`() throws {
    let document =
      #"<!DOCTYPE rss [<!-- <rss> --><!ENTITY x "y"><rss><channel><item><title>T&x;</title></item></channel></rss>"#
    #expect(try ParsedFeed.parse(Array(document.utf8)).items.map(\.title) == ["Ty"])
    #expect(try ParsedFeed.parse(chunks: document.utf8.map { [$0] }).items.map(\.title) == ["Ty"])
  }

  private func parse(_ items: String) throws -> ParsedFeed {
    let document = "<rss><channel><title>F</title>\(items)</channel></rss>"
    let feed = try ParsedFeed.parse(Array(document.utf8))
    #expect(try ParsedFeed.parse(chunks: document.utf8.map { [$0] }).items == feed.items)
    return feed
  }
}
