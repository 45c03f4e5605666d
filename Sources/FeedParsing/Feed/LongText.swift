/// The replacement for an item id that is too long.
enum LongID {
  /// Returns a 128-bit hash for the id, as text.
  static func hash(of id: Span<UInt8>) -> [UInt8] {
    var hashes: [UInt64] = [0xCBF2_9CE4_8422_2325, 0x9E37_79B9_7F4A_7C15]
    for position in 0..<id.count {
      for index in 0..<2 { hashes[index] = (hashes[index] ^ UInt64(id[position])) &* 0x100_0000_01B3 }
    }
    var text = Array("hash:".utf8)
    for hash in hashes {
      let digits = String(hash, radix: 16)
      text.append(contentsOf: (String(repeating: "0", count: 16 - digits.count) + digits).utf8)
    }
    return text
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
