import FeedParsing
import Testing

/// Texts with elements of the document inside, which are not escaped.
struct MarkupInTextTests {
  private static let text = "<p>Use &lt;b&gt; &amp; &amp;lt; here</p>"
  private static let xhtml = #"xmlns="http://www.w3.org/1999/xhtml""#

  @Test(arguments: [
    "<description>\(text)</description>", "<description><div \(xhtml)>\(text)</div></description>",
    "<content:encoded>\(text)</content:encoded>",
    "<content:encoded><div \(xhtml)>\(text)</div></content:encoded>",
    "<xhtml:body xmlns:xhtml='http://www.w3.org/1999/xhtml'>\(text)</xhtml:body>",
  ])
  func `text beside elements is text in RSS`(body: String) throws {
    let feed = try parse(
      "<rss xmlns:content='http://purl.org/rss/1.0/modules/content/'><channel><item>\(body)</item></channel></rss>"
    )
    #expect(feed.items.map(\.contentHTML) == [Self.text])
  }

  @Test(arguments: [
    "<content>", "<content type='html'>", "<content type='text'>", "<summary>", "<summary type='html'>",
  ])
  func `text beside elements is text in Atom`(start: String) throws {
    let name = start.contains("summary") ? "summary" : "content"
    let feed = try parse(
      "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id>\(start)\(Self.text)</\(name)></entry></feed>"
    )
    #expect(feed.items.map(\.contentHTML) == [Self.text])
  }

  @Test func `text before and after elements is text`() throws {
    let feed = try parse(
      """
      <rss><channel><item><title>1 &lt; 2 <i>or</i> &amp;amp;</title>
      <description>pre &lt;u> <b>x</b> &lt;i>esc&lt;/i></description></item></channel></rss>
      """)
    #expect(feed.items.map(\.title) == ["1 < 2 or &amp;"])
    #expect(feed.items.map(\.contentHTML) == ["pre &lt;u&gt; <b>x</b> &lt;i&gt;esc&lt;/i&gt;"])
  }

  @Test func `HTML before the first element stays HTML`() throws {
    let feed = try parse(
      "<rss><channel><item><description><![CDATA[<p>a</p>]]><img src='x'/></description></item></channel></rss>"
    )
    #expect(feed.items.map(\.contentHTML) == [#"<p>a</p><img src="x">"#])
  }

  private func parse(_ document: String) throws -> ParsedFeed {
    let feed = try ParsedFeed.parse(Array(document.utf8))
    #expect(!feed.details.isRecovered)
    return feed
  }
}
