public import Foundation
public import ManagedContext

/// An article as a row of the store. Its texts are read in place; it becomes a managed object only if one is needed.
///
/// Like managed objects, it may only be used on its context's queue.
public struct ArticleRow {
  private let rows: ArticleRows
  private let row: Int

  init(_ rows: ArticleRows, _ row: Int) {
    (self.rows, self.row) = (rows, row)
  }

  /// The ID of the article.
  public var id: ManagedObjectID { rows.batch.id(row: row) }
  /// See ``Article/feed``.
  public var feed: ManagedObjectID { self[Article.Key.feed] }
  /// See ``Article/guid``.
  public var guid: String { self[Article.Key.guid] }
  /// See ``Article/story``.
  public var story: Int64? { self[Article.Key.story] }
  /// See ``Article/timelineDate``.
  public var timelineDate: Date { self[Article.Key.timelineDate] }

  /// The article as an object, which is released with the rows that were read together.
  public var article: Article { rows.article(row) }

  /// The value of an attribute.
  package subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value {
    guard let column = rows.columns.column(of: key.index) else { return article[key] }
    return Value(attributeValue: rows.batch.value(row: row, column: column, model: rows.context.model))
      ?? Value.placeholder
  }

  /// Calls `body` with the UTF-8 of a text, which the store has not checked; nil without a text.
  package func withUTF8<Text, Value>(of key: AttributeKey<Text>, _ body: (Span<UInt8>?) -> Value) -> Value {
    if let column = rows.columns.column(of: key.index) {
      return rows.batch.withText(row: row, column: column, body)
    }
    guard var text = article[key] as? String else { return body(nil) }
    return text.withUTF8 { body($0.span) }
  }
}

/// The attributes that are read of articles in lists.
public enum ArticleColumns: Sendable {
  case all
  /// All except ``Article/contentHTML``, which is most of an article and has pages of the file of its own.
  case withoutContent
  /// Only the feed and the guid.
  case identity

  /// The indexes of the attributes.
  var indexes: [Int] {
    switch self {
    case .all: Article.Key.columns
    case .withoutContent: Article.Key.columns.filter { $0 != Article.Key.contentHTML.index }
    case .identity: [Article.Key.feed.index, Article.Key.guid.index]
    }
  }

  /// Returns the column of an attribute; nil if it was not read.
  func column(of attribute: Int) -> Int? {
    let content = Article.Key.contentHTML.index
    switch self {
    case .all: return attribute
    case .withoutContent where attribute < content: return attribute
    case .withoutContent: return attribute == content ? nil : attribute - 1
    case .identity where attribute == Article.Key.feed.index: return 0
    case .identity: return attribute == Article.Key.guid.index ? 1 : nil
    }
  }
}

/// Articles that were read together.
final class ArticleRows {
  let batch: RowBatch
  let columns: ArticleColumns
  /// The context of the objects, which are released with the rows.
  let context: ManagedObjectContext

  /// - Parameters:
  ///   - batch: Rows with the columns.
  ///   - columns: The attributes that were read.
  ///   - context: A context that has no other objects.
  init(_ batch: RowBatch, _ columns: ArticleColumns, _ context: ManagedObjectContext) {
    (self.batch, self.columns, self.context) = (batch, columns, context)
  }

  /// Returns the rows of IDs in their order, without those that do not exist.
  func inOrder(of ids: [ManagedObjectID]) -> [ArticleRow] {
    let found = batch.ids
    // The store returns them by number, which is often the order already.
    guard found != ids else { return found.indices.map { ArticleRow(self, $0) } }
    let places = Dictionary(uniqueKeysWithValues: found.enumerated().map { ($0.element, $0.offset) })
    return ids.compactMap { places[$0].map { ArticleRow(self, $0) } }
  }

  /// Returns an article as an object. It is read again if not all of its attributes were read.
  func article(_ row: Int) -> Article {
    let article =
      columns == .all
      ? context.object(Article.self, of: batch, row: row)
      : context.object(Article.self, with: batch.id(row: row))
    guard let article else {
      preconditionFailure("The rows are those of articles.")
    }
    return article
  }
}
