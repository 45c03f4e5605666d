import HTMLText
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// The line with a story's other feeds, below the article's line.
enum CopiesLine {
  /// Returns the line with its line feed; nil without other feeds.
  ///
  /// - Parameter columns: The terminal's width; nil for an uncut line.
  static func text(_ feeds: [Feed], columns: Int?) -> String? {
    guard let text = text(feeds) else { return nil }
    let indent = ArticleLine.indent(columns: columns)
    let shown = columns.map { DisplayWidth.cut(text, to: max(10, $0 - indent.count)) } ?? text
    return indent + shown + "\n"
  }

  /// Returns the other feeds as text; nil without any.
  static func text(_ feeds: [Feed]) -> String? {
    let names = feeds.map { printable($0.shownTitle ?? $0.url.withoutPassword) }
    return names.isEmpty ? nil : "also in: \(names.joined(separator: ", "))"
  }
}
