package import FeedParsing
package import Foundation
package import ManagedContext
import NewsModel

/// The rows that a response adds to the store: its articles that are new or edited, as a batch.
///
/// The parser's arena becomes the batch's arena; text is not copied, and never becomes a `String`.
package struct ArticleRows: ~Copyable {
  private(set) var inserted = 0
  private(set) var edited = 0
  /// How many articles the user's filter left out.
  private(set) var skipped = 0
  /// The dates of the articles, known ones too.
  private(set) var dates = Rhythm.Sample()

  private let feed: ManagedObjectID
  private let entity: EntityIndex
  private let now: Int64
  private let filter: ArticleFilter?
  private var known: KnownArticles
  private var hash = ContentHash()

  /// Every attribute, in order.
  private static let columns = Array(Article.Key.feed.index...Article.Key.contentHTML.index)
  private static let unique = [Article.Key.feed.index, Article.Key.guid.index]

  package init(feed: ManagedObjectID, known: KnownArticles, now: Date, filter: ArticleFilter? = nil) {
    self.feed = feed
    self.filter = filter
    entity = NewsModel.Place.article
    self.known = known
    self.now = Int64(now.timeIntervalSince1970)
  }

  /// What is to be written of the feed's tombstones once its whole document was read; nil for nothing.
  func tombstoneCare(at now: Date) -> DeletedArticles.Care? { known.deleted?.care(at: now) }

  /// The batch for some items of the response.
  package mutating func rows(of items: consuming ParsedItemBatch) -> BatchUpsert {
    if let filter {
      let kept = filter.kept(of: items)
      skipped += items.items.count - kept.count
      items.items = kept
    }
    var arena = ItemArena(items.bytes)
    items.bytes = []
    var rows = RowBatch(entity: entity, columns: Self.columns)
    if known.isEmpty {
      rows.reserveCapacity(items.items.count)
      known.reserveCapacity(items.items.count)
    }
    for item in items.items where item.saysSomething {
      if let date = item.published ?? item.modified { dates.add(date) }
      let contentHash = arena.contentHash(of: item, in: items, using: &hash)
      // Earlier versions knew such an article by less of it: one that is in the store stays what it is.
      if item.isKnownByText {
        let guid = arena.titleGuid(of: item)
        if known.holds(guid: arena.hash(of: guid), contentHash: contentHash) { continue }
      }
      guard let guid = arena.guid(of: item, in: items) else { continue }
      switch known.judge(guid: arena.hash(of: guid), contentHash: contentHash) {
      case .unchanged: continue
      case .new:
        inserted += 1
        rows.beginRow()
      case .edited(let key):
        edited += 1
        rows.beginRow(key: key)
      }
      append(item, of: items, guid: guid, contentHash: contentHash, to: &rows, &arena)
    }
    rows.bytes = arena.bytes
    return BatchUpsert(
      rows, unique: Self.unique,
      changeMark: Article.Key.contentHash.index, editCounter: Article.Key.edits.index,
      kept: [Article.Key.timelineDate.index, Article.Key.imported.index, Article.Key.edits.index])
  }

  /// Adds the cells of one article, in the order of ``columns``.
  private func append(
    _ item: ParsedItem, of items: ParsedItemBatch, guid: ByteSlice, contentHash: Int64,
    to rows: inout RowBatch, _ arena: inout ItemArena
  ) {
    let date = min(item.published ?? item.modified ?? now, now)
    rows.append(RowBatch.Cell.integer(feed.key))
    rows.append(guid.cell)
    rows.append(RowBatch.Cell.integer(contentHash))
    rows.append(RowBatch.Cell.integer(date))
    rows.append(item.published.map(RowBatch.Cell.integer) ?? .null)
    rows.append(item.modified.map(RowBatch.Cell.integer) ?? .null)
    rows.append(RowBatch.Cell.integer(now))
    rows.append(RowBatch.Cell.integer(0))
    rows.append(item.url.cell)
    rows.append(item.title.cell)
    rows.append(arena.authors(of: item, in: items).cell)
    rows.append(arena.tags(of: item, in: items).cell)
    rows.append(arena.attachments(of: item, in: items).cell)
    rows.append(item.image.cell)
    rows.append(item.language.cell)
    rows.append(item.summary.cell)
    rows.append(arena.contentHTML(of: item).cell)
  }
}

extension ByteSlice {
  fileprivate var cell: RowBatch.Cell { .text(offset: offset, count: count) }
}

extension ByteSlice? {
  fileprivate var cell: RowBatch.Cell { self?.cell ?? .null }
}

extension ParsedItem {
  /// Whether there is anything to read in it: an element without content is no article.
  fileprivate var saysSomething: Bool {
    id != nil || url != nil || title != nil || content != nil || externalURL != nil || attachments.count > 0
      || image != nil
  }
}
