import FeedParsing
import Foundation
import Testing

/// Serialized: each test takes long, and in parallel they would delay the tests that wait for a network.
@Suite(.serialized) struct HostileDocumentTests {
  @Test func `an entity that is used too often is refused`() {
    let entity = #"<!DOCTYPE rss [<!ENTITY a "\#(String(repeating: "x", count: 60_000))">]>"#
    let text = "<description>" + String(repeating: "&a;", count: 20_000) + "</description>"
    expectLimit(entity + rss("<item>" + text + "</item>"))
  }

  @Test func `elements nest up to the limit`() {
    let open = String(repeating: "<a>", count: 1000)
    expectLimit("<rss><channel>" + open)
    expectLimit("<rss><channel><title>damaged & deep</title>" + open)
  }

  @Test func `an external entity is never read`() throws {
    let document =
      #"<!DOCTYPE rss [<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "file:///etc/passwd">%p;]>"#
      + rss("<item><guid>1</guid><title>&f;</title></item>")
    let feed = try ParsedFeed.parse(Array(document.utf8))
    #expect(feed.items.first?.title == "&f;")
  }

  @Test func `the entities of a document end with its parser`() async {
    // In a process of its own, because other tests allocate memory at the same time.
    await #expect(processExitsWith: .success) {
      let entity = #"<!DOCTYPE rss [<!ENTITY a "\#(letters(60_000))">]>"#
      let document = Array((entity + "<rss><channel><item><title>x</title></item></channel></rss>").utf8)
      _ = try? ParsedFeed.parse(document)
      let before = try HostileDocumentTests.residentBytes()
      for _ in 0..<1500 { _ = try? ParsedFeed.parse(document) }
      // A leak of each entity would be 180 MB.
      #expect(try HostileDocumentTests.residentBytes() < before + 100_000_000)
    }
  }

  @Test func `parameter entities are not expanded`() throws {
    var subset = #"<!ENTITY % a0 "aaaaaaaaaa">"#
    for level in 1...30 { subset += #"<!ENTITY % a\#(level) "%a\#(level - 1);%a\#(level - 1);">"# }
    let document = "<!DOCTYPE rss [\(subset)%a30;]>" + rss("<item><title>ok</title></item>")
    let feed = try ParsedFeed.parse(Array(document.utf8))
    #expect(feed.items.map(\.title) == ["ok"])
  }

  private static let longTexts: [(field: String, kept: String)] = [
    ("<title>" + letters(101) + "</title>", letters(100)),
    ("<title>" + letters(99) + "é</title>", letters(99)),
    ("<description>" + letters(90) + "&lt;a href='1234567890'&gt;x</description>", letters(90)),
    (
      "<description>" + letters(90) + "&lt;b&gt;&lt;/b&gt;&lt;b&gt;i</description>",
      letters(90) + "<b></b><b>"
    ),
    ("<description>" + letters(90) + "&lt;b&gt;&lt;/b&gt;&lt;br&gt;</description>", letters(90) + "<b></b>"),
  ]

  @Test(arguments: longTexts)
  func `a longer text is cut between characters and outside of tags`(field: String, kept: String) throws {
    var limits = ParserLimits.standard
    limits.fieldBytes = 100
    let document = rss("<item><guid>1</guid>\(field)</item><item><title>next</title></item>")
    let feed = try ParsedFeed.parse(Array(document.utf8), limits: limits)
    #expect(feed.items.first.flatMap { $0.title ?? $0.contentHTML } == kept)
    #expect(feed.items.last?.title == "next")
    #expect(feed.details.shortenedTextCount == 1)
  }

  @Test(arguments: [
    "javascript:alert(1)", " JaVaScript:alert(1)", "java&#10;script:alert(1)", "&#9;vbscript:x",
    "file:///etc/passwd",
    "data:text/html,x",
  ])
  func `an address that would run a script or open a file is left out`(address: String) throws {
    let document = rss(
      """
      <link>\(address)</link><item><title>a</title><link>\(address)</link><enclosure url="\(address)" length="1"/></item>
      <item><title>b</title><guid isPermaLink="true">\(address)</guid><image>\(address)</image></item>
      """)
    let feed = try ParsedFeed.parse(Array(document.utf8))
    #expect(feed.details.homePageURL == nil)
    #expect(feed.items.map(\.title) == ["a", "b"])
    #expect(feed.items.allSatisfy { $0.url == nil && $0.attachments.isEmpty && $0.image == nil })
  }

  @Test func `line ends are not part of an address`() throws {
    let document = rss("<item><link>\n  https://example.org/a\n  b?c\t=d\n</link></item>")
    #expect(try ParsedFeed.parse(Array(document.utf8)).items.first?.url == "https://example.org/a  b?c=d")
  }

  @Test func `open markup is closed where a text is cut`() throws {
    var limits = ParserLimits.standard
    limits.fieldBytes = 100
    let document = """
      <feed xmlns="http://www.w3.org/2005/Atom"><entry><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">\
      <p><b>\(letters(200))</b> more</p><p>again</p></div></content></entry><entry><title>next</title></entry></feed>
      """
    let feed = try ParsedFeed.parse(Array(document.utf8), limits: limits)
    #expect(feed.items.first?.contentHTML == "<p><b>" + letters(94) + "</b></p>")
    #expect(feed.items.last?.title == "next")
  }

  @Test func `a text of exactly the limit is whole`() throws {
    var limits = ParserLimits.standard
    limits.fieldBytes = 100
    let feed = try ParsedFeed.parse(
      Array(rss("<item><title>\(letters(100))</title></item>").utf8), limits: limits)
    #expect(feed.items.first?.title == letters(100))
    #expect(feed.details.shortenedTextCount == 0)
  }

  @Test func `the items before a limit are kept`() throws {
    var limits = ParserLimits.standard
    limits.depth = 10
    let parser = FeedParser(source: DocumentSource(), limits: limits)
    let deep = String(repeating: "<x>", count: 20)
    let document = rss("<item><title>whole</title></item>\(deep)")
    #expect(throws: FeedError.limit(name: "depth of elements", value: 10)) {
      try parser.push(Array(document.utf8))
    }
    let batch = parser.takeItems()
    #expect(batch.items.count == 1)
    #expect(batch.string(batch.items.first?.title) == "whole")
  }

  @Test(arguments: [
    #"<a b="c" "#, "<!-- >", "<? >", "<!a [>", "</zz>", "<![CDATA[ ]]>]]>", #"<a b="'"#, "&a", "<", "]]>",
  ])
  func `repeated input is read in linear time`(piece: String) {
    let document =
      "<rss><channel><title>damaged & long</title><item><description>"
      + String(repeating: piece, count: 1 << 18 / piece.utf8.count)
    _ = try? ParsedFeed.parse(Array(document.utf8))
  }

  /// Each of these documents once took time that grew with the square of its length.
  @Test(arguments: ["&lt;a \"", "&lt;!--", "&lt;b '", "&lt;/p "])
  func `a title of unclosed tags is read in linear time`(piece: String) throws {
    let document = rss("<item><title>" + String(repeating: piece, count: 100_000) + "</title></item>")
    #expect(try ParsedFeed.parse(Array(document.utf8)).items.count == 1)
  }

  @Test(arguments: [
    ("<q>", "</q>"), ("<q a='", "'/>"), ("<!--", "-->"), ("a & b <q>", "</q>"), ("a & b <q a='", "'/>"),
  ])
  func `invalid bytes are read in linear time anywhere`(start: String, end: String) throws {
    let document = rss(
      "<item><guid>1</guid>" + start + String(repeating: "a\u{1}", count: 200_000) + end + "</item>")
    #expect(try ParsedFeed.parse(Array(document.utf8)).items.count == 1)
  }

  @Test(arguments: [1, 10, 999, 100_000])
  func `a reference with a very long name is damage, in any chunks`(size: Int) throws {
    let second = "<?xml <channel><item><title>b</title></item></channel>"
    let bytes = Array((rss("<item><title>&\(letters(2000));</title></item>") + "\n" + second).utf8)
    let chunks = stride(from: 0, to: bytes.count, by: size).map {
      Array(bytes[$0..<min($0 + size, bytes.count)])
    }
    let feed = try ParsedFeed.parse(chunks: chunks)
    #expect(feed.details.isRecovered)
    #expect(feed.items.count == 2)
  }

  /// A limit that is exceeded inside an author: its texts are dropped with the item.
  @Test(arguments: ["", "</author>", "</entry>", "</author></entry><entry><title>x</title></entry>"])
  func `open elements are dropped when a limit is exceeded`(rest: String) {
    var limits = ParserLimits()
    limits.itemBytes = 20
    let document =
      "<feed><title>t</title><entry><author<name>W</name<url>\(letters(40))</url><uri>x</uri>\(rest)"
    let author =
      "<feed><entry><id>\(letters(19))</id><author><name>W</name><url>\(letters(40))</url><uri>x</uri>\(rest)"
    for text in [document, author] {
      #expect(throws: FeedError.limit(name: "bytes of an item", value: 20)) {
        try ParsedFeed.parse(Array(text.utf8), limits: limits)
      }
    }
  }

  @Test func `a very long name is cut between two characters`() throws {
    let name = "a" + String(repeating: "é", count: 2000)
    let document =
      "<feed xmlns='http://www.w3.org/2005/Atom'><title>& </title><entry><content type='xhtml'><\(name)>x"
    let feed = try ParsedFeed.parse(Array((document + "</\(name)></content></entry></feed>").utf8))
    #expect(feed.items.first?.contentHTML?.contains("\u{FFFD}") == false)
  }

  @Test func `end tags and CDATA inside an element with a very long name are read in linear time`() throws {
    let pieces = String(repeating: "</x><![CDATA[<]]>", count: 50_000)
    let document = rss("a & b <item><guid>1</guid><\(letters(500_000))>\(pieces)</item>")
    #expect(try ParsedFeed.parse(Array(document.utf8)).items.count == 1)
  }

  @Test func `a very long base is ignored`() throws {
    let base = "http://example.com/" + String(repeating: "a/", count: 100_000)
    let links = String(repeating: #"&lt;a href="x">"#, count: 10_000)
    let document = """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="\(base)"><title>t</title>
      <entry><content type="html">\(links)</content></entry></feed>
      """
    let feed = try ParsedFeed.parse(Array(document.utf8))
    #expect((feed.items.first?.contentHTML?.utf8.count ?? 0) < 1 << 20)
  }

  @Test func `many attributes are refused`() {
    let attributes = (0..<200_000).map { "a\($0)=\"1\"" }.joined(separator: " ")
    expectLimit("<rss><channel><item><link \(attributes)/></item></channel></rss>")
  }

  @Test func `a long id is replaced by a hash of it`() throws {
    let document = rss("<item><guid>\(letters(2000))</guid></item><item><guid>\(letters(2001))</guid></item>")
    let ids = try ParsedFeed.parse(Array(document.utf8)).items.compactMap(\.id)
    #expect(ids.count == 2)
    #expect(ids.allSatisfy { $0.utf8.count < 50 })
    #expect(Set(ids).count == 2)
  }

  @Test func `an item of many long texts is an error`() throws {
    let texts = (0..<65).map { "<category>\($0)\(letters((1 << 20) - 16))</category>" }.joined()
    expectLimit(rss("<item>\(texts)<guid isPermaLink='true'>1</guid></item>"))
  }

  @Test func `a feed of many items is parsed in little memory`() throws {
    let parser = FeedParser(source: DocumentSource())
    try parser.push(Array("<rss><channel><title>Long</title>".utf8))
    var count = 0
    var largest = 0
    for number in 0..<20_000 {
      try parser.push(Array("<item><guid>\(number)</guid><description>Text of it</description></item>".utf8))
      largest = max(largest, parser.pendingByteCount)
      if parser.pendingByteCount > 10_000 { count += parser.takeItems().items.count }
    }
    try parser.push(Array("</channel></rss>".utf8))
    _ = try parser.finish()
    #expect(count + parser.takeItems().items.count == 20_000)
    #expect(largest < 11_000)
  }

  @Test func `the memory of a parser includes what may be read again`() throws {
    let parser = FeedParser(source: DocumentSource())
    try parser.push(Array("<rss><channel><item><description>".utf8))
    for _ in 0..<64 { try parser.push(Array(letters(64 << 10).utf8)) }
    #expect(parser.pendingByteCount <= 2 << 20)
    #expect(parser.memory > 4 << 20)
    try parser.push(Array("</description></item>".utf8))
    _ = parser.takeItems()
    try parser.push(Array("<item><title>next</title></item>".utf8))
    #expect(parser.memory < 8 << 20)
  }

  /// Returns the memory of the process (the second field of Linux's statm, in pages).
  private static func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(fields[1])) * sysconf(Int32(_SC_PAGESIZE))
  }

  private func expectLimit(_ document: String, sourceLocation: SourceLocation = #_sourceLocation) {
    do {
      _ = try ParsedFeed.parse(Array(document.utf8))
      Issue.record("parsed", sourceLocation: sourceLocation)
    } catch {
      guard case .limit = error else {
        Issue.record(error, sourceLocation: sourceLocation)
        return
      }
    }
  }

  private func rss(_ content: String) -> String {
    "<rss version=\"2.0\"><channel><title>t</title>\(content)</channel></rss>"
  }

}

private func letters(_ count: Int) -> String { String(repeating: "x", count: count) }
