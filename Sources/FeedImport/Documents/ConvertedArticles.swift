import Foundation
import ManagedContext
import NewsModel

/// A ``ConvertedFeed``'s articles on their way to the store, with the values that their document lacks.
///
/// A converted feed has only some of its articles' values, so it does not change stored articles.
struct ConvertedArticles: Sendable {
  let marks: [(id: String, marks: Set<ArticleMark>)]
  /// See ``ConvertedFeed/areDeleted``.
  let areDeleted: Bool
  /// The greatest article key before the import of the list with these articles; nil for another program's
  /// articles. A list's guids come from a store, and its later lines replace earlier ones.
  let lastArticle: Int64?
  /// The values that the document lacks, by article guid.
  private let others: [[UInt8]: ConvertedFeed.OtherValues]

  init(_ feed: ConvertedFeed, after lastArticle: Int64?) {
    (marks, others, areDeleted, self.lastArticle) = (feed.marks, feed.others, feed.areDeleted, lastArticle)
  }

  /// Adds rows from the document to a context's next save.
  func insert(
    _ batch: BatchUpsert, at now: Date, in context: ManagedObjectContext
  ) throws(StoreError) {
    if areDeleted { return context.insert(Self.tombstones(of: batch, at: now)) }
    let new = withoutUpdates(batch)
    context.insert(new)
    guard let lastArticle, let later = try LaterLines.updates(new, after: lastArticle, in: context) else {
      return
    }
    context.insert(later)
  }

  /// Returns a batch that only inserts ``KnownArticles/incomplete`` articles: stored ones have the same guid.
  private func withoutUpdates(_ batch: BatchUpsert) -> BatchUpsert {
    guard batch.rows.entity == NewsModel.Place.article else { return batch }
    var batch = batch
    // The document lacks these values, and a large batch has no empty columns.
    let added = others.isEmpty ? [] : [Article.schema.commentsURL.index, Article.schema.members.index]
    let columns = Article.columns.filter { batch.rows.columns.contains($0) || added.contains($0) }
    var rows = RowBatch(entity: batch.rows.entity, columns: columns, bytes: batch.rows.bytes)
    rows.reserveCapacity(batch.rows.count)
    for row in 0..<batch.rows.count {
      rows.beginRow(key: batch.rows.keys[row])
      let values = others.isEmpty ? nil : others[batch.rows.guid(ofRow: row)]
      for column in columns {
        if column == Article.schema.contentHash.index {
          rows.append(integer: KnownArticles.incomplete)
        } else if column == Article.schema.commentsURL.index, let url = values?.commentsURL {
          rows.append(text: String(decoding: url, as: UTF8.self))
        } else if column == Article.schema.members.index, let members = values?.members {
          rows.append(text: String(decoding: members, as: UTF8.self))
        } else if let place = batch.rows.columns.firstIndex(of: column) {
          rows.append(batch.rows.cell(row: row, column: place))
        } else {
          rows.append(RowBatch.Cell.null)
        }
      }
    }
    batch.rows = rows
    batch.changeMark = Article.schema.guid.index
    batch.editCounter = nil
    return batch
  }

  /// Returns tombstones for the articles that the store lacks.
  private static func tombstones(of batch: BatchUpsert, at now: Date) -> BatchUpsert {
    var identities = RowBatch(
      entity: batch.rows.entity, columns: [Article.schema.feed.index, Article.schema.guid.index],
      bytes: batch.rows.bytes)
    let places = identities.columns.compactMap { batch.rows.columns.firstIndex(of: $0) }
    for row in 0..<batch.rows.count where batch.rows.keys[row] == 0 {
      identities.beginRow()
      for place in places { identities.append(batch.rows.cell(row: row, column: place)) }
    }
    return Pruning.tombstones(of: identities, at: now)
  }
}

extension RowBatch {
  /// Returns an article's guid; empty for a row without one.
  func guid(ofRow row: Int) -> [UInt8] {
    guard let place = columns.firstIndex(of: Article.schema.guid.index),
      case .text(let offset, let count) = cell(row: row, column: place)
    else { return [] }
    return Array(bytes[Int(offset)..<Int(offset) + Int(count)])
  }
}
