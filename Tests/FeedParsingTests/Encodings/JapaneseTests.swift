import FeedParsing
import Testing

/// The characters that NEC and Microsoft added to the encodings of Japan.
@Suite struct JapaneseTests {
  @Test(
    arguments: [
      ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x2D, 0x21, 0x2D, 0x6A, 0x1B, 0x28, 0x42, 0x61], "①㈱a"),
      ("cp50221", [0x1B, 0x28, 0x49, 0x31, 0x32, 0x1B, 0x28, 0x42, 0x31], "ｱｲ1"),
      ("cp50222", [0x0E, 0x31, 0x0F, 0x31], "ｱ1"), ("iso-2022-jp", [0x1B, 0x28, 0x4A, 0x61], "a"),
      ("csISO2022JP", [0x1B, 0x24, 0x28, 0x44, 0x30, 0x21, 0x1B, 0x28, 0x42], "丂"),
      ("cp51932", [0xAD, 0xA1, 0xC6, 0xFC, 0x8E, 0xB1], "①日ｱ"), ("euc-jp", [0xAD, 0xEA], "㈱"),
      ("shift_jis", [0x87, 0x40, 0xB1], "①ｱ"),
    ] as [(String, [UInt8], String)])
  func `characters beyond the standard are read`(name: String, title: [UInt8], expected: String) throws {
    let feed = try parse(name, title)
    #expect(feed.details.title == expected)
    #expect(!feed.details.isRecovered)
  }

  @Test(
    arguments: [
      ([0x61, 0x1B, 0x24, 0x5A, 0x62], "a$Zb"), ([0x1B, 0x24, 0x42, 0x46, 0x7C, 0x0A, 0x61, 0x62], "日 ab"),
      ([0x1B, 0x24, 0x42, 0x46, 0x1B, 0x28, 0x42, 0x61], "\u{FFFD}a"),
      ([0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x78, 0x61], "日xa"),
    ] as [([UInt8], String)])
  func `the text continues after a wrong or missing escape`(title: [UInt8], expected: String) throws {
    let feed = try parse("iso-2022-jp", title)
    #expect(feed.details.title == expected)
    #expect(feed.details.isRecovered)
  }

  /// Parses a feed with the title. Its item shows that the text after the title was read.
  private func parse(_ name: String, _ title: [UInt8]) throws -> ParsedFeed {
    let bytes =
      Array(#"<?xml version="1.0" encoding="\#(name)"?><rss><channel><title>"#.utf8) + title
      + Array("</title><item><title>N</title></item></channel></rss>".utf8)
    let feed = try ParsedFeed.parse(bytes)
    #expect(feed.items.map(\.title) == ["N"])
    for size in [1, 2, 3, 5] {
      let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
      let other = try ParsedFeed.parse(chunks: chunks)
      #expect(other.details == feed.details)
      #expect(other.items == feed.items)
    }
    return feed
  }
}
