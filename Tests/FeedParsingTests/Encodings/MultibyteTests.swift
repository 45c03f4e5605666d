import FeedParsing
import Testing

/// Encodings whose characters have several bytes, and encodings whose letters are held back for a mark.
struct MultibyteTests {
  private func title(_ name: String, _ title: [UInt8]) throws -> String? {
    let start = #"<?xml version="1.0" encoding="\#(name)"?><rss><channel><title>"#
    let bytes = Array(start.utf8) + title + Array("</title></channel></rss>".utf8)
    let titles = try [1, 2, 3, bytes.count].map { size in
      try ParsedFeed.parse(
        chunks: stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
      ).details.title
    }
    #expect(Set(titles).count == 1)
    return titles.first ?? nil
  }

  @Test(arguments: ["big5", "csBig5", "x-x-big5", "cn-big5", "cp950", "big5-hkscs", "windows-950"])
  func `Big5 has the characters of Hong Kong`(name: String) throws {
    #expect(try title(name, [0xA7, 0x41, 0x87, 0x40, 0x88, 0x62, 0xA6, 0x6E]) == "你䏰Ê̄好")
  }

  @Test(
    arguments: [
      ("big5", [0x81, 0x81], [0xA7, 0x41], "你"), ("euc-jp", [0xA9, 0xA1], [0xC6, 0xFC], "日"),
      ("euc-kr", [0xC9, 0xA1], [0xB0, 0xA1], "가"), ("shift_jis", [0xFC, 0xFC], [0x93, 0xFA], "日"),
      ("gbk", [0x81, 0xFF], [0xC4, 0xE3], "你"), ("euc-jp", [0x8F, 0xA1, 0xA1], [0xC6, 0xFC], "日"),
    ] as [(String, [UInt8], [UInt8], String)])
  func `a pair without a character becomes one sign, and the next one is read`(
    name: String, pair: [UInt8], next: [UInt8], character: String
  ) throws {
    let text = next + next + next + pair + next + [0x41] + pair + next
    let three = String(repeating: character, count: 3)
    #expect(try title(name, text) == "\(three)\u{FFFD}\(character)A\u{FFFD}\(character)")
  }

  @Test(arguments: ["big5", "euc-jp", "euc-kr", "shift_jis", "gbk"])
  func `ASCII after half a pair is kept`(name: String) throws {
    let lead: UInt8 = name == "shift_jis" ? 0x93 : 0xB0
    #expect(try title(name, [0x61, lead, 0x3D, 0x62, lead]) == "a\u{FFFD}=b\u{FFFD}")
  }

  @Test(arguments: ["windows-1258", "cp1258", "x-cp1258"])
  func `Vietnamese letters and their marks are put together`(name: String) throws {
    #expect(try title(name, [0x56, 0x69, 0xEA, 0xF2, 0x74, 0x20, 0x4E, 0x61, 0x6D]) == "Việt Nam")
  }
}
