import HTMLText
package import ManagedContext
package import NewsModel
package import TextSearch

/// The contents of the articles' full-text index.
package enum ArticleSearch {
  /// The columns, each with a hit's weight.
  package static let columns: [(name: String, weight: Double)] = [
    ("title", 6), ("body", 1), ("author", 3), ("tag", 3),
  ]

  /// The names that a query may have before a colon.
  package static let names = [
    "title": "title", "text": "body", "author": "author", "authors": "author", "tag": "tag", "tags": "tag",
  ]

  package static let source = SearchSource(
    entity: NewsModel.Place.article, group: Article.schema.feed.name, date: Article.schema.timelineDate.name,
    attributes: [
      Article.schema.title.name, Article.schema.summary.name, Article.schema.contentHTML.name,
      Article.schema.authors.name,
      Article.schema.tags.name,
    ], columns: columns, version: 6, texts: ArticleTexts())

  /// Words that cannot be searched for.
  package struct InvalidWords: Error {
    package let cause: String
  }

  /// Reads search words, as the user writes them.
  package static func expression(_ words: String) throws(InvalidWords) -> SearchExpression {
    do throws(SearchExpression.Mistake) {
      return try SearchExpression(words, columns: names)
    } catch {
      throw InvalidWords(
        cause: error.cause + (error.hasNoText ? "" : "; put text with such signs into \"quotation marks\""))
    }
  }

  /// Returns an article's texts, in column order.
  package static func texts(of article: some EntityValues<Article>) -> [String] {
    texts(
      title: article.title, summary: article.summary, content: article.contentHTML, authors: article.authors,
      tags: article.tags)
  }

  /// Returns the texts that ``source`` appends, for a few articles.
  static func texts(
    title: String?, summary: String?, content: String?, authors: String?, tags: String?
  ) -> [String] {
    func withUTF8(_ text: String?, _ body: (Span<UInt8>?) -> Void) {
      guard var text else { return body(nil) }
      text.withUTF8 { body($0.span) }
    }
    func words(_ json: String?) -> String {
      var words: [UInt8] = []
      withUTF8(json) { json in
        if let json { appendWords(ofJSON: json, to: &words) }
      }
      return String(decoding: words, as: UTF8.self)
    }
    var body: [UInt8] = []
    withUTF8(summary) { summary in withUTF8(content) { content in appendBody(summary, content, to: &body) } }
    return [title ?? "", String(decoding: body, as: UTF8.self), words(authors), words(tags)]
  }

  /// Appends the words in the summary and the content.
  fileprivate static func appendBody(
    _ summary: Span<UInt8>?, _ content: Span<UInt8>?, to bytes: inout [UInt8]
  ) {
    let start = bytes.count
    if let summary { HTMLWords.append(wordsOf: summary, to: &bytes) }
    guard let content else { return }
    let middle = bytes.count
    HTMLWords.append(wordsOf: content, to: &bytes)
    guard summary != nil else { return }
    // Many feeds have their text in both fields, or its beginning in the summary.
    if begins(bytes[middle...], with: bytes[start..<middle]) {
      bytes.removeSubrange(start..<middle)
    } else {
      bytes.insert(UInt8(ascii: "\n"), at: middle)
    }
  }

  /// Returns true if a text begins with another, regardless of line breaks.
  private static func begins(_ text: ArraySlice<UInt8>, with other: ArraySlice<UInt8>) -> Bool {
    var place = text.startIndex
    for byte in other where byte > 0x20 {
      while place < text.endIndex, text[place] <= 0x20 { place += 1 }
      guard place < text.endIndex, text[place] == byte else { return false }
      place += 1
    }
    return true
  }

  /// Appends the texts in a JSON array of texts or objects, without page addresses, each on a line.
  fileprivate static func appendWords(ofJSON json: Span<UInt8>, to bytes: inout [UInt8]) {
    let lines = StoredList.elements(json).map { element in
      switch element {
      case .text(let text): text
      case .object(let object):
        ["name", "email"].compactMap { object[$0]?.text }.joined(separator: " ")
      case .other: ""
      }
    }
    for (place, line) in lines.enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: "\n")) }
      bytes += line.utf8
    }
  }
}

/// An article's texts for the index.
private struct ArticleTexts: SearchedTexts {
  func append(_ row: borrowing some TextRow & ~Copyable, from first: Int, to texts: inout SearchTexts) {
    row.withText(first) { title in
      if let title { title.append(to: &texts.bytes) }
    }
    texts.endColumn()
    row.withText(first + 1) { summary in
      row.withText(first + 2) { content in ArticleSearch.appendBody(summary, content, to: &texts.bytes) }
    }
    texts.endColumn()
    for column in [first + 3, first + 4] {
      row.withText(column) { json in
        if let json { ArticleSearch.appendWords(ofJSON: json, to: &texts.bytes) }
      }
      texts.endColumn()
    }
  }
}

extension Span<UInt8> {
  fileprivate func append(to bytes: inout [UInt8]) {
    withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }
}
