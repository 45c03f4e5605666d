/// The characters that a JSON string must escape (RFC 8259, section 7), and the characters that are unsafe on
/// a terminal.
public enum JSONEscape {
  /// The replacement for a character.
  enum Escape {
    /// A backslash and a letter.
    case short(UInt8)
    /// `\u` and the code point in four digits.
    case code(UInt32)
    /// U+FFFD, for bytes that are not UTF-8.
    case replacement

    /// The same escape, but with digits for a line end or a tab, as ``printable(_:)`` writes them.
    var withoutLetter: Escape {
      switch self {
      case .short(UInt8(ascii: "n")): .code(0x0A)
      case .short(UInt8(ascii: "t")): .code(0x09)
      case .short(UInt8(ascii: "r")): .code(0x0D)
      default: self
      }
    }
  }

  /// Returns the index of the next byte that is not printable ASCII, or needs an escape.
  public static func next(in text: Span<UInt8>, from start: Int) -> Int {
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

  /// Returns the index of the next character that needs an escape, or of the next byte that is not UTF-8; the
  /// byte count without one.
  ///
  /// - Parameter isJSON: True if the text is JSON already: its quotation marks and backslashes need no
  ///   escape.
  static func nextEscape(in text: Span<UInt8>, from start: Int, isJSON: Bool) -> Int {
    unsafe text.withUnsafeBufferPointer { bytes in
      var index = start
      while true {
        index = next(in: text, from: index)
        // Two-byte and three-byte characters that are never escaped are skipped here, because most letters
        // beyond ASCII are such characters.
        while index < bytes.count {
          let lead = unsafe bytes[index]
          if lead < 0x80 {
            guard isJSON && (lead == UInt8(ascii: "\"") || lead == UInt8(ascii: "\\")) || isPlain(lead) else {
              return index
            }
            index += 1
            // A run of ASCII is scanned in words.
            if isPlain(lead) { break }
          } else if lead >= 0xC3, lead <= 0xDF, lead != 0xD8, index + 1 < bytes.count,
            unsafe bytes[index + 1] & 0xC0 == 0x80
          {
            index += 2
          } else if lead == 0xE1 || lead >= 0xE3 && lead <= 0xEC, index + 2 < bytes.count,
            unsafe bytes[index + 1] & bytes[index + 2] & 0xC0 == 0x80,
            unsafe (bytes[index + 1] | bytes[index + 2]) & 0x40 == 0
          {
            index += 3
          } else {
            let character = character(in: text, at: index)
            if character.escape != nil { return index }
            index += character.length
          }
        }
        if index >= bytes.count { return bytes.count }
      }
    }
  }

  /// Returns whether a byte is printable ASCII that needs no escape.
  @inlinable public static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// Sets the high bit in the lowest byte that is not plain; bits above it are undefined.
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

  /// Returns the character's length at `start` in bytes, and its escape; nil if it needs no escape.
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
    guard lead >= 0xC2, lead <= 0xF4 else { return (1, .replacement) }
    var scalar = UInt32(lead) & (0x7F >> UInt32(length))
    for offset in 1..<length {
      // The next byte may begin a character. One replacement represents all bytes before it, as in a decoded
      // String (Unicode 16, 3.9.6, "maximal subparts").
      guard start + offset < text.count,
        offset == 1
          ? seconds(after: lead).contains(text[start + 1]) : text[start + offset] & 0xC0 == 0x80
      else { return (offset, .replacement) }
      scalar = scalar << 6 | UInt32(text[start + offset] & 0x3F)
    }
    return (length, Unicode.Scalar.isUnsafe(scalar) ? .code(scalar) : nil)
  }

  /// Returns the bytes that may follow a character's first byte (Unicode 16, table 3-7).
  private static func seconds(after lead: UInt8) -> ClosedRange<UInt8> {
    switch lead {
    case 0xE0: 0xA0...0xBF
    case 0xED: 0x80...0x9F
    case 0xF0: 0x90...0xBF
    case 0xF4: 0x80...0x8F
    default: 0x80...0xBF
    }
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
