import Testing

@testable import FeedParsing

struct AddressTests {
  /// The examples of RFC 3986, section 5.4, and addresses as feeds contain them.
  @Test(arguments: [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"),
    ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q#s"),
    ("g#s", "http://a/b/c/g#s"), (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"),
    (".", "http://a/b/c/"),
    ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
    ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
    ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./g/.", "http://a/b/c/g/"),
    ("g/../h", "http://a/b/c/h"),
    ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
    ("mailto:me@example.com", "mailto:me@example.com"),
  ])
  func `a relative address is resolved as RFC 3986 says`(reference: String, expected: String) throws {
    let base = try #require(URLBase("http://a/b/c/d;p?q".utf8))
    var result: [UInt8] = []
    base.append(resolving: Array(reference.utf8).span, to: &result)
    #expect(String(decoding: result, as: UTF8.self) == expected)
  }

  @Test(arguments: [
    "", "x", "/a", "http:", "mailto:a@b", "1http://a/", ":", "file:///", "FILE:///a/", "smb://h/a/",
    "ftp://h/",
  ])
  func `only an absolute address of http or https is a base`(text: String) {
    #expect(URLBase(text.utf8) == nil)
  }

  @Test(arguments: [
    (#"<a href="x">"#, #"<a href="http://e.org/d/x">"#),
    (#"<IMG SRC='/x.png'/>"#, #"<IMG SRC='http://e.org/x.png'/>"#),
    (#"<a href=x>y</a>"#, #"<a href=http://e.org/d/x>y</a>"#), (#"<p>href="x"</p>"#, #"<p>href="x"</p>"#),
    (#"<img srcset="a 1x, b 2x">"#, #"<img srcset="http://e.org/d/a 1x, http://e.org/d/b 2x">"#),
    (#"<a href="http://o.org/">"#, #"<a href="http://o.org/">"#), (#"<a href="#, #"<a href="#), ("<", "<"),
    (#"<!-- <a href="x"> -->"#, #"<!-- <a href="x"> -->"#), (#"<a href="x"#, #"<a href="x"#),
    (#"a < b href="x""#, #"a < b href="x""#), (#"<a title="href='x'">"#, #"<a title="href='x'">"#),
    (#"<a href="&#109;ail&#116;o&#58;me@e.org">"#, #"<a href="&#109;ail&#116;o&#58;me@e.org">"#),
    (#"<a href="/&#143;&#x9D;&#146;">"#, #"<a href="http://e.org/%C2%8F%C2%9D’">"#),
    (#"<a href="&#47;x?a&amp;b&#38;c=&quot;">"#, #"<a href="http://e.org/x?a&amp;b&amp;c=&quot;">"#),
    (#"<a href="x?a&amp;b&c">"#, #"<a href="http://e.org/d/x?a&amp;b&c">"#),
    (##"<a href="#note">1</a><img usemap=#m>"##, ##"<a href="#note">1</a><img usemap=#m>"##),
    (
      #"<base href="//c.org/p/"><img src="x">"#, #"<base href="http://c.org/p/"><img src="http://c.org/p/x">"#
    ),
    (
      #"<img src="x"><base target="t"><BASE HREF=&#47;q/>"#,
      #"<img src="http://e.org/q/x"><base target="t"><BASE HREF=http://e.org/q/>"#
    ),
    (#"<base href="javascript:x"><img src="x">"#, #"<base href="javascript:x"><img src="http://e.org/d/x">"#),
    (#"<a href="https&colon;//f.org/">"#, #"<a href="https&colon;//f.org/">"#),
    (#"<a href="&sol;abs">"#, #"<a href="http://e.org/abs">"#),
    (#"<a href="&num;n">"#, #"<a href="&num;n">"#),
    (#"<a href="x?a=1&b=2&copy=3">"#, #"<a href="http://e.org/d/x?a=1&b=2&copy=3">"#),
    (#"<a href="\\f.org\x?a\b">"#, #"<a href="http://f.org/x?a\b">"#),
    (
      "<textarea><img src=x></textarea><img src=x>",
      "<textarea><img src=x></textarea><img src=http://e.org/d/x>"
    ),
    ("<!-- <img src=x> --><img src=\"\">", "<!-- <img src=x> --><img src=\"\">"),
    (
      "<img data-lazy=x data-lazy-srcset='x 1x'>",
      "<img data-lazy=http://e.org/d/x data-lazy-srcset='http://e.org/d/x 1x'>"
    ),
  ])
  func `addresses in HTML are resolved where they are attributes`(html: String, expected: String) throws {
    let base = try #require(URLBase("http://e.org/d/".utf8))
    var result: [UInt8] = []
    #expect(HTMLAddresses.append(Array(html.utf8).span, resolvingAgainst: base, to: &result, upTo: 1000))
    #expect(String(decoding: result, as: UTF8.self) == expected)
  }

  @Test(arguments: ["file:///", "smb://host/share/", "FILE://localhost/"])
  func `a base of another scheme makes no addresses of that scheme`(base: String) throws {
    let document = """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="\(base)"><title>t</title><entry><id>x</id>
      <link href="etc/passwd"/><link rel="enclosure" href="etc/shadow"/>
      <content type="html">&lt;img src="etc/group"></content></entry></feed>
      """
    let feed = try ParsedFeed.parse(
      Array(document.utf8), source: DocumentSource(url: "http://example.org/a/b"))
    let item = try #require(feed.items.first)
    #expect(item.url == "http://example.org/a/etc/passwd")
    #expect(item.attachments.map(\.url) == ["http://example.org/a/etc/shadow"])
    #expect(item.contentHTML?.contains("http://example.org/a/etc/group") == true)
  }

  @Test func `line ends in references are not part of an address in HTML`() throws {
    let document = """
      <rss><channel><item><description>&lt;a href="x&amp;#xD;&amp;#10;y&amp;nosuch;z"&gt;</description></item></channel></rss>
      """
    let feed = try ParsedFeed.parse(
      Array(document.utf8), source: DocumentSource(url: "http://example.org/a/b"))
    let content = feed.items.first?.contentHTML ?? ""
    #expect(content.hasPrefix(#"<a href="http://example.org/a/xy"#))
    #expect(!content.utf8.contains { $0 < 0x20 })
  }

  @Test func `without the address of a document, relative links belong to the feed's page`() throws {
    let document = """
      <rss><channel><link>https://r.example/news/index.html</link><item><link>/rel/3</link></item></channel></rss>
      """
    let feed = try ParsedFeed.parse(Array(document.utf8), source: DocumentSource())
    #expect(feed.items.first?.url == "https://r.example/rel/3")
  }

  @Test func `the language of a part of XHTML is that of HTML`() throws {
    let document = """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><entry><id>x</id><content type="xhtml">
      <div xmlns="http://www.w3.org/1999/xhtml"><p xml:lang="fr">un</p><p xml:lang="de" lang="de">zwei</p></div>
      </content></entry></feed>
      """
    let feed = try ParsedFeed.parse(Array(document.utf8), source: DocumentSource(url: "http://e.org/d"))
    #expect(feed.items.first?.contentHTML?.contains(#"<p lang="fr">un</p><p lang="de">zwei</p>"#) == true)
  }

  @Test(arguments: [
    (#"<img srcset="a.jpg, b.jpg 2x">"#, #"<img srcset="http://e.org/d/a.jpg, http://e.org/d/b.jpg 2x">"#),
    (#"<img srcset="a.jpg,b.jpg 2x">"#, #"<img srcset="http://e.org/d/a.jpg,b.jpg 2x">"#),
    (
      #"<svg><image xlink:href="a.png"/><use href="s.svg#i"/></svg>"#,
      #"<svg><image xlink:href="http://e.org/d/a.png"/><use href="http://e.org/d/s.svg#i"/></svg>"#
    ),
    (#"<img data-src="a.png">"#, #"<img data-src="http://e.org/d/a.png">"#),
    (#"<img data-original='/a.png' data-by=x>"#, #"<img data-original='http://e.org/a.png' data-by=x>"#),
    (#"<img data-lazy-src=a.png>"#, #"<img data-lazy-src=http://e.org/d/a.png>"#),
    (#"<img data-srcset="a 1x">"#, #"<img data-srcset="http://e.org/d/a 1x">"#),
  ])
  func `addresses of pictures and of drawings are resolved`(html: String, expected: String)
    throws
  {
    let document =
      "<rss><channel><item><description><![CDATA[\(html)]]></description></item></channel></rss>"
    let feed = try ParsedFeed.parse(
      Array(document.utf8), source: DocumentSource(url: "http://e.org/d/feed"))
    #expect(feed.items.first?.contentHTML == expected)
  }

  /// The page of an item, the page of the feed, the document, and the base of an element, as far as each states it.
  @Test(arguments: [
    ("<link>https://s.org/p/1</link>", "", "https://s.org/p/x"),
    ("", "<link>https://s.org/</link>", "https://s.org/x"),
    ("<guid>https://s.org/q/1</guid>", "<link>https://o.org/</link>", "https://s.org/q/x"),
    ("<link>/p/1</link>", "", "http://e.org/p/x"), ("", "", "http://e.org/d/x"),
    ("<link>mailto:x</link>", "", "http://e.org/d/x"),
  ])
  func `HTML in RSS is resolved against the item's page, else the feed's, else the document`(
    item: String, channel: String, expected: String
  ) throws {
    let html = ##"&lt;a href="#n">1&lt;/a>&lt;img src="x">"##
    let document = """
      <rss xmlns:c="http://purl.org/rss/1.0/modules/content/"><channel>\(channel)<item><title>t</title>
      <description>\(html) summary</description><c:encoded>\(html)</c:encoded>\(item)</item></channel></rss>
      """
    let feed = try ParsedFeed.parse(
      Array(document.utf8), source: DocumentSource(url: "http://e.org/d/feed"))
    let resolved = ##"<a href="#n">1</a><img src="\##(expected)">"##
    #expect(feed.items.first?.contentHTML == resolved)
    #expect(feed.items.first?.summary == resolved + " summary")
  }

  @Test(arguments: [
    (
      #"<rss><channel xml:base="http://b.org/"><item><link>https://s.org/p/1</link><description>&lt;a href="x"></description></item></channel></rss>"#,
      "http://b.org/x"
    ),
    (
      #"<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://s.org/p/1"/><content type="html">&lt;a href="x"></content></entry></feed>"#,
      "http://e.org/d/x"
    ),
    (
      #"<feed xmlns="http://www.w3.org/2005/Atom"><entry><content type="xhtml" xml:base="http://b.org/y/"><div xmlns="http://www.w3.org/1999/xhtml"><a href="x"/></div></content></entry></feed>"#,
      "http://b.org/y/x"
    ),
    (
      #"<rss><channel><item><body xmlns="http://www.w3.org/1999/xhtml"><a href="x"/></body><link>https://s.org/p/1</link></item></channel></rss>"#,
      "https://s.org/p/x"
    ),
    (
      #"{"version":"https://jsonfeed.org/version/1.1","items":[{"content_html":"<a href='x'>","url":"https://s.org/p/1"}]}"#,
      "https://s.org/p/x"
    ),
  ])
  func `a stated base comes first, and Atom resolves against its document`(document: String, expected: String)
    throws
  {
    let feed = try ParsedFeed.parse(
      Array(document.utf8), source: DocumentSource(url: "http://e.org/d/feed"))
    #expect(feed.items.first?.contentHTML?.contains(expected) == true)
  }
}
