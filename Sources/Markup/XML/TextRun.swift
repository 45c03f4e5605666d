/// Character data between tags that can be read without libxml2: up to the next tag, the end of the piece, or possible
/// damage (XML 1.0, section 2.4).
struct TextRun: Equatable {
  /// The offset of its end.
  var end: Int
  /// True if it continues in the next piece.
  var isOpen: Bool

  init(in bytes: Span<UInt8>, from start: Int) {
    let tag = bytes.firstIndex(of: UInt8(ascii: "<"), from: start)
    end = tag ?? bytes.count
    isOpen = tag == nil
    var from = start
    // `]]>` is not allowed here; a bracket at the end of a piece may be its first.
    while let bracket = bytes.extracting(..<end).firstIndex(of: UInt8(ascii: "]"), from: from) {
      from = bracket + 1
      if from == end ? isOpen : bytes[from] == UInt8(ascii: "]") {
        end = bracket
        isOpen = false
      }
    }
  }
}

/// A reference with the same meaning in every document: to a character by its number, or to one of XML's five entities
/// (XML 1.0, sections 4.1 and 4.6).
struct PlainReference: Equatable {
  /// The character.
  var scalar: UInt32
  /// The offset after the reference.
  var end: Int

  init(_ scalar: UInt32, end: Int) {
    (self.scalar, self.end) = (scalar, end)
  }

  /// Reads the reference at `start`, which is at `&`; nil for all others, and for numbers that are not characters of a
  /// text.
  init?(in bytes: Span<UInt8>, at start: Int) {
    let name = start + 1
    guard name < bytes.count else { return nil }
    switch bytes[name] {
    case UInt8(ascii: "l") where bytes.hasPrefix("lt;", at: name): self.init(0x3C, end: name + 3)
    case UInt8(ascii: "g") where bytes.hasPrefix("gt;", at: name): self.init(0x3E, end: name + 3)
    case UInt8(ascii: "a") where bytes.hasPrefix("amp;", at: name): self.init(0x26, end: name + 4)
    case UInt8(ascii: "a") where bytes.hasPrefix("apos;", at: name): self.init(0x27, end: name + 5)
    case UInt8(ascii: "q") where bytes.hasPrefix("quot;", at: name): self.init(0x22, end: name + 5)
    case UInt8(ascii: "#"): self.init(numberIn: bytes, at: name + 1)
    default: return nil
    }
  }

  private init?(numberIn bytes: Span<UInt8>, at start: Int) {
    guard start < bytes.count else { return nil }
    let isHexadecimal = bytes[start] == UInt8(ascii: "x")
    let first = isHexadecimal ? start + 1 : start
    guard let number = bytes.characterCode(from: first, radix: isHexadecimal ? 16 : 10, digits: 8),
      number.end < bytes.count, bytes[number.end] == UInt8(ascii: ";")
    else { return nil }
    switch number.value {
    // libxml2 judges the others: controls, halves of UTF-16, noncharacters.
    case 0x09, 0x0A, 0x20...0x7E, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF:
      self.init(number.value, end: number.end + 1)
    default: return nil
    }
  }
}
