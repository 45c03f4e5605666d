/// Converts text for the index and from the index.
public enum SearchText {
  /// The maximum size of an indexed text, in bytes; the rest is not indexed.
  public static let largest = 1 << 20

  /// Returns the length of a text's indexed beginning, in bytes. A character that would be cut is left out.
  public static func indexedCount(of text: Span<UInt8>) -> Int {
    var end = min(text.count, largest)
    while end < text.count, end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    return end
  }

  /// Returns a text's words in the form in which they are compared, separated by spaces; see ``FoldedText``.
  public static func folded(_ text: some StringProtocol) -> String {
    var words = WordList()
    words.append(wordsOf: Array(text.utf8).span)
    return words.strings.joined(separator: " ")
  }

  /// Returns a text for display, with each run of white space and control characters replaced by one space.
  public static func collapsed(_ text: String) -> String {
    text.split { $0.isWhitespace || $0.asciiValue.map { $0 < 0x20 } == true }.joined(separator: " ")
  }
}
