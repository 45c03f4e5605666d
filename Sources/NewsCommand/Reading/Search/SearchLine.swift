import HTMLText
import TextOutput
import TextSearch

/// The line with the text around the hits, below the found article's line.
enum SearchLine {
  /// Returns the line with its line feed; nil without a text.
  ///
  /// - Parameters:
  ///   - columns: The terminal's width; nil for an uncut line.
  ///   - marks: The columns that highlighting adds to a hit.
  ///   - mark: Highlights a hit.
  static func text(
    _ snippet: SearchHighlight?, columns: Int?, marks: Int = 0, mark: (String) -> String
  ) -> String? {
    guard let snippet, snippet.hasHit else { return nil }
    let whole = snippet.parts.map { printable($0.text) }.joined()
    let indent = ArticleLine.indent(columns: columns)
    let taken = indent.count + marks * snippet.parts.count(where: \.isHit)
    let shown = columns.map { DisplayWidth.cut(whole, to: max(10, $0 - taken)) } ?? whole
    return indent + marked(shown, snippet, mark) + "\n"
  }

  /// Returns a text with each hit replaced by the result of `mark`.
  ///
  /// - Parameter shown: The highlight's printable text, which may be cut, or followed by more.
  static func marked(_ shown: String, _ highlight: SearchHighlight, _ mark: (String) -> String) -> String {
    var left = shown
    var result = ""
    for part in highlight.parts {
      let text = printable(part.text)
      // The part that was cut off belongs to the last pieces.
      let isWhole = left.hasPrefix(text)
      let kept = isWhole ? text : left
      left = String(left.dropFirst(kept.count))
      let isHit = part.isHit && (isWhole || kept.contains("…"))
      result += isHit && !kept.isEmpty ? mark(kept) : kept
    }
    return result + left
  }
}
