/// Ends the ISO-2022 escapes (RFC 1468, 1557) that a document leaves open.
///
/// After such an escape, ASCII bytes are halves of other characters, and all further tags would be lost. The
/// bytes of an end tag cannot occur by chance, so they are read as an end tag.
struct EscapeGuard {
  private enum Shift {
    case none
    /// After an escape sequence, which `ESC ( B` ends.
    case escape
    /// After a shift out, which a shift in ends.
    case out
  }

  private enum Match {
    case yes, no
    /// The result depends on the next bytes.
    case cut
  }

  /// The length of the shortest end tag name; a shorter one may be text.
  private static let shortestName = 4
  private static let longestName = 32
  /// The maximum white space between `]]>` and the end tag, in bytes.
  private static let longestSpace = 16

  private var shift = Shift.none
  /// True if an escape was ended.
  private(set) var hasRepaired = false

  /// Returns whether an encoding has such escapes.
  static func isNeeded(for encoding: String) -> Bool { encoding.contains("2022") }

  /// Appends the bytes and any missing escape ends; returns how many bytes were used.
  mutating func append(
    _ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, to result: inout [UInt8]
  ) -> Int {
    for index in 0..<bytes.count {
      let byte = unsafe bytes[index]
      switch byte {
      case 0x1B:
        if !isLast, bytes.count - index < 3 { return index }
        takeEscape(
          unsafe index + 1 < bytes.count ? bytes[index + 1] : 0,
          unsafe index + 2 < bytes.count ? bytes[index + 2] : 0)
      case 0x0E: shift = .out
      case 0x0F, 0x0A: if shift == .out { shift = .none }
      case UInt8(ascii: "<"), UInt8(ascii: "]"):
        guard shift != .none else { break }
        switch unsafe Self.endTag(bytes, at: index) {
        case .no: break
        case .cut: if !isLast { return index }
        case .yes:
          result.append(contentsOf: shift == .out ? [0x0F] : [0x1B, UInt8(ascii: "("), UInt8(ascii: "B")])
          shift = .none
          hasRepaired = true
        }
      default: break
      }
      result.append(byte)
    }
    return bytes.count
  }

  private mutating func takeEscape(_ first: UInt8, _ second: UInt8) {
    switch (first, second) {
    case (UInt8(ascii: "("), UInt8(ascii: "B")), (UInt8(ascii: "("), UInt8(ascii: "J")): shift = .none
    case (UInt8(ascii: "("), _): shift = .escape
    // Character sets that are assigned to G1 and above apply only after a shift.
    case (UInt8(ascii: "$"), UInt8(ascii: ")")), (UInt8(ascii: "$"), UInt8(ascii: "*")),
      (UInt8(ascii: "$"), UInt8(ascii: "+")):
      break
    case (UInt8(ascii: "$"), _): shift = .escape
    default: break
    }
  }

  /// Returns whether an end tag, or a CDATA section's end before one, is at `start`.
  private static func endTag(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Match {
    var index = start
    if unsafe bytes[start] == UInt8(ascii: "]") {
      for expected in "]]>".utf8 {
        guard index < bytes.count else { return .cut }
        guard unsafe bytes[index] == expected else { return .no }
        index += 1
      }
      let end = min(bytes.count, index + longestSpace)
      while unsafe index < end && bytes[index].isXMLSpace { index += 1 }
    }
    for expected in "</".utf8 {
      guard index < bytes.count else { return .cut }
      guard unsafe bytes[index] == expected else { return .no }
      index += 1
    }
    let name = index
    while index < bytes.count, index - name <= longestName {
      let byte = unsafe bytes[index]
      if byte == UInt8(ascii: ">") { return index - name >= shortestName ? .yes : .no }
      guard byte &- 0x61 < 26 || byte == UInt8(ascii: ":") else { return .no }
      index += 1
    }
    return index - name > longestName ? .no : .cut
  }
}
