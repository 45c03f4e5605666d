internal import Markup

/// Decodes Base64, which Atom 0.3 content may use.
enum Base64 {
  /// Returns the decoded bytes; nil if the text is not Base64.
  static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count / 4 * 3)
    var bits: UInt32 = 0
    var count = 0
    for index in 0..<text.count {
      let byte = text[index]
      if byte <= 0x20 || byte == UInt8(ascii: "=") { continue }
      guard let value = value(of: byte) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 1
      if count == 4 {
        result.append(UInt8(truncatingIfNeeded: bits >> 16))
        result.append(UInt8(truncatingIfNeeded: bits >> 8))
        result.append(UInt8(truncatingIfNeeded: bits))
        count = 0
        bits = 0
      }
    }
    if count >= 2 { result.append(UInt8(truncatingIfNeeded: bits >> (count == 2 ? 4 : 10))) }
    if count == 3 { result.append(UInt8(truncatingIfNeeded: bits >> 2)) }
    return count == 1 ? nil : result
  }

  private static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case 0x41...0x5A: byte - 0x41
    case 0x61...0x7A: byte - 0x61 + 26
    case 0x30...0x39: byte - 0x30 + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
