import HTMLText
import SQLiteStore

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
    var parts = snippet.parts.map { (text: printable($0.text), isHit: $0.isHit) }
    if let columns {
      let room = max(leastRoom, columns - indent.count)
      let whole = parts.map(\.text).joined()
      var left = DisplayWidth.cut(whole, to: room)
      // What was cut off the whole is cut off its last parts.
      parts = parts.map { part in
        let kept = left.hasPrefix(part.text) ? part.text : left
        left = String(left.dropFirst(kept.count))
        return (kept, part.isHit)
      }
    }
    return indent + parts.filter { !$0.text.isEmpty }.map { $0.isHit ? mark($0.text) : $0.text }.joined()
      + "\n"
  }
}
