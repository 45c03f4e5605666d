import Foundation
package import ManagedContext
package import NewsModel
import TextOutput
package import TextSearch
import WebAddress

/// An article in a command's output.
package struct ListedArticle: EntityValues {
  package typealias Object = Article

  /// The article's ID.
  package var id: ManagedObjectID { row.id }
  /// The number that commands use for the article.
  package let number: ArticleNumber
  /// Nil if the feed no longer exists.
  package let feed: Feed?
  /// The search hits in the article; nil without a search.
  package let hits: SearchHighlights?
  /// The user's marks.
  package let marks: Set<ArticleMark>
  /// The other feeds that have a copy.
  package let otherFeeds: [Feed]
  let regions: FeedRegions
  /// The version with the shown values; nil for the current one.
  package var version: ListedVersion?
  private let row: StoredRow<Article>

  package init(
    _ row: StoredRow<Article>, number: ArticleNumber, _ feed: Feed?, in regions: FeedRegions,
    marks: Set<ArticleMark> = [], otherFeeds: [Feed] = [], hits: SearchHighlights? = nil
  ) {
    (self.row, self.number, self.feed, self.regions) = (row, number, feed, regions)
    (self.marks, self.otherFeeds, self.hits) = (marks, otherFeeds, hits)
  }

  /// The article's language, else its feed's; nil if neither states one.
  var language: String? { self[Article.schema.language] ?? feed?.language }

  /// The other feeds with a copy as text; nil without any.
  package var copiesText: String? {
    let names = otherFeeds.map { printable($0.shownTitle ?? $0.url.withoutPassword) }
    return names.isEmpty ? nil : "also in: \(names.joined(separator: ", "))"
  }

  /// An attribute's value.
  package subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value {
    if let value = version?.values[key.index] { return Value(attributeValue: value) ?? Value.placeholder }
    return row[key]
  }

  /// Returns the stored form of an attribute's value.
  func storedValue<Value>(of key: AttributeKey<Value>) -> AttributeValue {
    version?.values[key.index] ?? row.value(at: key.index)
  }

  /// Calls `body` with a text as unchecked UTF-8; nil without a text.
  func withUTF8<Text: TextAttribute, Result>(
    of key: AttributeKey<Text>, _ body: (Span<UInt8>?) -> Result
  ) -> Result {
    guard version != nil else { return row.withUTF8(of: key, body) }
    guard case .text(var text) = self[key].attributeValue else { return body(nil) }
    return text.withUTF8 { body($0.span) }
  }
}
