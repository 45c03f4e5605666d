/// HTML that is nested deeper than a parser follows, made flat, so that its text can be read.
enum FlatHTML {
  /// Elements without an end, and those whose content is no HTML.
  private static let kept: Set<String> = ["br", "hr", "img", "script", "style"]
  /// Elements that only change how a text looks.
  private static let inline: Set<String> = [
    "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "label",
    "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u",
    "var",
  ]

  /// The same text and links, without the tags of elements that may be inside each other: a paragraph begins where one of them
  /// began or ended that is no part of a line.
  static func text(of html: String) -> String {
    let bytes = Array(html.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    // Behind the last > are no tags, which is not looked for again and again.
    let last = bytes.lastIndex(of: UInt8(ascii: ">")) ?? 0
    var place = 0
    while place < bytes.count {
      guard place < last, bytes[place] == UInt8(ascii: "<"), let tag = tag(in: bytes, at: place) else {
        result.append(bytes[place])
        place += 1
        continue
      }
      if kept.contains(tag.name) {
        result += bytes[place..<tag.end]
      } else if tag.name == "a" {
        // A link ends where the next begins, and with its paragraph.
        result += Array("</a>".utf8) + bytes[place..<tag.end]
      } else if !inline.contains(tag.name) {
        result += Array("</a><p>".utf8)
      }
      place = tag.end
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The tag that begins at a place: its name in lower case and where it ends; nil where none does. Of an attribute with a >
  /// in it some is taken for text.
  private static func tag(in bytes: [UInt8], at start: Int) -> (name: String, end: Int)? {
    var place = start + 1
    if place < bytes.count, bytes[place] == UInt8(ascii: "/") { place += 1 }
    let letters = bytes[place...].prefix { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        || [0x2D, 0x5F, 0x3A].contains(byte)
    }
    guard let first = letters.first, (0x61...0x7A).contains(first | 0x20) else { return nil }
    guard let end = bytes[letters.endIndex...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
    return (String(decoding: letters, as: UTF8.self).lowercased(), end + 1)
  }
}
