internal import CGlibc

#if canImport(Glibc)
  internal import Glibc
#endif

/// How many columns of a terminal a text takes: two for each wide character (UAX #11), none for combining marks.
///
/// Terminals add up what wcwidth(3) says of each code point, also in clusters of Indic scripts, and of a picture with
/// U+FE0F or a tone of skin; only what U+200D joins is one picture in most of them. Some draw those differently.
public enum DisplayWidth {
  /// The columns of a text without line ends and tabs; controls take none.
  public static func columns(of text: some StringProtocol) -> Int {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text.utf8.count }
    return withWideCharacters { text.reduce(0) { $0 + columns($1) } }
  }

  /// The longest beginning of a text that fits into so many columns, with an ellipsis where something was cut off.
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
    return kept + "…"
  }

  /// A text with spaces behind it to fill so many columns; longer ones stay as they are.
  public static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - self.columns(of: text)))
  }

  /// The columns of one character as people see it, inside ``withWideCharacters(_:)``.
  static func columns(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first, scalars.count > 1 || !first.isASCII else {
      return character.asciiValue.map { (0x20..<0x7F).contains($0) ? 1 : 0 } ?? 0
    }
    var (columns, isJoined) = (0, false)
    for scalar in scalars {
      // A picture that is joined to the one before stands in its place.
      if !(isJoined && scalar.properties.isEmoji) {
        columns += max(0, Int(wcwidth(wchar_t(bitPattern: scalar.value))))
      }
      isJoined = scalar == "\u{200D}"
    }
    return columns
  }

  /// Runs `body` while the C library knows all of Unicode, whatever the environment says: what wcwidth(3) answers
  /// depends on the thread's locale.
  static func withWideCharacters<Value>(_ body: () -> Value) -> Value {
    guard let unicode = unsafe unicode.value else { return body() }
    let before = unsafe uselocale(unicode)
    defer { unsafe uselocale(before) }
    return body()
  }

  /// A locale of the C library; sent around because it is made once and never changed.
  @unsafe private struct Locale: @unchecked Sendable {
    let value: locale_t? = unsafe newlocale(Int32(LC_CTYPE_MASK), "C.UTF-8", nil)
  }

  private static let unicode = unsafe Locale()
}
