import ArticleDocuments
import HTMLText

/// The line with a story's other feeds, below the article's line.
enum CopiesLine {
  /// Returns the line with its line feed; nil without other feeds.
  ///
  /// - Parameter columns: The terminal's width; nil for an uncut line.
  static func text(_ listed: ListedArticle, columns: Int?) -> String? {
    guard let text = listed.copiesText else { return nil }
    let indent = ArticleLine.indent(columns: columns)
    let shown = columns.map { DisplayWidth.cut(text, to: max(10, $0 - indent.count)) } ?? text
    return indent + shown + "\n"
  }
}
