/// Converts ISO-2022-JP (RFC 1468) to EUC-JP, including later additions.
///
/// The additions are the NEC characters, half-width katakana and JIS X 0212 (code pages 50220 to 50222, RFC
/// 2237). The C library's converter stops at them. A line end or an unknown escape switches back to ASCII.
struct JapaneseEscapes {
  private enum Characters {
    case ascii, katakana, kanji, supplement
  }

  /// The longest escape is `ESC $ ( D`.
  private static let longestEscape = 4
  /// A byte that EUC-JP does not have.
  private static let noCharacter: UInt8 = 0xFF

  private var characters = Characters.ascii
  /// True if an escape was unknown or missing, or if half a character was alone.
  private(set) var hasRepaired = false

  /// Appends the bytes as EUC-JP; returns how many bytes were used.
  mutating func append(_ bytes: Span<UInt8>, isLast: Bool, to result: inout [UInt8]) -> Int {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case 0x1B:
        if !isLast, bytes.count - index < Self.longestEscape { return index }
        index += takeEscape(bytes, at: index)
        continue
      case 0x0E: characters = .katakana
      case 0x0F: characters = .ascii
      case 0x0A, 0x0D:
        if characters != .ascii { hasRepaired = true }
        characters = .ascii
        result.append(byte)
      case 0x21...0x7E where characters == .kanji || characters == .supplement:
        if !isLast, index + 1 == bytes.count { return index }
        index += appendPair(bytes, at: index, to: &result)
        continue
      case 0x21...0x5F where characters == .katakana: result.append(contentsOf: [0x8E, byte | 0x80])
      default: result.append(byte)
      }
      index += 1
    }
    return bytes.count
  }

  /// Appends a two-byte character; returns how many bytes were used.
  private mutating func appendPair(_ bytes: Span<UInt8>, at index: Int, to result: inout [UInt8]) -> Int {
    guard index + 1 < bytes.count, (0x21...0x7E).contains(bytes[index + 1]) else {
      hasRepaired = true
      result.append(Self.noCharacter)
      return 1
    }
    if characters == .supplement { result.append(0x8F) }
    result.append(contentsOf: [bytes[index] | 0x80, bytes[index + 1] | 0x80])
    return 2
  }

  /// Reads the escape at `index`; returns its length. Only the first byte of an unknown escape is skipped.
  private mutating func takeEscape(_ bytes: Span<UInt8>, at index: Int) -> Int {
    for (escape, characters) in Self.escapes where bytes.hasPrefix(escape, at: index + 1) {
      self.characters = characters
      return 1 + escape.utf8CodeUnitCount
    }
    characters = .ascii
    hasRepaired = true
    return 1
  }

  private static let escapes: [(StaticString, Characters)] = [
    ("(B", .ascii), ("(J", .ascii), ("(H", .ascii), ("(I", .katakana), ("$B", .kanji), ("$@", .kanji),
    ("$(D", .supplement), ("$(B", .kanji), ("$(@", .kanji), ("&@", .ascii),
  ]
}
