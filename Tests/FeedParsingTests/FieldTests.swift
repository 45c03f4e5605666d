import FeedParsing
import Testing

struct FieldTests {
  @Test(arguments: [
    ("AT&amp;amp;T", "AT&T"), ("AT&amp;T", "AT&T"), ("a &lt;b&gt;bold&lt;/b&gt; word", "a bold word"),
    ("1 &lt; 2", "1 < 2"), ("x &lt;y&gt; z", "x <y> z"), ("one&lt;br/&gt;two", "one two"),
    ("  a \n\t b  ", "a b"),
    ("&amp;eacute;", "é"), ("&eacute;", "é"), ("&amp;doesnotexist;", "&doesnotexist;"), ("&amp;#146;", "’"),
    ("<![CDATA[<i>A</i> &amp; B]]>", "A & B"), ("a<i>b</i>c", "abc"), ("&#x1F388;", "🎈"),
  ])
  func `an RSS title becomes plain text`(source: String, expected: String) throws {
    #expect(try rss("<title>\(source)</title>").title == expected)
  }

  @Test(arguments: [
    (#"<title>a &lt;b&gt; c</title>"#, "a <b> c"),
    (#"<title type="html">a &lt;b&gt;c&lt;/b&gt;</title>"#, "a c"),
    (#"<title type="html">&amp;lt;b&amp;gt;</title>"#, "<b>"),
    (#"<title type="text">&amp;amp;</title>"#, "&amp;"),
    (
      #"<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">a &lt; <b>b</b></div></title>"#, "a < b"
    ),
  ])
  func `an Atom title is read according to its type`(source: String, expected: String) throws {
    let document =
      #"<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><entry>\#(source)</entry></feed>"#
    #expect(try ParsedFeed.parse(Array(document.utf8)).items.first?.title == expected)
  }

  @Test(
    arguments: [
      ("me@example.com (Me Myself)", "Me Myself", "me@example.com"),
      ("Me <me@example.com>", "Me", "me@example.com"),
      ("Me Myself", "Me Myself", nil), ("me@example.com", nil, "me@example.com"),
      ("Me (me@example.com)", "Me", "me@example.com"), ("Me @ home", "Me @ home", nil), ("@me", "@me", nil),
      ("mailto:me@example.com", nil, "me@example.com"),
      ("Me Myself (mailto:me@example.com)", "Me Myself", "me@example.com"),
      ("me@example.com - Me Myself", "Me Myself", "me@example.com"), ("Anna-Lena", "Anna-Lena", nil),
    ] as [(String, String?, String?)])
  func `an author is split into name and address`(text: String, name: String?, email: String?) throws {
    let source = text.replacing("<", with: "&lt;")
    let author = try #require(try rss("<author>\(source)</author>").authors.first)
    #expect(author == FeedDetails.Author(name: name, email: email))
  }

  @Test(arguments: [
    ("<guid>http://e.org/1</guid>", "http://e.org/1"),
    ("<guid isPermaLink='false'>http://e.org/1</guid>", nil),
    ("<guid>tag:1</guid>", nil), ("<link>http://e.org/2</link><guid>http://e.org/1</guid>", "http://e.org/2"),
    ("<link></link><guid>http://e.org/1</guid>", "http://e.org/1"),
    ("<a:link href='http://e.org/3' xmlns:a='http://www.w3.org/2005/Atom'/>", "http://e.org/3"),
    ("<link> /4 </link>", "http://e.org/4"), ("<guid isPermaLink='true'>5</guid>", "http://e.org/d/5"),
  ])
  func `the address of an item is its link, else its guid`(source: String, expected: String?) throws {
    #expect(try rss(source).url == expected)
  }

  @Test(arguments: [
    ("<webMaster>wm@e.org (Web)</webMaster>", "Web"),
    (
      "<webMaster>wm@e.org (Web)</webMaster><i:owner><i:name> Own </i:name><i:email>o@e.org</i:email></i:owner>",
      "Own"
    ),
    ("<g:author>Play</g:author><webMaster>wm@e.org</webMaster>", "Play"),
    ("<i:owner><i:name>Own</i:name></i:owner><i:author>Pod</i:author>", "Pod"),
    ("<managingEditor>ed@e.org (Ed)</managingEditor><webMaster>wm@e.org (Web)</webMaster>", "Ed"),
  ])
  func `a feed without an author has the owner or editor as author`(source: String, name: String) throws {
    let feed = try ParsedFeed.parse(
      Array(
        """
        <rss xmlns:i="http://www.itunes.com/dtds/podcast-1.0.dtd"
          xmlns:g="http://www.google.com/schemas/play-podcasts/1.0"><channel>\(source)
        <item><g:description>Text</g:description><g:image href="http://e.org/i.png"/></item></channel></rss>
        """.utf8))
    #expect(feed.details.authors.map(\.name) == [name])
    #expect(feed.items.first?.contentHTML == "Text")
    #expect(feed.items.first?.image == "http://e.org/i.png")
  }

  @Test(arguments: [
    (#"<content type="xhtml"><x:div>A</x:div> <x:div>B</x:div></content>"#, "A <div>B</div>"),
    (#"<content type="xhtml"><x:div>A <x:div>B</x:div></x:div></content>"#, "A <div>B</div>"),
    (#"<content type="xhtml"><x:p>A</x:p><x:div>B</x:div></content>"#, "<p>A</p><div>B</div>"),
  ])
  func `only the first div around XHTML is dropped`(source: String, expected: String) throws {
    let document =
      #"<feed xmlns="http://www.w3.org/2005/Atom" xmlns:x="http://www.w3.org/1999/xhtml"><entry>\#(source)</entry></feed>"#
    #expect(try ParsedFeed.parse(Array(document.utf8)).items.first?.contentHTML == expected)
  }

  @Test func `the better source of a field counts, in any order`() throws {
    let dc = #"xmlns:dc="http://purl.org/dc/elements/1.1/""#
    let first = try rss("<dc:title \(dc)>worse</dc:title><title>better</title>")
    let second = try rss("<title>better</title><dc:title \(dc)>worse</dc:title>")
    #expect(first.title == "better")
    #expect(second.title == "better")
  }

  @Test func `the schedule that a feed asks for is read`() throws {
    let document = """
      <rss version="2.0" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"><channel><title>t</title><ttl>90</ttl>
      <skipHours><hour>3</hour><hour>24</hour><hour>x</hour></skipHours><skipDays><day>Sunday</day></skipDays>
      <sy:updatePeriod>Hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency></channel></rss>
      """
    let details = try ParsedFeed.parse(Array(document.utf8)).details
    #expect(details.timeToLiveMinutes == 90)
    #expect(details.skipHours == [3, 0])
    #expect(details.skipDays == ["Sunday"])
    #expect(details.updatePeriod == "hourly")
    #expect(details.updateFrequency == 2)
  }

  @Test(arguments: [
    ("", "an empty document"), ("   \n", "an empty document"), ("garbage", "plain text"),
    ("%PDF-1.7", "a PDF file"),
    ("<note/>", "a document of the kind <note>"), ("{\"a\":1}", "a JSON document, but no JSON Feed"),
    ("<!DOCTYPE html><p>x", "an HTML page"),
  ])
  func `the kind of a document that is not a feed is reported`(document: String, expected: String) {
    #expect(throws: FeedError.notAFeed(looksLike: expected)) { try ParsedFeed.parse(Array(document.utf8)) }
  }

  @Test(arguments: [
    ("<content type='text/plain'>P</content>\(html)", "<b>H</b>"),
    ("\(html)<content type='text/plain'>P</content>", "<b>H</b>"),
    ("<content type='image/png' mode='base64'>AAAA</content>\(html)", "<b>H</b>"),
    (
      "<content type='application/xhtml+xml'><div xmlns='http://www.w3.org/1999/xhtml'><i>X</i></div></content>",
      "<i>X</i>"
    ),
  ])
  func `HTML is preferred among several forms of content`(forms: String, expected: String) throws {
    let document =
      "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry><content type='multipart/alternative'>\(forms)"
      + "</content><title>T</title></entry></feed>"
    let item = try #require(try ParsedFeed.parse(Array(document.utf8)).items.first)
    #expect(item.contentHTML == expected)
    #expect(item.title == "T")
  }

  private static let html = "<content type='text/html' mode='escaped'>&lt;b>H&lt;/b></content>"

  @Test func `text is used if no other form of content exists`() throws {
    let document =
      "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry><content type='multipart/alternative'>"
      + "<content type='text/plain'>P</content></content></entry></feed>"
    #expect(try ParsedFeed.parse(Array(document.utf8)).items.first?.contentText == "P")
  }

  @Test func `a line has no character that could control a terminal`() throws {
    let title = "\u{1B}]0;x\u{7}\u{9B}\u{202E}\u{2028}\u{7F}\u{200F}"
    var json = JSONFeedLine(file: "\u{1B}[31m\n")
    let line = json.finish(FeedDetails(), error: title)
    let text = String(decoding: line, as: UTF8.self)
    #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F })
    #expect(text.contains(#"\u001b]0;x\u0007\u009b\u202e\u2028\u007f\u200f"#))
    #expect(!FeedError.notAFeed(looksLike: title).description.unicodeScalars.contains { $0.value < 0x20 })
  }

  private func rss(_ content: String) throws -> FeedItem {
    let document = "<rss version=\"2.0\"><channel><title>t</title><item>\(content)</item></channel></rss>"
    let feed = try ParsedFeed.parse(
      Array(document.utf8), source: DocumentSource(url: "http://e.org/d/feed.xml"))
    return try #require(feed.items.first)
  }
}
