import Foundation
import HTMLText
import ManagedContext
package import NewsModel
package import SQLiteStore

/// The contents of the full-text index of articles.
package enum ArticleSearch {
  /// The columns, each with the weight of a hit.
  package static let columns: [(name: String, weight: Double)] = [
    ("title", 6), ("body", 1), ("author", 3), ("tag", 3),
  ]

  /// The names that a query may have before a colon.
  package static let names = [
    "title": "title", "text": "body", "author": "author", "authors": "author", "tag": "tag", "tags": "tag",
  ]

  package static let source = SearchSource(
    entity: NewsModel.Place.article, group: Article.Key.feed.name, date: Article.Key.timelineDate.name,
    attributes: [
      Article.Key.title.name, Article.Key.summary.name, Article.Key.contentHTML.name,
      Article.Key.authors.name,
      Article.Key.tags.name,
    ], columns: columns, version: 2,
    texts: { texts(title: $0[0], summary: $0[1], content: $0[2], authors: $0[3], tags: $0[4]) })

  /// Returns the texts of an article, in the order of the columns.
  package static func texts(of article: Article) -> [String] {
    texts(
      title: article.title, summary: article.summary, content: article.contentHTML, authors: article.authors,
      tags: article.tags)
  }

  private static func texts(
    title: String?, summary: String?, content: String?, authors: String?, tags: String?
  ) -> [String] {
    var bodies = [summary, content].compactMap { $0.map(HTMLWords.text) }
    // Many feeds have their text in both fields, or its beginning in the summary.
    if bodies.count == 2, begins(bodies[1], with: bodies[0]) { bodies.removeFirst() }
    return [title ?? "", bodies.joined(separator: "\n"), words(ofJSON: authors), words(ofJSON: tags)]
  }

  /// Returns true if a text begins with another, regardless of line breaks.
  private static func begins(_ text: String, with other: String) -> Bool {
    text.utf8.lazy.filter { $0 > 0x20 }.starts(with: other.utf8.lazy.filter { $0 > 0x20 })
  }

  /// Returns the texts in a JSON array of texts or objects, without addresses of pages.
  private static func words(ofJSON json: String?) -> String {
    guard let json, let array = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [Any] else {
      return ""
    }
    return array.compactMap { element in
      if let text = element as? String { return text }
      let object = element as? [String: Any] ?? [:]
      return [object["name"], object["email"]].compactMap { $0 as? String }.joined(separator: " ")
    }.joined(separator: "\n")
  }
}
