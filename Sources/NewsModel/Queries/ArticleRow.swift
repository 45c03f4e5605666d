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
    Value(attributeValue: rows.batch.value(row: row, column: key.index, model: rows.context.model))
      ?? Value.placeholder
  }

  /// The value of an attribute with an index, as the store has it.
  func value(ofAttribute index: Int) -> AttributeValue {
    rows.batch.value(row: row, column: index, model: rows.context.model)
  }

  /// Calls `body` with the UTF-8 of a text, which the store has not checked; nil without a text.
  package func withUTF8<Text, Value>(of key: AttributeKey<Text>, _ body: (Span<UInt8>?) -> Value) -> Value {
    rows.batch.withText(row: row, column: key.index, body)
  }
}

/// Articles that were read together, with all attributes.
final class ArticleRows {
  let batch: RowBatch
  /// The context of the objects, which are released with the rows.
  let context: ManagedObjectContext

  /// - Parameters:
  ///   - batch: Rows with a column for each attribute, in the order of the attributes.
  ///   - context: A context that has no other objects.
  init(_ batch: RowBatch, _ context: ManagedObjectContext) {
    (self.batch, self.context) = (batch, context)
  }

  func article(_ row: Int) -> Article {
    guard let article = context.object(Article.self, of: batch, row: row) else {
      preconditionFailure("The rows are those of articles.")
    }
    return article
  }
}
