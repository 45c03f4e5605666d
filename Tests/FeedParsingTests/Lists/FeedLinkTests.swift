import FeedParsing
import TestSupport
import Testing

@Suite struct FeedLinkTests {
  private static let page = "https://example.org/news/index.html"

  private func links(_ html: String, _ contentType: String? = "text/html") -> [FeedLink] {
    FeedLink.all(in: Array(html.utf8), from: DocumentSource(url: Self.page, contentType: contentType))
  }

  private static let declared: [(link: String, url: String)] = [
    (#"<link rel="alternate" type="application/rss+xml" href="https://a.example/f">"#, "https://a.example/f"),
    (#"<link rel="alternate" type="application/atom+xml" href="/feed"/>"#, "https://example.org/feed"),
    (
      #"<link rel="alternate" type="application/feed+json" href="feed.json" />"#,
      "https://example.org/news/feed.json"
    ),
    (#"<LINK REL='Alternate' TYPE='Application/RSS+XML' HREF='//b.example/x'>"#, "https://b.example/x"),
    ("<link rel=alternate type=application/rss+xml href=/feed/>", "https://example.org/feed/"),
    (
      #"<link href="?feed=rss2" type="application/rss+xml; charset=utf-8" rel="alternate">"#,
      "https://example.org/news/index.html?feed=rss2"
    ),
    (#"<link rel="home alternate"type="application/rss+xml"href="../f#top">"#, "https://example.org/f"),
    ("<link\nrel\n=\n'alternate'\ntype = \"application/rss+xml\"\n href = /f\n>", "https://example.org/f"),
    (
      #"<link rel="alternate" type="application/rss+xml" href="/f?a=1&amp;b=2&#38;c=3&d=4">"#,
      "https://example.org/f?a=1&b=2&c=3&d=4"
    ),
    (
      #"<link rel="alternate" type="application/rss+xml" href="  /my feed&#10;.xml ">"#,
      "https://example.org/my%20feed.xml"
    ),
    (#"<link rel="alternate" type="application/rss+xml" href="feed://c.example/f">"#, "http://c.example/f"),
    (
      #"<link rel="alternate" type="application/rss+xml" href="podcast://c.example/f">"#, "http://c.example/f"
    ),
    (
      #"<link rel="alternate" type="application/rss+xml" href="feed://httpd.example/f">"#,
      "http://httpd.example/f"
    ),
    (
      #"<link rel="alternate" type="application/rss+xml" href="pcast://https://c.example/f">"#,
      "https://c.example/f"
    ),
    (
      #"<link rel="alternate" type="application/rss+xml" href="feed:https://c.example/f">"#,
      "https://c.example/f"
    ),
    (#"<link rel="feed" href="/f">"#, "https://example.org/f"),
    (#"<link rel="alternate" type="text/xml" title="RSS" href="/f">"#, "https://example.org/f"),
    (#"<link rel="alternate" type="application/xml" href="/feed">"#, "https://example.org/feed"),
    (#"<link rel="alternate" type="application/rdf+xml" href="/atom.rdf">"#, "https://example.org/atom.rdf"),
    (#"<link rel="alternate" type="application/json" title="JSON Feed" href="/f">"#, "https://example.org/f"),
    (
      #"<link rel="x" rel="alternate"><link title="a > b" rel="alternate" type="application/rss+xml" href="/f">"#,
      "https://example.org/f"
    ),
  ]

  @Test(arguments: declared) func `a feed that a page declares is found`(link: String, url: String) {
    #expect(links("<html><head>\(link)</head><body><p>x</body>").map(\.url) == [url])
    #expect(links(link).map(\.isDeclared) == [true])
  }

  @Test(arguments: [
    #"<link rel="stylesheet" type="text/css" href="/feed.css">"#,
    #"<link rel="alternate stylesheet" type="application/rss+xml" href="/f">"#,
    #"<link rel="alternate" hreflang="de" href="/de/feed">"#,
    #"<link rel="alternate" type="application/json" href="/wp-json/wp/v2/pages/2" title="JSON">"#,
    #"<link rel="alternate" type="application/json+oembed" href="/oembed?feed">"#,
    #"<link rel="alternate" type="application/rdf+xml" title="FOAF" href="/foaf.rdf">"#,
    #"<link rel="alternate" type="text/xml" href="/sitemap.xml">"#,
    #"<link rel="alternate" type="application/rss+xml">"#,
    #"<link rel="alternate" type="application/rss+xml" href="">"#,
    ##"<link rel="alternate" type="application/rss+xml" href="#top">"##,
    #"<link rel="alternate" type="application/rss+xml" href="javascript:alert(1)">"#,
    #"<link rel="alternate" type="application/rss+xml" href="android-app://org.example/http/f">"#,
    #"<link rel="alternate" type="application/rss+xml" href="file:///etc/passwd">"#,
    #"<!-- <link rel="alternate" type="application/rss+xml" href="/f"> -->"#,
    #"<!--[if IE]><link rel="alternate" type="application/rss+xml" href="/f"><![endif]-->"#,
    #"<script>document.write('<link rel="alternate" type="application/rss+xml" href="/f">')</script>"#,
    #"<style>/* <link rel="alternate" type="application/rss+xml" href="/f"> */</style >"#,
    #"<textarea><link rel="alternate" type="application/rss+xml" href="/f"></textarea>"#,
    #"<title><link rel="alternate" type="application/rss+xml" href="/f"></title>"#,
    #"<p title='<link rel="alternate" type="application/rss+xml" href="/f">'>"#,
    #"</link rel="alternate" type="application/rss+xml" href="/f">"#,
    #"<link rel="alternate" type="application/rss+xml" href="/f"#,
    #"<a href="/sitemap.xml">Sitemap</a><a href="/opensearch.xml">x</a><a href="/feedback">Feedback</a><a>x</a>"#,
    "", "<", "</", "<!", "<!--", "<a", "<a href", "<a href=", "<a href='", "\u{0}", "plain text",
  ]) func `links to other files are left out`(html: String) {
    #expect(links(html) == [])
    #expect(links(html + #"<link rel="alternate" type="application/rss+xml" href="/"#) == [])
  }

  @Test(arguments: [
    "<!-->", "<!--->", "<!-- x --!>", "<!-- > -- ->-->", "<script>if (a<b && c>d) { x = '</div>' }</script>",
    "<SCRIPT>\n<!--\n x < y\n//-->\n</Script\n>", "<?php echo '<' ?>", "<![CDATA[ <p ]]>",
    "<p a='>' b=\">\" c=>>",
    "</ p>", "</>", "<>", "< link>", "<1>", "<p =x='y'>", "<img src=x/><br/><br><hr><input disabled>",
    "<div><p><table><li></span></b></html>", "a < b & c > d", "<svg><path d='M0 0'/></svg>",
    "<style></styles></style>",
  ]) func `tag soup before a link does not hide it`(soup: String) {
    let link = #"<link rel="alternate" type="application/rss+xml" title="All &amp;  new&#10;s" href="/f">"#
    #expect(
      links(soup + link) == [
        FeedLink(url: "https://example.org/f", type: "application/rss+xml", title: "All & new s")
      ])
  }

  @Test(arguments: [
    ("<base href='https://cdn.example/x/y'>", "https://cdn.example/x/f"),
    ("<base target=_top><base href=/z/ ><base href=/no/>", "https://example.org/z/f"),
    ("<base href='javascript:x'>", "https://example.org/news/f"),
    ("<base href>", "https://example.org/news/f"),
  ]) func `the first base holds for the whole page`(base: String, url: String) {
    let link = "<link rel=alternate type=application/rss+xml href=f>"
    #expect(links("<head>" + link + base).map(\.url) == [url])
    #expect(links("<head>" + base + link).map(\.url) == [url])
  }

  @Test(arguments: ["/news.rss", "/index.XML", "/a.atom", "/blog/feed", "/feed/", "/rss?x=1", "/index.rdf#a"])
  func `a link in the text that looks like a feed follows the declared ones`(path: String) {
    let found = links(
      """
      <body><a class=x href="\(path)">Our <b>feed</b></a> <a href="/about">About</a>
      <link rel="alternate" type="application/atom+xml" href="/declared">
      """)
    #expect(found.map(\.isDeclared) == [true, false])
    #expect(found.last?.url == "https://example.org" + path.prefix { $0 != "#" })
    #expect(found.last?.title == "Our")
  }

  @Test func `titles are kept in the order of the page, in one line`() {
    let long = String(repeating: "x", count: 300)
    let found = links(
      """
      <link rel="alternate" type="application/atom+xml" title="B" href="/b">
      <link rel="alternate" type="application/rss+xml" title=" &lt;A&gt;
        \u{FC}ber " href="/a"><link rel="alternate" type="application/rss+xml" title="\(long)" href="/c">
      <link rel="alternate" type="application/rss+xml" title=" " href="/d">
      """)
    #expect(found.map(\.title) == ["B", "<A> \u{FC}ber", String(long.prefix(200)), nil])
    #expect(found.map(\.type).first == "application/atom+xml")
  }

  private static let encodings: [(name: String, contentType: String?, bytes: [UInt8])] = [
    ("windows-1252 by its meta", nil, page(meta: "<meta charset=\"iso-8859-1\">", title: [0xFC])),
    (
      "by its older meta", nil,
      page(meta: "<meta http-equiv=Content-Type content='text/html; charset=windows-1252'>", title: [0xFC])
    ),
    ("by the Content-Type", "text/html; charset=latin1", page(meta: "<meta charset=utf-8>", title: [0xFC])),
    ("UTF-8", nil, page(meta: "<meta name=x><meta charset=utf-8>", title: [0xC3, 0xBC])),
    ("koi8-r", nil, page(meta: "<meta charset=koi8-r>", title: [0xC0])),
    ("an XML declaration", nil, page(meta: "<?xml version='1.0' encoding='windows-1252'?>", title: [0xFC])),
    ("UTF-16", nil, utf16(page(meta: "<meta charset=utf-8>", title: [0xFC]))),
    ("a charset that nobody knows", nil, page(meta: "<meta charset=x-y-z>", title: [0xC3, 0xBC])),
  ]

  private static func page(meta: String, title: [UInt8]) -> [UInt8] {
    Array((meta + "<link rel=alternate type=application/rss+xml href=/f title='").utf8) + title
      + Array("'>".utf8)
  }

  private static func utf16(_ latin: [UInt8]) -> [UInt8] { [0xFF, 0xFE] + latin.flatMap { [$0, 0] } }

  @Test(arguments: encodings)
  func `a page is read in its encoding`(name: String, contentType: String?, bytes: [UInt8]) {
    let source = DocumentSource(url: Self.page, contentType: contentType)
    let title = name == "koi8-r" ? "\u{44E}" : "\u{FC}"
    #expect(FeedLink.all(in: bytes, from: source).map(\.title) == [title])
  }

  @Test func `in a page that is XML an element may end with its start tag`() {
    let html = "<script src='x'/><link rel='alternate' type='application/rss+xml' href='/f'/>"
    #expect(links(html, "application/xhtml+xml").count == 1)
    #expect(links(html, "text/html").isEmpty)
  }

  @Test func `an address stays as written if the page's address is unknown`() {
    let html = "<link rel=alternate type=application/rss+xml href=/f>"
    #expect(FeedLink.all(in: Array(html.utf8), from: DocumentSource()).map(\.url) == ["/f"])
  }

  @Test func `a page is searched up to the limits`() {
    let link = "<link rel=alternate type=application/rss+xml href=/f>"
    let anchors = (0..<80).map { "<a href=/\($0).rss>x</a>" }.joined()
    #expect(links(anchors).count == 50)
    #expect(links(anchors + link).first?.url == "https://example.org/f")
    #expect(links(String(repeating: " ", count: 1 << 20) + link).isEmpty)
    #expect(
      links("<link rel=alternate type=application/rss+xml href=/\(String(repeating: "f", count: 5000))>")
        .isEmpty)
  }

  @Test(arguments: [
    "<", "<!--", "<a ", "<a b='", "</b>", "<i></b>", "<script>", "<title><", "&amp", "<a href=", "<p/",
    "<!-- >", "-->",
  ]) func `repeated input is read in linear time`(piece: String) {
    let html = String(repeating: piece, count: (1 << 18) / piece.utf8.count)
    #expect(links("<script>" + html).isEmpty)
    #expect(links(html).isEmpty)
  }

  private static let pieces = [
    "<", ">", "/", "=", "'", "\"", "!", "--", "<!--", "-->", "<link", "<a", "<base", "<script>", "</script",
    " ", "\n",
    "rel=alternate", "type=application/rss+xml", "href=", "title=", "&#", "&amp;", "x", "//", "..", ":", "?",
    "#", "\0",
    "feed:", "http://", ".rss", "<meta charset=", "utf-16", "\u{E9}",
  ]

  @Test(arguments: UInt64(0)..<50) func `all links of a page are http or https`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      var page: [UInt8] = []
      for _ in 0..<Int.random(in: 0..<60, using: &random) {
        page += Array((Self.pieces.randomElement(using: &random) ?? "").utf8)
        if Int.random(in: 0..<40, using: &random) == 0 {
          page.append(UInt8.random(in: 0...255, using: &random))
        }
      }
      let links = FeedLink.all(in: page, from: DocumentSource(url: Self.page))
      let strange = links.filter {
        !$0.url.lowercased().hasPrefix("http://") && !$0.url.lowercased().hasPrefix("https://")
      }
      #expect(strange == [], "seed \(seed): \(String(decoding: page, as: UTF8.self))")
      #expect(FeedLink.ranked(links, of: Self.page).count <= links.count)
    }
  }
}
