/// Finds escapes of NUL in the texts of a TOML document.
///
/// The parser hands over C strings, which end at a NUL: the rest of the text would be lost without an error.
struct TOMLEscapes {
  private enum Place {
    case outside, comment
    /// Inside a text.
    case text(mark: UInt8, isLong: Bool)
  }

  /// Returns the line of the first escape of NUL and the escape itself; nil without one.
  static func firstNUL(in text: String) -> (line: Int, escape: String)? {
    let bytes = Array(text.utf8)
    var (index, line, place) = (0, 1, Place.outside)
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n") { line += 1 }
      var length = 1
      switch place {
      case .comment: if byte == UInt8(ascii: "\n") { place = .outside }
      case .outside:
        if byte == UInt8(ascii: "#") { place = .comment }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
          let isLong = run(of: byte, in: bytes, at: index) >= 3
          length = isLong ? 3 : 1
          place = .text(mark: byte, isLong: isLong)
        }
      case .text(let mark, let isLong):
        let count = byte == mark ? run(of: mark, in: bytes, at: index) : 0
        if isLong, count >= 3 {
          // Up to two quotation marks may come before the end of the text.
          length = min(count, 5)
          place = .outside
        } else if !isLong, count > 0 || byte == UInt8(ascii: "\n") {
          // The parser reports a text that does not end in its line.
          place = .outside
        } else if mark == UInt8(ascii: "\""), byte == UInt8(ascii: "\\") {
          if let escape = nul(in: bytes, at: index + 1) { return (line, "\\" + escape) }
          let isAtEnd = index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n")
          length = isAtEnd ? 1 : 2
        }
      }
      index += length
    }
    return nil
  }

  /// Returns the number of equal bytes in a row.
  private static func run(of byte: UInt8, in bytes: [UInt8], at start: Int) -> Int {
    bytes[start...].prefix { $0 == byte }.count
  }

  /// Returns the escape of NUL after a backslash; nil if another one is there.
  private static func nul(in bytes: [UInt8], at start: Int) -> String? {
    ["u0000", "U00000000", "x00"].first { bytes[start...].starts(with: $0.utf8) }
  }
}
