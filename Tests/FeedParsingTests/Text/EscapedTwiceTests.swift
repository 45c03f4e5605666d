import FeedParsing
import Testing

/// Texts that were escaped twice.
struct EscapedTwiceTests {
  @Test(arguments: [
    ("http://e.org/?a=1&amp;amp;b=2", "http://e.org/?a=1&b=2"),
    ("http://e.org/?a=1&amp;#038;b=2&amp;c", "http://e.org/?a=1&b=2&c"),
    ("<![CDATA[http://e.org/?a=1&b=2&amp;c=3]]>", "http://e.org/?a=1&b=2&c=3"),
    ("http://e.org/?q=&amp;eacute;", "http://e.org/?q=&eacute;"),
    ("\n http://e.org/a\n  /b\t \n", "http://e.org/a  /b"), ("http://e.org/?a&amp;", "http://e.org/?a&"),
  ])
  func `an address has plain ampersands and no line ends`(source: String, expected: String) throws {
    #expect(try item("<link>\(source)</link>").url == expected)
    let guid = try item("<guid isPermaLink='true'>\(source)</guid>")
    #expect(guid.url == expected)
    let feed = try ParsedFeed.parse(Array("<rss><channel><link>\(source)</link></channel></rss>".utf8))
    #expect(feed.details.homePageURL == expected)
  }

  @Test(arguments: [
    ("&lt;![CDATA[A &amp;amp; &lt;i&gt;B&lt;/i&gt;]]&gt;", "A & B", "A &amp; <i>B</i>"),
    ("<![CDATA[<![CDATA[A &amp; <i>B</i>]]>]]&gt;", "A & B", "A &amp; <i>B</i>"),
    (" \n &lt;![CDATA[ A ]]&gt; \n", "A", "A"), ("&lt;![CDATA[A", "A", "A"),
    ("&lt;![CDATA[ &lt;![CDATA[A]]&gt; ]]&gt;", "A", "A"), ("&lt;![CDATA[&lt;![CDATA[A]]&gt;", "A", "A"),
  ])
  func `escaped CDATA brackets are not part of the text`(source: String, title: String, content: String)
    throws
  {
    #expect(try item("<title>\(source)</title>").title == title)
    #expect(try item("<description>\(source)</description>").contentHTML == content)
  }

  @Test(arguments: [
    ("&#55357;&#56832; a", "😀 a"), ("&amp;#55357;&amp;#56832; a", "😀 a"), ("&#xD83D;&#xDE00;", "😀"),
    ("&#55357; a", "\u{FFFD} a"), ("&#55357;&#97;", "\u{FFFD}a"), ("&#56832;&#55357;", "\u{FFFD}\u{FFFD}"),
  ])
  func `a character may be written as a surrogate pair`(source: String, expected: String) throws {
    #expect(try item("<title>\(source)</title>").title == expected)
    let bytes = Array("<rss><channel><item><title>\(source)</title></item></channel></rss>".utf8)
    let byOne = try ParsedFeed.parse(chunks: bytes.map { [$0] })
    #expect(byOne.items.map(\.title) == [expected])
  }

  private func item(_ content: String) throws -> FeedItem {
    let document = "<rss version=\"2.0\"><channel><title>t</title><item>\(content)</item></channel></rss>"
    return try #require(try ParsedFeed.parse(Array(document.utf8)).items.first)
  }
}
