/// Conversions of text for the index and from the index.
enum SearchText {
  /// The maximum size of an indexed text, in bytes; the rest is not indexed.
  static let largest = 1 << 20

  /// Inserts a separator between characters of scripts that are written without spaces between words. Each such
  /// character becomes a word, and several of them are found as a phrase. The scripts are Han, Hiragana, Katakana, and
  /// those of Thailand, Laos, Burma and Cambodia.
  static func spaced(_ text: some StringProtocol) -> String {
    // All characters of these scripts have at least three bytes, and the first byte is 0xE0 or more.
    guard text.utf8.contains(where: { $0 >= 0xE0 }), text.unicodeScalars.contains(where: isSingleWord) else {
      return String(text)
    }
    var result = ""
    result.reserveCapacity(text.utf8.count * 2)
    var isAlone = false
    for scalar in text.unicodeScalars {
      let alone = isSingleWord(scalar)
      if (alone || isAlone) && !result.isEmpty { result.unicodeScalars.append(separator) }
      result.unicodeScalars.append(scalar)
      isAlone = alone
    }
    return result
  }

  /// Returns a text for the index: limited in size, without hit marks, and with separated words.
  static func indexed(_ text: String) -> String {
    var text = text
    if text.utf8.count > largest { text = String(decoding: text.utf8.prefix(largest), as: UTF8.self) }
    if text.utf8.contains(where: { $0 < 0x09 }) {
      text = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x09 ? " " : $0 }))
    }
    return spaced(text)
  }

  /// Returns a text for display, with each run of white space replaced by one space.
  static func collapsed(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Removes the separators again.
  static func joined(_ text: String) -> String {
    guard text.unicodeScalars.contains(separator) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != separator }))
  }

  /// ZERO WIDTH SPACE: invisible, and not part of a word for the index.
  private static let separator: Unicode.Scalar = "\u{200B}"

  private static func isSingleWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3041...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F,
      0x20000...0x3FFFF:
      true
    // Vowel signs and tone marks are excluded, because they belong to the preceding letters.
    case 0x0E01...0x0E30, 0x0E32...0x0E33, 0x0E40...0x0E46, 0x0E81...0x0EB0, 0x0EB2...0x0EB3, 0x0EC0...0x0EC6,
      0x1000...0x102A, 0x1780...0x17B3:
      true
    default: false
    }
  }
}
