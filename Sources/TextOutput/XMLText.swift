/// Text for an XML 1.0 document.
public enum XMLText {
  /// Escapes markup and characters that are unsafe on a terminal. Replaces characters that no document may
  /// contain (XML 1.0, 2.2) with U+FFFD.
  ///
  /// - Parameter keepsLines: True to keep tabs and line feeds, as in elements. In attributes, a reader would
  ///   replace them with spaces.
  public static func escaped(_ text: String, keepsLines: Bool = false) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 16)
    append(escaping: text, keepsLines: keepsLines, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends text as ``escaped(_:keepsLines:)`` returns it.
  public static func append(escaping text: String, keepsLines: Bool = false, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { unsafe append(escaping: $0.span, keepsLines: keepsLines, to: &bytes) }
  }

  /// Appends UTF-8 as ``escaped(_:keepsLines:)`` returns it; invalid bytes become U+FFFD.
  public static func append(escaping text: Span<UInt8>, keepsLines: Bool = false, to bytes: inout [UInt8]) {
    unsafe text.withUnsafeBufferPointer { source in
      let isPlain = isPlain
      var start = 0
      var index = 0
      func flush(to end: Int) {
        if start < end { unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[start..<end])) }
      }
      while index < source.count {
        let byte = unsafe source[index]
        if byte < 0x80 {
          if isPlain[Int(byte)] || keepsLines && (byte == 0x0A || byte == 0x09) {
            index += 1
            continue
          }
          flush(to: index)
          append(escapeOf: byte, to: &bytes)
          index += 1
          start = index
          continue
        }
        let character = JSONEscape.character(in: text, at: index)
        let end = index + character.length
        if let escape = character.escape {
          flush(to: index)
          switch escape {
          case .code(let scalar): append(reference: scalar, to: &bytes)
          case .short, .replacement: bytes.append(contentsOf: replacement)
          }
          start = end
        } else if byte == 0xEF, unsafe source[index + 1] == 0xBF, unsafe source[index + 2] >= 0xBE {
          // U+FFFE and U+FFFF.
          flush(to: index)
          bytes.append(contentsOf: replacement)
          start = end
        }
        index = end
      }
      flush(to: source.count)
    }
  }

  private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

  /// For each ASCII code, true if the character stays unchanged.
  private static let isPlain: [Bool] = (0..<0x80).map { byte in
    byte >= 0x20 && byte != 0x7F && !#"&<>""#.utf8.contains(UInt8(byte))
  }

  private static func append(escapeOf byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
    case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
    case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
    case UInt8(ascii: "\""): bytes.append(contentsOf: "&quot;".utf8)
    case 0x09, 0x0A, 0x0D, 0x7F: append(reference: UInt32(byte), to: &bytes)
    default: bytes.append(contentsOf: replacement)
    }
  }

  private static func append(reference scalar: UInt32, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "&#\(scalar);".utf8)
  }
}
