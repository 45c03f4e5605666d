public import Foundation
public import ManagedContext

/// An article as a row in the store. Its texts are read in place; it becomes an object only if one is needed.
///
/// Like managed objects, it may only be used on its context's queue.
public struct ArticleRow {
  private let rows: ArticleRows
  private let row: Int

  init(_ rows: ArticleRows, _ row: Int) {
    (self.rows, self.row) = (rows, row)
  }

  /// The article's ID.
  public var id: ManagedObjectID { rows.batch.id(row: row) }
  /// See ``Article/feed``.
  public var feed: ManagedObjectID { self[Article.schema.feed] }
  /// See ``Article/guid``.
  public var guid: String { self[Article.schema.guid] }
  /// See ``Article/story``.
  public var story: Int64? { self[Article.schema.story] }
  /// See ``Article/timelineDate``.
  public var timelineDate: Date { self[Article.schema.timelineDate] }

  /// The article as an object, which is released with the rows that were read together.
  public var article: Article { rows.article(row) }

  /// An attribute's value.
  package subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value {
    guard let column = rows.columns.column(of: key.index) else { return article[key] }
    return Value(attributeValue: rows.batch.value(row: row, column: column, model: rows.model))
      ?? Value.placeholder
  }

  /// Returns the stored form of an attribute's value; nil if it was not read.
  package func cell<Value>(of key: AttributeKey<Value>) -> RowBatch.Cell? {
    rows.columns.column(of: key.index).map { rows.batch.cell(row: row, column: $0) }
  }

  /// Calls `body` with a text as UTF-8, which the store has not checked; nil without a text.
  package func withUTF8<Text: AttributeConvertible, Value>(
    of key: AttributeKey<Text>, _ body: (Span<UInt8>?) -> Value
  ) -> Value {
    if let column = rows.columns.column(of: key.index) {
      return rows.batch.withText(row: row, column: column, body)
    }
    guard var text = article[key] as? String else { return body(nil) }
    return text.withUTF8 { body($0.span) }
  }
}

/// The article attributes to read.
public struct ArticleColumns: Sendable, Equatable {
  let indexes: [Int]
  /// Each attribute's column; nil if it is not read.
  private let columns: [Int?]

  private init(_ attributes: [Int]) {
    indexes = attributes.sorted()
    columns = Article.columns.map(indexes.firstIndex(of:))
  }

  /// True if ``Article/contentHTML`` is read.
  var hasContent: Bool { column(of: Article.schema.contentHTML.index) != nil }

  /// All attributes.
  public static let all = ArticleColumns(Article.columns)
  /// All except ``Article/contentHTML``, an article's largest part, which has its own pages in the file.
  public static let withoutContent = ArticleColumns(
    Article.columns.filter { $0 != Article.schema.contentHTML.index })
  /// Only the feed and the guid.
  public static let identity = ArticleColumns([Article.schema.feed.index, Article.schema.guid.index])

  /// Creates a list with the attributes at some indexes and the attributes that every list needs.
  package static func listed(with attributes: some Sequence<Int>) -> ArticleColumns {
    let needed = [
      Article.schema.feed.index, Article.schema.guid.index, Article.schema.timelineDate.index,
      Article.schema.story.index,
    ]
    return ArticleColumns(Array(Set(needed).union(attributes)))
  }

  func column(of attribute: Int) -> Int? { columns[attribute] }
}

/// Articles that were read together.
final class ArticleRows {
  let batch: RowBatch
  let columns: ArticleColumns
  /// The objects' context; they are released with the rows.
  let context: ManagedObjectContext
  let model: ManagedObjectModel

  /// - Parameters:
  ///   - batch: Rows with the columns.
  ///   - columns: The attributes that were read.
  ///   - context: A context that has no other objects.
  init(_ batch: RowBatch, _ columns: ArticleColumns, _ context: ManagedObjectContext) {
    (self.batch, self.columns, self.context) = (batch, columns, context)
    model = context.model
  }

  /// Returns the rows for IDs in their order, without missing ones.
  func inOrder(of ids: [ManagedObjectID]) -> [ArticleRow] {
    let found = batch.ids
    // The store returns them by number, which is often the order already.
    guard found != ids else { return found.indices.map { ArticleRow(self, $0) } }
    let places = Dictionary(uniqueKeysWithValues: found.enumerated().map { ($0.element, $0.offset) })
    return ids.compactMap { places[$0].map { ArticleRow(self, $0) } }
  }

  /// Returns an article as an object. It is read again if some attributes were not read.
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
