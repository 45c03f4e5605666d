import FeedParsing
import Foundation
import Testing

@Suite struct JSONFeedLineTests {
  private func rss(_ count: Int) -> [[UInt8]] {
    let text = String(repeating: "Words & <b>more</b> ", count: 10)
    return [Array("<rss><channel><title>Large</title>".utf8)]
      + (0..<count).map { number in
        Array("<item><guid>\(number)</guid><description><![CDATA[\(text)]]></description></item>".utf8)
      }
  }

  private func object(_ line: [UInt8]) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
  }

  @Test func `the line of a small feed has the feed's members before its items`() throws {
    let line = String(decoding: Fixture.line(chunks: rss(3)), as: UTF8.self)
    #expect(line.hasPrefix(#"{"version":"https://jsonfeed.org/version/1.1","title":"Large","items":[{"#))
    #expect(line.hasSuffix("}}\n"))
  }

  @Test func `the line of a large feed is written while it is parsed`() throws {
    let parser = FeedParser(source: DocumentSource())
    var line = JSONFeedLine()
    var written: [UInt8] = []
    var largest = 0
    for chunk in rss(10_000) {
      try parser.push(chunk)
      line.append(parser.takeItems())
      let bytes = line.takeBytes()
      largest = max(largest, bytes.count)
      written += bytes
    }
    #expect(largest < 1_100_000)
    #expect(written.count > 2_000_000)
    let whole = written + line.finish(try parser.finish())
    #expect(!whole.contains(0x0A))
    let feed = try object(whole)
    #expect(feed["title"] as? String == "Large")
    #expect((feed["items"] as? [[String: Any]])?.map { $0["id"] as? String } == (0..<10_000).map { "\($0)" })
    #expect((feed["_newsimport"] as? [String: Any])?["format"] as? String == "rss2.0")
  }

  @Test(arguments: [3, 10_000])
  func `a feed that cannot be read to its end keeps its items, and reports the cause`(count: Int) throws {
    let deep = Array(String(repeating: "<x>", count: 300).utf8)
    let feed = try object(Fixture.line(chunks: rss(count) + [deep]))
    #expect((feed["items"] as? [Any])?.count == count)
    #expect(feed["title"] as? String == "Large")
    let about = try #require(feed["_newsimport"] as? [String: Any])
    #expect(about["error"] as? String == "over the limit of 256 for depth of elements")
    #expect(about["format"] as? String == "rss2.0")
  }

  @Test func `every character can be read again, and none controls a terminal`() throws {
    let scalars = (0...0x2_0010 as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    let text = String(String.UnicodeScalarView(scalars))
    var json = JSONFeedLine()
    let line = json.finish(FeedDetails(), error: text)
    let about = try #require(try object(line)["_newsimport"] as? [String: Any])
    #expect((about["error"] as? String).map { Array($0.unicodeScalars) } == scalars)
    let steering = String(decoding: line, as: UTF8.self).unicodeScalars.filter { scalar in
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
      default: false
      }
    }
    #expect(steering.isEmpty)
  }

  @Test(
    arguments: [
      [0xFF], [0x80], [0xC0, 0x80], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xE0, 0x80, 0x80], [0xF0, 0x9F, 0x9A],
    ] as [[UInt8]])
  func `bytes that are not UTF-8 become replacement characters`(bytes: [UInt8]) throws {
    let parser = FeedParser(source: DocumentSource())
    try parser.push(Array("<rss><channel><item><title>0123456789ab</title></item></channel></rss>".utf8))
    var batch = parser.takeItems()
    batch.bytes.replaceSubrange(4..<(4 + bytes.count), with: bytes)
    var line = JSONFeedLine()
    line.append(batch)
    let items = try #require(try object(line.finish(try parser.finish()))["items"] as? [[String: Any]])
    // One character for each part that could begin a valid one (Unicode 16, section 3.9.6), as other programs do it.
    let expected = "0123" + String(decoding: bytes, as: UTF8.self)
    let title = try #require(items.first?["title"] as? String)
    #expect(title == expected + "0123456789ab".dropFirst(4 + bytes.count))
  }

  @Test(arguments: [
    ("<description>&lt;b&gt;a&lt;/b&gt;</description>", true), ("<description>a</description>", false),
    ("<description>a &amp;amp; b</description>", true),
  ])
  func `a summary states that it is HTML`(summary: String, isHTML: Bool) throws {
    let document =
      "<rss xmlns:content='http://purl.org/rss/1.0/modules/content/'><channel><item>\(summary)"
      + "<content:encoded>c</content:encoded></item></channel></rss>"
    let parser = FeedParser(source: DocumentSource())
    try parser.push(Array(document.utf8))
    let details = try parser.finish()
    var line = JSONFeedLine()
    line.append(parser.takeItems())
    let text = String(decoding: line.finish(details), as: UTF8.self)
    #expect(text.contains(#""summary":"#))
    #expect(text.contains(#""_newsimport":{"summary_type":"text/html"}"#) == isHTML)
  }
}
