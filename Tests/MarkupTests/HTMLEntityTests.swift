import Testing
import Markup

struct HTMLEntityTests {
  @Test(arguments: [
    ("&amp;x", "&", 5), ("&eacute;", "é", 8), ("&#233;", "é", 6), ("&#xE9;", "é", 6),
    ("&#146;", "\u{2019}", 6),
    ("&#233 x", "é", 5), ("&#0;", "\u{FFFD}", 4), ("&#xD800;", "\u{FFFD}", 8),
    ("&#99999999999;", "\u{FFFD}", 14),
  ])
  func `a reference that HTML knows is decoded`(text: String, expected: String, end: Int) {
    let found = HTMLEntity.decode(Array(text.utf8).span, at: 0)
    #expect(found.scalar == expected.unicodeScalars.first?.value)
    #expect(found.end == end)
  }

  @Test(arguments: ["&", "& b", "&;", "&#;", "&#x;", "&copy=2", "&doesnotexist;", "&#"])
  func `text that is not a reference is kept`(text: String) {
    let found = HTMLEntity.decode(Array(text.utf8).span, at: 0)
    #expect(found.scalar == nil)
    #expect(found.end == 0)
  }
}
