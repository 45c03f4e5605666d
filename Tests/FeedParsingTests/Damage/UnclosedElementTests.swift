import FeedParsing
import Testing

/// Elements without end tags must not swallow the elements after them; closed elements keep their content.
struct UnclosedElementTests {
  private static let fields = "<title>T</title><link>http://e.org/1</link><description>D</description>"
  private static let modules =
    #"xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/" "#
    + #"xmlns:content="http://purl.org/rss/1.0/modules/content/""#

  static let unclosed = [
    "<dc:creator>X", "<foo>c", "<foo>c<bar>d", "<p>", "<hr>", "<br>", "<P>", "<cs>c</comments>",
    "<pubDateFri, 01 Jan 2021 00:00:00 GMT</pubDate>", "<image><url>http://e.org/u</url>", "<category>c",
    #"<media:group><media:content url="http://e.org/v.mp4"/>"#, #"<media:content url="http://e.org/v.mp4">"#,
    "<media:thumbnail url='http://e.org/u.png'><media:title>", "<author><name>n</name>", "<author><name>n",
    #"<enclosure url="http://e.org/a.mp3" type="audio/mpeg" length="1">"#, "<guid>g", "<comments>c",
    "<source>s",
    "<foo><title>inside</title></foo><foo>c", "<!-- </foo> --><foo>c", "<![CDATA[</foo>]]><foo>c",
    "<foo/><foo a='1' /><foo>c", "<dc:date>2021-01-01", "<content:encoded>long", "<georss:where><gml:Point>",
  ]

  @Test(arguments: unclosed)
  func `an unclosed element of an item loses no field`(start: String) throws {
    let items = "<item>\(start)\(Self.fields)</item><item><foo>c</foo>\(Self.fields)</item>"
    let documents = [
      "<rss version='2.0' \(Self.modules)><channel><title>t</title>\(items)</channel></rss>",
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/' "
        + "\(Self.modules)><channel><title>t</title></channel>\(items)</rdf:RDF>",
    ]
    for document in documents {
      let feed = try parse(document)
      #expect(feed.items.map(\.title) == ["T", "T"])
      #expect(feed.items.map(\.url) == ["http://e.org/1", "http://e.org/1"])
      #expect(feed.items.allSatisfy { $0.contentHTML == "D" || $0.summary == "D" })
    }
  }

  @Test(arguments: [
    "<author><name>n</name>", "<author><name>n", "<foo>c", "<link href='http://e.org/1'>",
    "<category term='c'>",
    "<contributor><name>n</name><uri>http://e.org/u</uri>", "<updated>2021-01-01T00:00:00Z", "<rights>r",
    "<link rel='enclosure' href='http://e.org/a.mp3'>", "<dc:creator>X", "<published>",
  ])
  func `an unclosed element of an entry loses no field`(start: String) throws {
    let fields = "<title>T</title><link href='http://e.org/1'/><id>i</id><summary>D</summary>"
    let feed = try parse(
      "<feed xmlns='http://www.w3.org/2005/Atom' \(Self.modules)><title>t</title>"
        + "<entry>\(start)\(fields)</entry><entry>\(fields)</entry></feed>")
    #expect(feed.items.map(\.title) == ["T", "T"])
    #expect(feed.items.map(\.url) == ["http://e.org/1", "http://e.org/1"])
    #expect(feed.items.map(\.id) == ["i", "i"])
    #expect(feed.items.allSatisfy { $0.contentHTML == "D" || $0.contentText == "D" })
  }

  @Test(arguments: ["<foo>x", "<image><url>http://e.org/u.png</url>", "<p>", "<itunes:owner><itunes:name>n"])
  func `an unclosed element of a channel loses no field`(start: String) throws {
    let feed = try parse(
      "<rss><channel>\(start)<title>t</title><link>http://e.org/</link><item>\(Self.fields)</item></channel></rss>"
    )
    #expect(feed.details.title == "t")
    #expect(feed.details.homePageURL == "http://e.org/")
    #expect(feed.items.map(\.title) == ["T"])
  }

  @Test(arguments: [
    "<foo><title>x</title><link>http://e.org/x</link></foo>",
    "<media:group><media:title>x</media:title><media:description>x</media:description></media:group>",
    "<image><url>http://e.org/x</url><title>x</title><link>http://e.org/x</link></image>",
    "<foo><foo><title>x</title></foo><title>x</title></foo>", "<foo><bar>c<title>x</title></foo>",
    "<FOO><title>x</title></foo>", "<foo:foo xmlns:foo='f'><title>x</title></foo:foo>",
    "<foo><!-- </item> --><title>x</title><![CDATA[</item>]]></foo>",
  ])
  func `the content of a closed element stays there in a damaged feed too`(element: String) throws {
    let feed = try parse(
      "<rss \(Self.modules)><channel><title>AT&T</title><item>\(element)\(Self.fields)</item></channel></rss>"
    )
    #expect(feed.items.map(\.title) == ["T"])
    #expect(feed.items.map(\.url) == ["http://e.org/1"])
    #expect(feed.items.map(\.contentHTML) == ["D"])
  }

  @Test func `a source and markup keep their titles in a damaged entry`() throws {
    let feed = try parse(
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><title>AT&T</title><entry>
      <source><title>x</title><link href="http://e.org/x"/><id>x</id></source>
      <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><title>x</title><p>C</p></div></content>
      <title>T</title><link href="http://e.org/1"/><id>i</id></entry></feed>
      """)
    #expect(feed.items.map(\.title) == ["T"])
    #expect(feed.items.map(\.url) == ["http://e.org/1"])
    #expect(feed.items.map(\.id) == ["i"])
    #expect(feed.items.first?.contentHTML == "<title>x</title><p>C</p>")
  }

  @Test(arguments: [
    ("<item><title>a</title><item><title>b</title></item></item>", ["a", "b"]),
    ("<item><title>a</title><item><title>b</title></item><link>http://e.org/x</link></item>", ["a", "b"]),
    (
      "<item><title>a</title><item><title>b</title><item><title>c</title></item></item></item>",
      ["a", "b", "c"]
    ),
    (
      "<item><title>a</title><item><title>b</title></item><item><title>c</title></item></item>",
      ["a", "b", "c"]
    ),
    ("<item><item><title>a</title></item><item><title>b</title></item></item>", ["a", "b"]),
    ("<item><title>a</title><item><title>b</title></item>", ["a", "b"]),
    ("<item><title>a</title><item><title>b</title></item><item><title>c</title>", ["a", "b", "c"]),
  ])
  func `an item that begins inside another one is neither lost nor doubled`(items: String, titles: [String])
    throws
  {
    let feed = try parse("<rss><channel><title>t</title>\(items)</channel></rss>")
    #expect(feed.items.map(\.title) == titles)
    #expect(feed.details.title == "t")
  }

  @Test(arguments: [
    ("<feed xmlns='http://www.w3.org/2005/Atom'>", "", "</feed>"), ("<feed>", "", "</feed>"),
    ("<feed xmlns='http://purl.org/atom/ns#' version='0.3'>", "", "</feed>"),
    ("<a:feed xmlns:a='http://www.w3.org/2005/Atom'>", "a:", "</a:feed>"),
    ("<rss><channel>", "", "</channel></rss>"),
  ])
  func `an entry that is closed inside another one is not lost`(start: String, prefix: String, end: String)
    throws
  {
    let p = prefix
    let inner = "<\(p)entry><\(p)id>2</\(p)id><\(p)title>B</\(p)title></\(p)entry>"
    for padding in [0, 15_000, 17_000, 40_000] {
      let feed = try parse(
        "\(start)<\(p)title>F</\(p)title><\(p)entry><\(p)id>1</\(p)id><\(p)title>A</\(p)title>\(inner)</\(p)entry>"
          + "<\(p)entry><\(p)id>3</\(p)id><\(p)title>C</\(p)title></\(p)entry>"
          + String(repeating: " ", count: padding) + end)
      #expect(feed.items.map(\.id) == ["1", "2", "3"])
      #expect(feed.items.map(\.title) == ["A", "B", "C"])
      #expect(feed.details.title == "F")
    }
  }

  @Test func `a lone entry with another one inside gives both`() throws {
    let feed = try parse(
      "<entry xmlns='http://www.w3.org/2005/Atom'><id>1</id><title>A</title><entry><id>2</id><title>B</title></entry></entry>"
    )
    #expect(feed.items.map(\.id) == ["1", "2"])
  }

  @Test func `a limit after a nested item does not depend on the chunks`() throws {
    var limits = ParserLimits()
    limits.depth = 6
    let document =
      "<rss><channel>" + String(repeating: "<item><title>a</title>", count: 9) + "</channel></rss>"
    let whole = try ParsedFeed.parse(Array(document.utf8), limits: limits)
    let pieces = try ParsedFeed.parse(chunks: document.utf8.map { [$0] }, limits: limits)
    #expect(whole.items.count == 9)
    #expect(pieces.items == whole.items)
  }

  @Test(arguments: ["<foo><title>", "<a><title/><b><link/>", "<foo><title>x</title></foo ", "<foo><link "])
  func `many unclosed elements are read in linear time`(piece: String) {
    let item = "<item><title>a & b</title>" + String(repeating: piece, count: 1 << 18 / piece.utf8.count)
    _ = try? ParsedFeed.parse(Array("<rss><channel>\(item)".utf8))
    _ = try? ParsedFeed.parse(
      chunks: stride(from: 0, to: item.utf8.count, by: 500).map { start in
        Array(Array(item.utf8)[start..<min(start + 500, item.utf8.count)])
      })
  }

  /// Parses a document in one piece and in single bytes: the result must be the same.
  private func parse(_ document: String) throws -> ParsedFeed {
    let feed = try ParsedFeed.parse(Array(document.utf8))
    let again = try ParsedFeed.parse(chunks: document.utf8.map { [$0] })
    #expect(feed.items.map(\.title) == again.items.map(\.title))
    #expect(feed.items.map(\.url) == again.items.map(\.url))
    #expect(feed.details.isRecovered)
    return feed
  }
}
