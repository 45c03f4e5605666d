import HTMLText
import SQLiteStore
import TextOutput

/// The line with the text around the hits, below the line of an article that was found.
enum SearchLine {
  private static let indent = String(repeating: " ", count: 20)
  private static let leastRoom = 30

  /// The line, with its line feed; nil where there is no text to show.
  ///
  /// - Parameters:
  ///   - columns: The width of the terminal; nil cuts nothing off.
  ///   - mark: How a hit stands out.
  static func text(_ snippet: SearchHighlight?, columns: Int?, mark: (String) -> String) -> String? {
    guard let snippet, snippet.hasHit else { return nil }
    let whole = snippet.parts.map { printable($0.text) }.joined()
    let shown = columns.map { DisplayWidth.cut(whole, to: max(leastRoom, $0 - indent.count)) } ?? whole
    return indent + marked(shown, snippet, mark) + "\n"
  }

  /// A text with its hits as `mark` returns them.
  ///
  /// - Parameter shown: The printable text of a highlight, cut off or with more behind it.
  static func marked(_ shown: String, _ highlight: SearchHighlight, _ mark: (String) -> String) -> String {
    var left = shown
    var result = ""
    for part in highlight.parts {
      let text = printable(part.text)
      // What was cut off the whole is cut off its last parts.
      let isWhole = left.hasPrefix(text)
      let kept = isWhole ? text : left
      left = String(left.dropFirst(kept.count))
      let isHit = part.isHit && (isWhole || kept.contains("…"))
      result += isHit && !kept.isEmpty ? mark(kept) : kept
    }
    return result + left
  }
}
