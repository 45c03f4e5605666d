extension Unicode.Scalar {
  /// Returns whether a code point is written as an escape wherever text from outside is printed: control characters, line and
  /// paragraph separators, and format characters that change the direction of writing or hide themselves.
  package static func isUnsafe(_ codePoint: UInt32) -> Bool {
    switch codePoint {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF,
      0xFFF9...0xFFFB:
      true
    default: false
    }
  }
}
