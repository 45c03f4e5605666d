import Foundation
package import ManagedContext
package import NewsModel
package import TextSearch

/// An article in a command's output.
package struct ListedArticle {
  /// The article as an object. A row creates a new object for each access.
  package var article: Article {
    switch content {
    case .object(let article): article
    case .row(let row): row.article
    }
  }
  /// The article's ID.
  package var id: ManagedObjectID {
    switch content {
    case .object(let article): article.id
    case .row(let row): row.id
    }
  }
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
  private let content: Content

  package enum Content {
    case object(Article)
    case row(ArticleRow)
  }

  package init(
    _ content: Content, number: ArticleNumber, _ feed: Feed?, in regions: FeedRegions,
    marks: Set<ArticleMark> = [], otherFeeds: [Feed] = [], hits: SearchHighlights? = nil
  ) {
    (self.content, self.number, self.feed, self.regions) = (content, number, feed, regions)
    (self.marks, self.otherFeeds, self.hits) = (marks, otherFeeds, hits)
  }

  /// The date that orders lists; see ``Article/listDate(at:)``.
  func listDate(at now: Date) -> Date {
    Article.listDate(self[Article.schema.timelineDate], imported: self[Article.schema.imported], at: now)
  }

  /// The article's language, else its feed's; nil if neither states one.
  var language: String? { self[Article.schema.language] ?? feed?.language }

  /// An attribute's value.
  package subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value {
    if let value = version?.values[key.index] { return Value(attributeValue: value) ?? Value.placeholder }
    return switch content {
    case .object(let article): article[key]
    case .row(let row): row[key]
    }
  }

  /// Returns the stored form of an attribute's value; nil if it must be read as a value.
  func cell<Value>(of key: AttributeKey<Value>) -> RowBatch.Cell? {
    if version == nil, case .row(let row) = content { row.cell(of: key) } else { nil }
  }

  /// Calls `body` with a text as unchecked UTF-8; nil without a text. A row's text is read in place.
  func withUTF8<Text: TextAttribute, Result>(
    of key: AttributeKey<Text>, _ body: (Span<UInt8>?) -> Result
  ) -> Result {
    if version == nil, case .row(let row) = content { return row.withUTF8(of: key, body) }
    guard case .text(var text) = self[key].attributeValue else { return body(nil) }
    return text.withUTF8 { body($0.span) }
  }
}
