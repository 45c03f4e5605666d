import FeedParsing
import Testing

/// Tags without end tags nest ever deeper; no item is lost.
struct DeepDamageTests {
  private static let next = "<item><title>N</title></item>"

  @Test(arguments: [
    "text<br>", "<img src='x'>", "<hr>", "<p>x", "<li>x", "<p>x<br>", "<dt>x<dd>y", "<tr><td>x", "<div>x",
    "<b><i>x",
    "<option>x", "<unknown>x",
  ])
  func `unclosed HTML tags lose no item`(tag: String) throws {
    let text = String(repeating: tag, count: 300)
    let feed = try parse(
      "<rss><channel><title>t</title>\(Self.next)<item><title>T</title><description>\(text)</description></item>"
        + "\(Self.next)</channel></rss>")
    #expect(feed.items.map(\.title) == ["N", "T", "N"])
    #expect(feed.details.title == "t")
  }

  @Test func `paragraphs and list entries end where the next one begins`() throws {
    let text = "<p>a<b>b</b><p>c<ul><li>d<ul><li>e</ul><li>f</ul><br>g"
    let feed = try parse(
      "<rss><channel><item><title>T</title><description>\(text)</description></item></channel></rss>")
    #expect(
      feed.items.map(\.contentHTML) == [
        "<p>a<b>b</b></p><p>c<ul><li>d<ul><li>e</li></ul></li><li>f</li></ul><br>g</p>"
      ])
  }

  @Test func `unclosed paragraphs of XHTML lose no entry`() throws {
    let text = String(repeating: "<p>x<br>", count: 300)
    let feed = try parse(
      "<feed xmlns='http://www.w3.org/2005/Atom'><title>t</title><entry><id>1</id><content type='xhtml'>"
        + "<div xmlns='http://www.w3.org/1999/xhtml'>\(text)</div></content></entry><entry><id>2</id></entry></feed>"
    )
    #expect(feed.items.map(\.id) == ["1", "2"])
    #expect(feed.items.first?.contentHTML == String(repeating: "<p>x<br></p>", count: 300))
  }

  @Test(arguments: [
    "<item><title>T</title></item><p>", "<item><title>T", "<p><item><title>T</title></item>",
    "<item><title>T</title><p>",
  ])
  func `unclosed elements around items lose no item`(item: String) throws {
    let feed = try parse(
      "<rss><channel><title>t</title>\(String(repeating: item, count: 400))</channel></rss>")
    #expect(feed.items.count == 400)
    #expect(feed.items.allSatisfy { $0.title == "T" })
  }

  @Test func `categories that are not closed are all read`() throws {
    let tags = (0..<200).map { "c\($0)" }
    let feed = try parse(
      "<rss><channel><item><title>T</title>\(tags.map { "<category>" + $0 }.joined())</item>\(Self.next)</channel></rss>"
    )
    #expect(feed.items.map(\.title) == ["T", "N"])
    #expect(feed.items.first?.tags == tags)
  }

  @Test(arguments: ["<p>", "<li>", "<b><p>", "<ul><li>", "<td>", "<a><b>"])
  func `unclosed tags are read in linear time`(tag: String) {
    let text = String(repeating: tag, count: 1 << 14)
    _ = try? ParsedFeed.parse(Array("<rss><channel><item><description>\(text)".utf8))
    _ = try? ParsedFeed.parse(Array("<rss><channel>\(text)".utf8))
  }

  @Test(arguments: ["", "<description><![CDATA[y]]></description>"])
  func `a CDATA section without its last bracket ends with its element`(rest: String) throws {
    let document = "<rss><channel><item><title><![CDATA[x]]</title>\(rest)</item></channel></rss>"
    for size in [1, 5, document.utf8.count] {
      let bytes = Array(document.utf8)
      let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
      #expect(try ParsedFeed.parse(chunks: chunks).items.map(\.title) == ["x"])
    }
  }

  private func parse(_ document: String) throws -> ParsedFeed {
    let feed = try ParsedFeed.parse(Array(document.utf8))
    let again = try ParsedFeed.parse(chunks: document.utf8.map { [$0] })
    #expect(feed.items == again.items)
    #expect(feed.details.isRecovered)
    return feed
  }
}
