extension Unicode.Scalar {
  /// Returns whether a code point is written as an escape in output for programs.
  ///
  /// These are control characters, line and paragraph separators, and format characters that change the
  /// writing direction or are invisible. Lines for people contain some of them unescaped; see ``isShown``.
  public static func isUnsafe(_ codePoint: UInt32) -> Bool {
    switch codePoint {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF,
      0xFFF9...0xFFFB:
      true
    default: false
    }
  }

  /// True if lines for people contain the character unescaped.
  ///
  /// Marks and isolates (Unicode UAX #9, 2.4 and 2.6) belong to Hebrew and Arabic text. They affect nothing
  /// outside a field if its isolates are paired.
  public var isShown: Bool {
    switch value {
    case 0x061C, 0x200E, 0x200F, 0x2066...0x2069: true
    default: !Self.isUnsafe(value)
    }
  }

  /// True for the invisible copies of ASCII, which are shown only in flags such as Scotland's (UTS #51, C.1).
  var isTag: Bool { 0xE0000...0xE007F ~= value }
}

extension Character {
  /// True for a black flag with a region's code in tag letters and digits, and the final tag.
  var isFlagOfTags: Bool {
    guard unicodeScalars.first == "\u{1F3F4}", unicodeScalars.last == "\u{E007F}" else { return false }
    let code = unicodeScalars.dropFirst().dropLast()
    return (3...6).contains(code.prefix(7).count)
      && code.allSatisfy { ("\u{E0030}"..."\u{E0039}" ~= $0) || ("\u{E0061}"..."\u{E007A}" ~= $0) }
  }
}

extension String {
  /// The text with paired isolates: an unmatched end is removed, and an open isolate ends with the text.
  public var withPairedIsolates: String {
    guard utf8.contains(0xE2) else { return self }
    var open = 0
    let kept = unicodeScalars.filter { scalar in
      switch scalar.value {
      case 0x2066...0x2068: open += 1
      case 0x2069 where open == 0: return false
      case 0x2069: open -= 1
      default: break
      }
      return true
    }
    return String(kept) + String(repeating: "\u{2069}", count: open)
  }
}
