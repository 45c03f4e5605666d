/// Where a text ends that is longer than it may be.
enum TextEnd {
  /// At most `limit` bytes, between characters, and in HTML outside of tags.
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
