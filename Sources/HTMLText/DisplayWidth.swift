internal import CGlibc
internal import TextOutput

#if canImport(Glibc)
  internal import Glibc
#endif

/// The width of a text in terminal columns: two for each wide character (UAX #11), zero for combining marks.
///
/// Terminals add up wcwidth(3) for each code point. This includes Indic clusters, and emoji with U+FE0F or a
/// skin tone. Most terminals draw one picture only for emoji joined by U+200D; some draw the other sequences
/// differently.
public enum DisplayWidth {
  /// Returns the width of a text without line ends and tabs, in columns; control characters take no column.
  public static func columns(of text: some StringProtocol) -> Int {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text.utf8.count }
    return withWideCharacters { text.reduce(0) { $0 + columns($1) } }
  }

  /// Returns the longest prefix that fits into `columns`, with an ellipsis if characters were removed.
  public static func cut(_ text: String, to columns: Int) -> String {
    if self.columns(of: text) <= columns { return text }
    guard columns > 0 else { return "" }
    var (kept, width) = ("", 1)
    withWideCharacters {
      for character in text {
        width += self.columns(character)
        if width > columns { return }
        kept.append(character)
      }
    }
    while kept.last == " " { kept.removeLast() }
    return (kept + "…").withPairedIsolates
  }

  /// Returns the beginning and end of a text to fit into `columns`, with an ellipsis for removed characters.
  public static func cutMiddle(of text: String, to columns: Int) -> String {
    if self.columns(of: text) <= columns { return text }
    guard columns > 2 else { return cut(text, to: columns) }
    let end = (columns - 1) / 2
    var (kept, width) = (Substring(), 0)
    withWideCharacters {
      for place in text.indices.reversed() {
        width += self.columns(text[place])
        if width > end { return }
        kept = text[place...]
      }
    }
    return (cut(text, to: columns - self.columns(of: kept)) + kept).withPairedIsolates
  }

  /// Returns a text with trailing spaces up to `columns`; a longer text is returned unchanged.
  public static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - self.columns(of: text)))
  }

  /// Returns the width of one character, in columns. Call it inside ``withWideCharacters(_:)``.
  static func columns(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first, scalars.count > 1 || !first.isASCII else {
      return character.asciiValue.map { (0x20..<0x7F).contains($0) ? 1 : 0 } ?? 0
    }
    var (columns, isJoined) = (0, false)
    for scalar in scalars {
      // An emoji that is joined to the previous one is drawn in the same columns.
      if !(isJoined && scalar.properties.isEmoji) {
        columns += max(0, Int(wcwidth(wchar_t(bitPattern: scalar.value))))
      }
      isJoined = scalar == "\u{200D}"
    }
    return columns
  }

  /// Runs `body` with the C library's Unicode locale, independent of the environment. The result of
  /// wcwidth(3) depends on the thread's locale.
  static func withWideCharacters<Value>(_ body: () -> Value) -> Value {
    guard let unicode = unsafe unicode.value else { return body() }
    let before = unsafe uselocale(unicode)
    defer { unsafe uselocale(before) }
    return body()
  }

  /// A C library locale. It is `Sendable` because it is created once and never changed.
  @unsafe private struct Locale: @unchecked Sendable {
    let value: locale_t? = unsafe newlocale(Int32(LC_CTYPE_MASK), "C.UTF-8", nil)
  }

  private static let unicode = unsafe Locale()
}
