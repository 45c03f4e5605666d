/// How much one U+FFFD stands for in an encoding of pairs, so that reading stays in step (WHATWG Encoding, sections 10 to
/// 13): the whole pair, but for a second byte that is ASCII, which may be markup.
enum PairRule {
  case big5, koreanOrChinese, shiftJIS, japanese

  /// Nil for other encodings, `name` being that by which we decode.
  init?(of name: String) {
    switch name {
    case "big5", "big5-hkscs": self = .big5
    case "cp949", "euc-kr", "gb18030", "gbk": self = .koreanOrChinese
    case "cp932", "shift_jis": self = .shiftJIS
    case "euc-jp": self = .japanese
    default: return nil
    }
  }

  /// The length of what is no text at the beginning of `bytes`; nil where more of them must be seen.
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
