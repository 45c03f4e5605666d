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
    (#"<!-- <a href="x"> -->"#, #"<!-- <a href="http://e.org/d/x"> -->"#), (#"<a href="x"#, #"<a href="x"#),
    (#"a < b href="x""#, #"a < b href="x""#), (#"<a title="href='x'">"#, #"<a title="href='x'">"#),
    (#"<a href="&#109;ail&#116;o&#58;me@e.org">"#, #"<a href="&#109;ail&#116;o&#58;me@e.org">"#),
    (#"<a href="/&#143;&#x9D;&#146;">"#, #"<a href="http://e.org/%C2%8F%C2%9D’">"#),
    (#"<a href="&#47;x?a&amp;b&#38;c=&quot;">"#, #"<a href="http://e.org/x?a&amp;b&amp;c=&quot;">"#),
    (#"<a href="x?a&amp;b&c">"#, #"<a href="http://e.org/d/x?a&amp;b&c">"#),
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

  @Test(arguments: [
    (#"<img srcset="a.jpg, b.jpg 2x">"#, #"<img srcset="http://e.org/d/a.jpg, http://e.org/d/b.jpg 2x">"#),
    (#"<img srcset="a.jpg,b.jpg 2x">"#, #"<img srcset="http://e.org/d/a.jpg,b.jpg 2x">"#),
    (
      #"<svg><image xlink:href="a.png"/><use href="s.svg#i"/></svg>"#,
      #"<svg><image xlink:href="http://e.org/d/a.png"/><use href="http://e.org/d/s.svg#i"/></svg>"#
    ),
  ])
  func `srcset and the links of SVG are resolved`(html: String, expected: String)
    throws
  {
    let document =
      "<rss><channel><item><description><![CDATA[\(html)]]></description></item></channel></rss>"
    let feed = try ParsedFeed.parse(
      Array(document.utf8), source: DocumentSource(url: "http://e.org/d/feed"))
    #expect(feed.items.first?.contentHTML == expected)
  }
}
