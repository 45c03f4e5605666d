import HTMLText
package import ManagedContext
package import NewsModel

/// A text's first words, which replace a missing title.
package enum FirstWords {
  /// A terminal's usual width in columns.
  static let width = 60
  /// The bytes of HTML that are read first: mostly, the first words are in them.
  private static let enough = 4096

  /// Returns HTML's first words; nil without text.
  static func text(ofHTML html: String, width: Int = width) -> String? {
    guard html.utf8.count > enough else { return text(of: HTMLWords.text(of: html), width: width) }
    let beginning = HTMLWords.text(of: String(decoding: html.utf8.prefix(enough), as: UTF8.self))
    // The beginning's last word may be cut. Words that do not fill the width go on after it.
    let whole = beginning[..<(beginning.lastIndex(where: \.isWhitespace) ?? beginning.startIndex)]
    let start = words(of: whole, width)
    return start.isFull ? start.line : text(of: HTMLWords.text(of: html), width: width)
  }

  /// Returns a text's whole words up to a width, with "…" if more follow; nil without words. A wider first
  /// word is cut.
  static func text(of text: String, width: Int = width) -> String? {
    let line = words(of: text, width).line
    return line.isEmpty ? nil : line
  }

  /// Returns whole words from a text, and whether more words follow that do not fit into the line.
  private static func words(of text: some StringProtocol, _ width: Int) -> (line: String, isFull: Bool) {
    var line = ""
    for word in text.split(whereSeparator: \.isWhitespace) {
      let longer = line.isEmpty ? String(word) : "\(line) \(word)"
      // One column is left for the sign that more words follow.
      guard DisplayWidth.columns(of: longer) < width else {
        return (line.isEmpty ? DisplayWidth.cut(longer, to: width) : line + "…", true)
      }
      line = longer
    }
    return (line, false)
  }
}

extension FirstWords {
  /// Returns an article's title in lists and on its page: the publisher's, or its first words, or its
  /// address.
  package static func title(of article: some EntityValues<Article>) -> String {
    if let title = article.title, title.contains(where: { !$0.isWhitespace }) { return title }
    for attribute in [Article.schema.summary, Article.schema.contentHTML] {
      if let words = article[attribute].flatMap({ text(ofHTML: $0) }) { return words }
    }
    return article.url ?? "(no title)"
  }
}

extension EntityValues where Object == Article {
  /// The title in lists; see ``FirstWords/title(of:)``.
  package var listTitle: String { FirstWords.title(of: self) }
}
