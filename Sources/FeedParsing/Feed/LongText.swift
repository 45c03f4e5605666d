import TextOutput

/// The replacement for an item id that is too long.
enum LongID {
  /// Returns a 128-bit hash for the id, as text.
  static func hash(of id: Span<UInt8>) -> [UInt8] {
    var (first, second) = (FNV1a(), FNV1a(start: 0x9E37_79B9_7F4A_7C15))
    for position in id.indices {
      first.add(id[position])
      second.add(id[position])
    }
    return Array("hash:\(first.digits)\(second.digits)".utf8)
  }
}

/// The end of a text that is too long.
enum TextEnd {
  /// Returns the end of the longest part within `limit` bytes. It ends between characters, and in HTML
  /// outside tags.
  static func cut(_ text: Span<UInt8>, at limit: Int, isHTML: Bool) -> Int {
    guard text.count > limit else { return text.count }
    var end = limit
    while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    guard isHTML else { return end }
    var open = end
    while open > 0, text[open - 1] != UInt8(ascii: "<"), text[open - 1] != UInt8(ascii: ">") { open -= 1 }
    return open > 0 && text[open - 1] == UInt8(ascii: "<") ? open - 1 : end
  }
}
