/// Flattens HTML that is nested too deeply for the parser, so that its text can be read.
enum FlatHTML {
  /// Elements without an end tag, and elements that contain other languages than HTML.
  private static let kept = Set(names: "br hr img script style")
  /// Elements that only change the appearance of text.
  private static let inline = Set(
    names: """
      abbr acronym b bdi bdo big cite code del dfn em font i ins kbd label mark nobr q s samp small span strike strong
      sub sup time tt u var
      """)

  /// Returns the same text and links without the tags of elements that can be nested. Each tag of a block element is
  /// replaced by the start of a paragraph.
  static func text(of html: String) -> String {
    let bytes = Array(html.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    // No tag ends after the last ">". Checking this once avoids a search to the end of the text at each "<".
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
        // A link ends at the next link, or with its paragraph.
        result += Array("</a>".utf8) + bytes[place..<tag.end]
      } else if !inline.contains(tag.name) {
        result += Array("</a><p>".utf8)
      }
      place = tag.end
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the tag that begins at `start`: its name in lower case, and the index after it; nil if no tag begins
  /// there. The tag ends at the first ">", so the rest of an attribute that contains a ">" is taken for text.
  private static func tag(in bytes: [UInt8], at start: Int) -> (name: String, end: Int)? {
    var place = start + 1
    if place < bytes.count, bytes[place] == UInt8(ascii: "/") { place += 1 }
    let letters = bytes[place...].prefix { byte in
      byte.isASCIIAlphanumeric || [0x2D, 0x5F, 0x3A].contains(byte)
    }
    guard letters.first?.isASCIILetter == true else { return nil }
    guard let end = bytes[letters.endIndex...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
    return (String(decoding: letters, as: UTF8.self).lowercased(), end + 1)
  }
}
