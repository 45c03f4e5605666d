package import ManagedContext
import NewsModel

/// The stored identities and content hashes of one feed, its deleted articles, and the articles of this response.
///
/// The key is a hash of the guid. If two guids of one feed have the same hash, the later one is sent to the store
/// without its key, and the store's unique index, which compares bytes, decides.
package struct KnownArticles {
  /// The state of one article.
  enum Standing: Equatable {
    /// Not in the store.
    case new
    /// In the store under this key, with other content.
    case edited(key: Int64)
    /// In the store under this key, with the same content under another hash: an earlier version of the program hashed
    /// fewer fields, or only the address has changed as it does when a feed moves. Or the stored article is
    /// ``incomplete``. It is written without being an edit.
    case adopted(key: Int64)
    /// In the store with this content, or deleted from the store.
    case unchanged
    /// Earlier in this response.
    case repeated
  }

  /// The content hash of an article from a source that has only some of what its feed states, such as the database of
  /// another program. The first document with the article completes it, which is no edit.
  static let incomplete: Int64 = 0

  private struct Entry {
    var key: Int64
    var contentHash: Int64
    var isInResponse: Bool
  }

  private var entries: [UInt64: Entry] = [:]
  /// The deleted articles, which must not come back; nil for none.
  package var deleted: DeletedArticles?
  /// The feed's former addresses.
  var formerAddresses: [String] = []
  /// True if the store has any article of the feed.
  private(set) var hasStored = false
  /// True if the store has an article of the feed with a ``SharedGuid``.
  private(set) var hasShared = false

  /// No articles: a feed that never had one.
  package init() {}

  /// True if neither the store nor the response has an article of the feed.
  var isEmpty: Bool { entries.isEmpty }

  /// Reserves room for new articles.
  mutating func reserveCapacity(_ count: Int) {
    entries.reserveCapacity(entries.count + count)
  }

  /// Reads the rows of ``rows(of:in:)``.
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

  /// The columns and the condition that ``init(_:)`` reads.
  package static func rows(
    of feed: ManagedObjectID, in context: ManagedObjectContext
  ) throws(StoreError) -> RowBatch {
    let request = FetchRequest(Article.self, where: \.feed == feed)
    return try context.rows(request, columns: [Article.Key.guid.index, Article.Key.contentHash.index])
  }

  /// Returns the stored state of an article that this response has not contained yet.
  func stored(_ guid: UInt64) -> (key: Int64, contentHash: Int64)? {
    guard let entry = entries[guid], !entry.isInResponse else { return nil }
    return (entry.key, entry.contentHash)
  }

  /// Returns whether the response contained an article with this guid.
  func isInResponse(_ guid: UInt64) -> Bool { entries[guid]?.isInResponse ?? false }

  /// Returns whether the response contained an article with this guid and this content.
  func isInResponse(_ guid: UInt64, contentHash: Int64) -> Bool {
    entries[guid].map { $0.isInResponse && $0.contentHash == contentHash } ?? false
  }

  /// Returns whether an article in the document was deleted, and notes that it is listed.
  ///
  /// It is separate from ``judge(guid:contentHash:isAdopted:)``, because nearly no feed has deleted articles.
  @inline(never)
  mutating func wasDeleted(_ guid: UInt64) -> Bool {
    deleted?.holds(guid: guid) ?? false
  }

  /// Returns the state of an article of the response, and notes the article: the first of two with one guid wins.
  ///
  /// - Parameter isAdopted: True if the stored hash is another hash of the same content.
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
