package import ManagedContext
import NewsModel

/// The stored identities and content hashes of one feed, its deleted articles, and the articles of this response.
///
/// Of a feed with many articles only those are known that the response asks for (``question(about:)``).
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

  /// What is known of an article. Of a feed with 200,000 articles, each word of it takes up to 4 MB.
  private struct Entry {
    /// The key, which is at least 0; its complement if the article is in the response.
    private let markedKey: Int64
    let contentHash: Int64

    /// - Parameter key: The key in the store, which is positive; 0 for a new article.
    init(key: Int64, contentHash: Int64, isInResponse: Bool) {
      markedKey = isInResponse ? ~key : key
      self.contentHash = contentHash
    }

    var isInResponse: Bool { markedKey < 0 }
    var key: Int64 { isInResponse ? ~markedKey : markedKey }
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
  /// False if the store may have more articles of the feed than these.
  private(set) var isComplete = true
  /// The number of guids that the store was asked for.
  private var asked = 0

  /// No articles: a feed that never had one.
  package init() {}

  /// The number of articles that are known.
  package var count: Int { entries.count }
  /// True if neither the store nor the response has an article of the feed.
  var isEmpty: Bool { entries.isEmpty }

  /// Reserves room for new articles.
  mutating func reserveCapacity(_ count: Int) {
    entries.reserveCapacity(entries.count + count)
  }

  /// - Parameters:
  ///   - rows: Stored articles of the feed: guid and content hash.
  ///   - isComplete: False if the feed has others.
  ///   - hasShared: True if one of the others has a ``SharedGuid``.
  package init(_ rows: RowBatch, isComplete: Bool = true, hasShared: Bool = false) {
    (self.isComplete, self.hasShared) = (isComplete, hasShared)
    hasStored = rows.count > 0
    add(rows)
  }

  /// Adds stored articles. What the response contained remains.
  private mutating func add(_ rows: RowBatch) {
    entries.reserveCapacity(entries.count + rows.count)
    for row in 0..<rows.count {
      guard case .text(let offset, let count) = rows.cell(row: row, column: 0),
        case .integer(let hash) = rows.cell(row: row, column: 1)
      else { continue }
      let guid = rows.bytes.span.extracting(Int(offset)..<Int(offset) + Int(count))
      let key = ContentHash.of(guid)
      if entries[key]?.isInResponse == true { continue }
      if !hasShared, guid.isSharedGuid { hasShared = true }
      entries[key] = Entry(key: rows.keys[row], contentHash: hash, isInResponse: false)
    }
  }

  /// Adds the answer of the store to a question.
  mutating func learn(_ rows: RowBatch, from question: Question) {
    if question == .all { isComplete = true }
    add(rows)
  }

  /// Returns whether the state of an article is known: it is in the store or in the response.
  func has(_ guid: UInt64) -> Bool { entries[guid] != nil }

  /// Counts guids that are to be asked for, and returns false if that is too much for one document.
  mutating func count(_ guids: Int) -> Bool {
    asked += guids
    return asked <= Self.mostAsked
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
  mutating func wasDeleted(_ guid: UInt64, contentHash: Int64? = nil) -> Bool {
    deleted?.holds(guid: guid, contentHash: contentHash) ?? false
  }

  /// Returns the state of an article of the response, and notes the article: the first of two with one guid wins.
  ///
  /// - Parameter isAdopted: True if the stored hash is another hash of the same content.
  mutating func judge(guid: UInt64, contentHash: Int64, isAdopted: Bool = false) -> Standing {
    guard let known = entries[guid] else {
      entries[guid] = Entry(key: 0, contentHash: contentHash, isInResponse: true)
      return deleted == nil || !wasDeleted(guid, contentHash: contentHash) ? .new : .unchanged
    }
    if known.isInResponse { return .repeated }
    entries[guid] = Entry(key: known.key, contentHash: contentHash, isInResponse: true)
    if known.contentHash == contentHash { return .unchanged }
    return isAdopted ? .adopted(key: known.key) : .edited(key: known.key)
  }
}
