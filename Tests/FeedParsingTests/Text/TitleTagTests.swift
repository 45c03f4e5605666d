import FeedParsing
import Testing

/// Titles that mention tags, and titles that contain some.
@Suite struct TitleTagTests {
  @Test(arguments: [
    ("How to use &lt;select&gt; in HTML", "How to use <select> in HTML"),
    ("&lt;select&gt; in HTML", "<select> in HTML"), ("Use of &lt;b&gt; in HTML5", "Use of <b> in HTML5"),
    ("The &lt;img&gt; tag", "The <img> tag"), ("Why &lt;TABLE&gt; is no layout", "Why <TABLE> is no layout"),
    ("List&lt;String&gt; in Java", "List<String> in Java"),
    ("&lt;b&gt; and &lt;strong&gt;x&lt;/strong&gt;", "and x"), ("1 &lt; 2 &gt; 0", "1 < 2 > 0"),
    ("&amp;lt;script&amp;gt;", "<script>"), ("AT&amp;T", "AT&T"),
  ])
  func `a tag that a title mentions is kept`(source: String, expected: String) throws {
    #expect(try title(source) == expected)
  }

  @Test(arguments: [
    ("&lt;b&gt;Bold&lt;/b&gt; x", "Bold x"), ("x &lt;B&gt;bold&lt;/b &gt;", "x bold"),
    ("&lt;b&gt;Bold and cut", "Bold and cut"), ("a&lt;br&gt;b", "a b"),
    ("&lt;p&gt;one&lt;p&gt;two", "one two"),
    ("x &lt;img src=y&gt; z", "x z"), ("Use &lt;a href=x&gt;y", "Use y"), ("a&lt;br/&gt;b", "a b"),
    ("x &lt;span class='a'&gt;y", "x y"), ("&lt;div&gt;x&lt;/div&gt;", "x"),
  ])
  func `a tag that is markup in a title is removed`(source: String, expected: String) throws {
    #expect(try title(source) == expected)
  }

  @Test func `a title of HTML has no tags, even if it mentions some`() throws {
    let feed = try ParsedFeed.parse(
      Array(
        "<feed xmlns='http://www.w3.org/2005/Atom'><title type='html'>a &lt;select&gt; b</title></feed>".utf8)
    )
    #expect(feed.details.title == "a b")
  }

  @Test func `a title of tags alone is read in linear time`() throws {
    let tags = String(repeating: "&lt;b&gt;", count: 1 << 16)
    _ = try title("x \(tags)")
    _ = try title("x \(tags)&lt;/i&gt;")
  }

  private func title(_ source: String) throws -> String? {
    let document =
      "<rss version=\"2.0\"><channel><item><title>\(source)</title><guid>1</guid></item></channel></rss>"
    return try ParsedFeed.parse(Array(document.utf8)).items.first?.title
  }
}
