/// The length that one U+FFFD replaces in an encoding of pairs, so that decoding stays in step (WHATWG Encoding,
/// sections 10 to 13): the whole pair, except for a second byte that is ASCII, which may be markup.
enum PairRule {
  case big5, koreanOrChinese, shiftJIS, japanese

  /// Creates the rule of the encoding `name`; nil for encodings without pairs.
  init?(of name: String) {
    switch name {
    case "big5", "big5-hkscs": self = .big5
    case "cp949", "euc-kr", "gb18030", "gbk": self = .koreanOrChinese
    case "cp932", "shift_jis": self = .shiftJIS
    case "euc-jp": self = .japanese
    default: return nil
    }
  }

  /// Returns the length of the invalid bytes at the beginning of `bytes`; nil if more bytes are needed.
  func length(of bytes: UnsafeRawBufferPointer) -> Int? {
    guard let lead = unsafe bytes.first, isLead(lead) else { return 1 }
    let longest = self == .japanese && lead == 0x8F ? 3 : 2
    for index in 1..<longest {
      guard index < bytes.count else { return nil }
      let byte = unsafe bytes[index]
      if byte < 0x80 { return index }
      if longest == 3, index == 1, !(0xA1...0xFE).contains(byte) { return 2 }
    }
    return longest
  }

  private func isLead(_ byte: UInt8) -> Bool {
    switch self {
    case .big5, .koreanOrChinese: (0x81...0xFE).contains(byte)
    case .shiftJIS: (0x81...0x9F).contains(byte) || (0xE0...0xFC).contains(byte)
    case .japanese: byte == 0x8E || byte == 0x8F || (0xA1...0xFE).contains(byte)
    }
  }
}
