/// The characters that a JSON string contains only as escapes (RFC 8259, section 7), and those that are unsafe on a terminal.
package enum JSONEscape {
  /// The replacement of a character.
  enum Escape {
    /// A backslash and a letter.
    case short(UInt8)
    /// `\u` and the code point in four digits.
    case code(UInt32)
    /// U+FFFD, for bytes that are not UTF-8.
    case replacement
  }

  /// The index of the next byte that is not printable ASCII, or needs an escape.
  package static func next(in text: Span<UInt8>, from start: Int) -> Int {
    unsafe text.withUnsafeBytes { bytes in
      var index = start
      while bytes.count - index >= 16 {
        let words = unsafe bytes.loadUnaligned(fromByteOffset: index, as: (UInt64, UInt64).self)
        let (first, second) = (marks(words.0), marks(words.1))
        if first != 0 { return index + Int(first.trailingZeroBitCount) / 8 }
        if second != 0 { return index + 8 + Int(second.trailingZeroBitCount) / 8 }
        index += 16
      }
      while index < bytes.count, unsafe isPlain(bytes[index]) { index += 1 }
      return index
    }
  }

  /// Returns whether a byte is printable ASCII that needs no escape.
  @inlinable package static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// Sets the high bit of the lowest byte that is not plain; bits above it are undefined.
  @inline(__always)
  private static func marks(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let word = word.littleEndian
    let (quotes, slashes, deletes) = (word ^ (ones &* 0x22), word ^ (ones &* 0x5C), word ^ (ones &* 0x7F))
    let controls = (word &- (ones &* 0x20)) & ~word
    let others =
      ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes) | ((deletes &- ones) & ~deletes)
    return (word | controls | others) & (ones &* 0x80)
  }

  /// The length in bytes of the character at `start`, and its escape; nil if it needs none.
  static func character(in text: Span<UInt8>, at start: Int) -> (length: Int, escape: Escape?) {
    let lead = text[start]
    switch lead {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): return (1, .short(lead))
    case 0x0A: return (1, .short(UInt8(ascii: "n")))
    case 0x09: return (1, .short(UInt8(ascii: "t")))
    case 0x0D: return (1, .short(UInt8(ascii: "r")))
    case 0..<0x80: return (1, isPlain(lead) ? nil : .code(UInt32(lead)))
    default: break
    }
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    guard lead >= 0xC2, lead <= 0xF4, start + length <= text.count else { return (1, .replacement) }
    var scalar = UInt32(lead) & (0x7F >> UInt32(length))
    for index in (start + 1)..<(start + length) {
      guard text[index] & 0xC0 == 0x80 else { return (1, .replacement) }
      scalar = scalar << 6 | UInt32(text[index] & 0x3F)
    }
    guard let valid = Unicode.Scalar(scalar), UTF8.width(valid) == length else { return (1, .replacement) }
    return (length, Unicode.Scalar.isUnsafe(scalar) ? .code(scalar) : nil)
  }

  static func append(_ escape: Escape, to bytes: inout [UInt8]) {
    switch escape {
    case .short(let letter):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(letter)
    case .code(let scalar):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(UInt8(ascii: "u"))
      for shift in stride(from: UInt32(12), through: 0, by: -4) {
        let digit = UInt8(truncatingIfNeeded: scalar >> shift & 0xF)
        bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
      }
    case .replacement: bytes.append(contentsOf: [0xEF, 0xBF, 0xBD])
    }
  }
}
