package import ManagedContext
import NewsModel

/// The identities and content hashes that the store has for one feed, those that were deleted from it, and those that
/// this response brought.
///
/// Keyed by a hash of the guid. Should two guids of one feed ever share it, the later is sent to the store
/// without its key, and the store's unique index, which compares bytes, decides.
package struct KnownArticles {
  /// What is known of one article.
  enum Standing: Equatable {
    /// Not in the store.
    case new
    /// In the store under this key, with other content.
    case edited(key: Int64)
    /// In the store with this content, or earlier in this response, or deleted from the store.
    case unchanged
  }

  private struct Entry {
    var key: Int64
    var contentHash: Int64
    var isInResponse: Bool
  }

  private var entries: [UInt64: Entry] = [:]
  /// What was deleted and must not come back; nil for nothing.
  package var deleted: DeletedArticles?

  /// Nothing is known: a feed that never brought an article.
  package init() {}

  /// Whether the store has no article of the feed, and the response brought none.
  var isEmpty: Bool { entries.isEmpty }

  /// Makes room for articles that are not known.
  mutating func reserveCapacity(_ count: Int) {
    entries.reserveCapacity(entries.count + count)
  }

  /// Reads the answer of ``rows(of:in:)``.
  package init(_ rows: RowBatch) {
    entries.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      guard case .text(let offset, let count) = rows.cell(row: row, column: 0),
        case .integer(let hash) = rows.cell(row: row, column: 1)
      else { continue }
      let guid = rows.bytes.span.extracting(Int(offset)..<Int(offset) + Int(count))
      entries[ContentHash.of(guid)] = Entry(key: rows.keys[row], contentHash: hash, isInResponse: false)
    }
  }

  /// The columns and condition that ``init(_:)`` reads.
  package static func rows(
    of feed: ManagedObjectID, in context: ManagedObjectContext
  ) throws(StoreError) -> RowBatch {
    let request = FetchRequest(Article.self, where: \.feed == feed)
    return try context.rows(request, columns: [Article.Key.guid.index, Article.Key.contentHash.index])
  }

  /// Whether the store has an article of this guid with this content.
  func holds(guid: UInt64, contentHash: Int64) -> Bool {
    entries[guid].map { !$0.isInResponse && $0.contentHash == contentHash } ?? false
  }

  /// Apart from ``judge(guid:contentHash:)``, which nearly always has nothing to ask.
  @inline(never)
  private mutating func wasDeleted(_ guid: UInt64) -> Bool {
    deleted?.holds(guid: guid) ?? false
  }

  /// Tells how an article of the response stands, and remembers it: the first of two with one guid counts.
  mutating func judge(guid: UInt64, contentHash: Int64) -> Standing {
    guard let known = entries[guid] else {
      entries[guid] = Entry(key: 0, contentHash: contentHash, isInResponse: true)
      return deleted == nil || !wasDeleted(guid) ? .new : .unchanged
    }
    if known.isInResponse { return .unchanged }
    entries[guid]?.isInResponse = true
    return known.contentHash == contentHash ? .unchanged : .edited(key: known.key)
  }
}
