import HTMLText
import NewsModel

/// The first words of a text, which stand for a missing title.
enum FirstWords {
  /// The usual width in columns of a terminal.
  static let width = 60
  /// The number of bytes of HTML that are read first: mostly, the first words are in them.
  private static let enough = 4096

  /// Returns the first words of HTML; nil without text.
  static func text(ofHTML html: String, width: Int = width) -> String? {
    let start = html.utf8.count > enough ? String(decoding: html.utf8.prefix(enough), as: UTF8.self) : html
    return text(of: HTMLWords.text(of: start), width: width)
      ?? (html.utf8.count > enough ? text(of: HTMLWords.text(of: html), width: width) : nil)
  }

  /// Returns whole words of a text up to a width, with "…" if more follow; nil without words. A first word that is wider is
  /// cut.
  static func text(of text: String, width: Int = width) -> String? {
    var line = ""
    for word in text.split(whereSeparator: \.isWhitespace) {
      let longer = line.isEmpty ? String(word) : "\(line) \(word)"
      // One column is left for the sign of more words.
      guard DisplayWidth.columns(of: longer) < width else {
        return line.isEmpty ? DisplayWidth.cut(longer, to: width) : line + "…"
      }
      line = longer
    }
    return line.isEmpty ? nil : line
  }
}

extension Article {
  /// The title in lists: the publisher's, or else the first words of the article, or else its address.
  var listTitle: String {
    if let title, title.contains(where: { !$0.isWhitespace }) { return title }
    for text in [summary, contentHTML] {
      if let words = text.flatMap({ FirstWords.text(ofHTML: $0) }) { return words }
    }
    return url ?? "(no title)"
  }
}
