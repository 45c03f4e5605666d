/// The code page windows-1252, which browsers use for iso-8859-1: Latin-1 with letters and signs instead of
/// C1 controls.
public enum WindowsCodePage {
  /// Returns the character for a windows-1252 byte; for its five undefined bytes the control with that
  /// number.
  public static func scalar(for byte: UInt8) -> UInt32 {
    byte &- 0x80 < 0x20 ? UInt32(high[Int(byte &- 0x80)]) : UInt32(byte)
  }

  /// Appends windows-1252 text as UTF-8.
  static func append(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
    var index = 0
    while index < text.count {
      let start = index
      while index < text.count, text[index] < 0x80 { index += 1 }
      if index > start { bytes.append(text.extracting(start..<index)) }
      guard index < text.count else { return }
      bytes.appendUTF8(scalar(for: text[index]))
      index += 1
    }
  }

  /// Replaces the C1 controls in UTF-8 from `start` on with windows-1252 characters.
  static func replaceControls(in bytes: inout [UInt8], from start: Int) {
    var index = start
    while let found = bytes.span.firstIndex(of: 0xC2, from: index) {
      index = found + 1
      guard index < bytes.count, bytes[index] < 0xA0 else { continue }
      var character: [UInt8] = []
      character.appendUTF8(scalar(for: bytes[index]))
      bytes.replaceSubrange(found...index, with: character)
      index = found + character.count
    }
  }

  private static let high: [UInt16] = [
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152,
    0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122,
    0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
  ]
}
