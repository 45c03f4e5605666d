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
    /// In the store under this key, with the same content under another hash: an earlier version of the program hashed
    /// less of it, or only the address has changed as it does when a feed moves. To be written without being an edit.
    case adopted(key: Int64)
    /// In the store with this content, or deleted from the store.
    case unchanged
    /// Earlier in this response.
    case repeated
  }

  private struct Entry {
    var key: Int64
    var contentHash: Int64
    var isInResponse: Bool
  }

  private var entries: [UInt64: Entry] = [:]
  /// What was deleted and must not come back; nil for nothing.
  package var deleted: DeletedArticles?
  /// The addresses that the feed has left.
  var formerAddresses: [String] = []
  /// Whether the store has any article of the feed.
  private(set) var hasStored = false
  /// Whether the store has an article of the feed with a ``SharedGuid``.
  private(set) var hasShared = false

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
      if !hasShared, guid.isSharedGuid { hasShared = true }
    }
    hasStored = rows.count > 0
  }

  /// The columns and condition that ``init(_:)`` reads.
  package static func rows(
    of feed: ManagedObjectID, in context: ManagedObjectContext
  ) throws(StoreError) -> RowBatch {
    let request = FetchRequest(Article.self, where: \.feed == feed)
    return try context.rows(request, columns: [Article.Key.guid.index, Article.Key.contentHash.index])
  }

  /// What the store has of an article that this response has not brought yet.
  func stored(_ guid: UInt64) -> (key: Int64, contentHash: Int64)? {
    guard let entry = entries[guid], !entry.isInResponse else { return nil }
    return (entry.key, entry.contentHash)
  }

  /// Whether the response brought an article of this guid.
  func isInResponse(_ guid: UInt64) -> Bool { entries[guid]?.isInResponse ?? false }

  /// Whether the response brought an article of this guid with this content.
  func isInResponse(_ guid: UInt64, contentHash: Int64) -> Bool {
    entries[guid].map { $0.isInResponse && $0.contentHash == contentHash } ?? false
  }

  /// Whether an article that the document lists was deleted, which is remembered.
  ///
  /// Apart from ``judge(guid:contentHash:isAdopted:)``, which nearly always has nothing to ask.
  @inline(never)
  mutating func wasDeleted(_ guid: UInt64) -> Bool {
    deleted?.holds(guid: guid) ?? false
  }

  /// Tells how an article of the response stands, and remembers it: the first of two with one guid counts.
  ///
  /// - Parameter isAdopted: Whether the store's hash is another one of the same content.
  mutating func judge(guid: UInt64, contentHash: Int64, isAdopted: Bool = false) -> Standing {
    guard let known = entries[guid] else {
      entries[guid] = Entry(key: 0, contentHash: contentHash, isInResponse: true)
      return deleted == nil || !wasDeleted(guid) ? .new : .unchanged
    }
    if known.isInResponse { return .repeated }
    entries[guid] = Entry(key: known.key, contentHash: contentHash, isInResponse: true)
    if known.contentHash == contentHash { return .unchanged }
    return isAdopted ? .adopted(key: known.key) : .edited(key: known.key)
  }
}

/// What the store has of an article, as far as it tells another article from it.
package struct StoredArticle: Sendable {
  /// See ``Article/url``.
  let url: [UInt8]?
  /// See ``Article/title``.
  let title: [UInt8]?
  /// See ``Article/published``, in seconds since 1970.
  let published: Int64?

  /// Reads articles by their keys.
  static func all(
    _ keys: [Int64], in context: ManagedObjectContext
  ) throws(StoreError) -> [Int64: StoredArticle] {
    let ids = keys.compactMap { context.id(Article.self, row: $0) }
    let rows = try context.rows(
      FetchRequest(Article.self, where: .ids(ids)),
      columns: [Article.Key.url.index, Article.Key.title.index, Article.Key.published.index])
    var found: [Int64: StoredArticle] = [:]
    for row in 0..<rows.count {
      let texts = (0...1).map { column -> [UInt8]? in
        guard case .text(let offset, let count) = rows.cell(row: row, column: column) else { return nil }
        return Array(rows.bytes[Int(offset)..<Int(offset) + Int(count)])
      }
      let date: Int64? = if case .integer(let date) = rows.cell(row: row, column: 2) { date } else { nil }
      found[rows.keys[row]] = StoredArticle(url: texts[0], title: texts[1], published: date)
    }
    return found
  }
}
