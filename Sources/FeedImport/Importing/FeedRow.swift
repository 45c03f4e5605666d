import ManagedContext
import NewsModel
import WebAddress

/// A feed's row as it was read for a request: an index in a batch that all rows in a run share.
///
/// A worker creates the feed from it without a query. In a first import this also avoids waiting: in rollback
/// mode, a reader waits for each commit.
struct FeedRow: Sendable, AttributeReading {
  /// The values that rows from one query share.
  private final class Batch: Sendable {
    let rows: RowBatch
    let model: ManagedObjectModel

    init(_ rows: RowBatch, _ model: ManagedObjectModel) {
      self.rows = rows
      self.model = model
    }
  }

  private let batch: Batch
  private let place: Int

  /// Reads feeds' rows, in a context on its queue.
  static func all(
    _ feeds: FetchRequest<Feed>, in context: ManagedObjectContext
  ) throws(StoreError) -> [FeedRow] {
    let attributes = context.model[NewsModel.Place.feed].attributes.indices
    // Feeds that were never polled use only a third of the columns.
    let rows = try context.rows(feeds, columns: Array(attributes)).withoutEmptyColumns()
    let batch = Batch(rows, context.model)
    return (0..<rows.count).map { FeedRow(batch: batch, place: $0) }
  }

  /// Creates the row for a feed that is missing in the store.
  init(newFeedAt url: WebAddress, model: ManagedObjectModel) {
    var rows = RowBatch(entity: NewsModel.Place.feed, columns: [Feed.schema.url.index])
    rows.beginRow()
    rows.append(text: url.text)
    self.init(batch: Batch(rows.withoutEmptyColumns(), model), place: 0)
  }

  private init(batch: Batch, place: Int) {
    self.batch = batch
    self.place = place
  }

  var id: ManagedObjectID { batch.rows.id(row: place) }

  /// The row's version when it was read.
  var version: Int64 { batch.rows.versions[place] }

  /// Returns an attribute's value, by the attribute's index.
  func value(_ attribute: Int) -> AttributeValue {
    guard let column = batch.rows.columns.firstIndex(of: attribute) else { return .null }
    return batch.rows.value(row: place, column: column, model: batch.model)
  }

  subscript<Value: AttributeConvertible>(_ key: AttributeKey<Value>) -> Value {
    batch.rows.value(of: key, row: place, model: batch.model)
  }

  /// Returns the feed as its row was read. An object that is already in the context is returned unchanged.
  func object(in context: ManagedObjectContext) -> Feed? {
    context.object(Feed.self, of: batch.rows, row: place)
  }
}
