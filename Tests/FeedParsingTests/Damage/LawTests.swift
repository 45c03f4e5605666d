import Foundation
import ParserLaws
import TestSupport
import Testing

/// The laws that the fuzzer checks, on the fixtures and a few mutations of each.
@Suite(.serialized) struct LawTests {
  @Test(arguments: Fixture.all, [Law.xml, .encodings, .opml])
  func `a law of documents holds for a fixture and its mutations`(fixture: Fixture, law: Law) throws {
    var bytes = Array(try fixture.bytes.prefix(8192))
    if law == .encodings { bytes.insert(contentsOf: "text/xml; charset=utf-8\n".utf8, at: 0) }
    for seed in 0..<4 as Range<UInt64> { _ = try law.check(bytes.mutated(seed: seed)) }
  }

  @Test(arguments: Fixture.goldens)
  func `the law of JSON Feeds holds for our output and its mutations`(fixture: Fixture) throws {
    let bytes = Array(try fixture.bytes.prefix(8192))
    for seed in 0..<4 as Range<UInt64> { _ = try Law.json.check(bytes.mutated(seed: seed)) }
  }

  @Test(arguments: [
    (Law.dates, "Wed, 03 Feb 2010 17:23:16 +0000"), (.dates, "2003-12-31T10:14:55.1234-08:00"),
    (.dates, "2004년 05월 28일  01:31:15"), (.dates, "mer., 12 août 2026 08:00:00 +0200"),
    (.html, #"<a href="x">a</a> <img srcset="a 1x, b 2x"> &lt; &#146; <!-- x --> <br> 1 < 2"#),
    (.html, #"<p title='a>b' data=x>Tom &amp; Jerry</p>"#),
  ])
  func `a law of texts holds for a text and its mutations`(law: Law, text: String) throws {
    for seed in 0..<200 as Range<UInt64> { _ = try law.check(Array(text.utf8).mutated(seed: seed)) }
  }

  /// Tags that nest, repeat and never end, in every order.
  private static let pieces = [
    "<item>", "</item>", "<entry>", "</entry>", "<source>", "</source>", "<rss>", "</rss>", "<channel>",
    "</channel>",
    "<feed xmlns='http://www.w3.org/2005/Atom'>", "</feed>", "<title>", "</title>", "<link>l</link>", "<p>",
    "&x;", "&y;",
    "<!--", "-->", "<![CDATA[", "]]>", "<content type='multipart/alternative'>", "<content>", "</content>",
    "&lt;b&gt;",
    "a", "<id>1</id>", "<updated>2020-01-01</updated>", "<a b='", "'", "</p>", "<image>", "<author>", "<div>",
    longText, "<![CDATA[" + longText,
  ]

  /// Text that looks like the end of a section, longer than the text that is left to libxml2.
  private static let longText = String(repeating: "t]]u]>", count: 30)

  private static let entities =
    #"<!DOCTYPE rss [<!ENTITY x "<item><title>e</title>&y;</item>"><!ENTITY y "<b>&x;</b>">]>"#

  @Test(arguments: seeds(200 as UInt64))
  func `the law of documents holds for tags in any order`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var document = Bool.random(using: &random) ? Self.entities : ""
    document +=
      Bool.random(using: &random) ? "<rss><channel>" : "<feed xmlns='http://www.w3.org/2005/Atom'>"
    for _ in 0..<Int.random(in: 1...60, using: &random) {
      document += Self.pieces.randomElement(using: &random) ?? ""
    }
    _ = try Law.xml.check(Array(document.utf8))
  }

  @Test func `there are inputs that once broke a law`() {
    #expect(Found.all.count >= 5)
  }

  @Test(arguments: Found.all)
  func `inputs that once broke a law keep it now`(found: Found) throws {
    _ = try found.law.check(Array(try Data(contentsOf: found.url)))
  }
}

/// An input that the fuzzer found.
struct Found: CustomTestStringConvertible {
  let law: Law
  let url: URL

  var testDescription: String { "\(law) \(url.lastPathComponent)" }

  private static let folder = Repository.folder.appending(path: "Tools/Fuzz/Found")

  /// All inputs under Fuzz/Found, which has a folder for each law.
  static let all: [Found] = Law.allCases.flatMap { law in
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder.appending(path: law.rawValue), includingPropertiesForKeys: nil)
    return (files ?? []).map { Found(law: law, url: $0) }
  }
}
