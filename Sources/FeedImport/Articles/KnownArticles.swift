package import ManagedContext
import NewsModel

/// A feed's stored identities and content hashes, its deleted articles, and the articles in this response.
///
/// In a feed with many articles, only the articles that the response asks for are known
/// (``question(about:)``).
///
/// The key is a guid hash. If two guids in one feed collide, the later one is sent to the store without its
/// key, and the store's unique index, which compares bytes, decides.
package struct KnownArticles {
  enum Standing: Equatable {
    /// The store lacks the article.
    case new
    /// In the store under this key, with other content.
    case edited(key: Int64)
    /// In the store under this key, with the same content but another hash. It is written, which is no edit.
    /// Either an earlier program version hashed fewer fields, or only the address has changed because the
    /// feed moved, or the stored article is ``incomplete``.
    case adopted(key: Int64)
    /// In the store with this content, or deleted from the store.
    case unchanged
    /// Earlier in this response.
    case repeated
  }

  /// The content hash for an article whose source has only some values that its feed states, such as another
  /// program's database. The first document with the article completes it, which is no edit.
  static let incomplete: Int64 = 0

  /// A known article. In a feed with 200,000 articles, each word in it takes up to 4 MB.
  private struct Entry {
    /// The key, at least 0; its complement if the article is in the response.
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
  /// The deleted articles, which must not come back; nil if none exist.
  package var deleted: DeletedArticles?
  /// The feed's former addresses.
  var formerAddresses: [String] = []
  /// True if the store has any article from the feed.
  private(set) var hasStored = false
  /// True if the store has an article with a ``SharedGuid`` for the feed.
  private(set) var hasShared = false
  /// False if the store may have more articles for the feed.
  private(set) var isComplete = true
  /// The guids that the store was asked for.
  private var asked = 0

  /// No articles: a feed that never had one.
  package init() {}

  package var count: Int { entries.count }
  /// True if neither the store nor the response has an article.
  var isEmpty: Bool { entries.isEmpty }

  mutating func reserveCapacity(_ count: Int) {
    entries.reserveCapacity(entries.count + count)
  }

  /// - Parameters:
  ///   - rows: The feed's stored articles: guid and content hash.
  ///   - isComplete: False if the feed has more articles.
  ///   - hasShared: True if a missing article has a ``SharedGuid``.
  package init(_ rows: RowBatch, isComplete: Bool = true, hasShared: Bool = false) {
    (self.isComplete, self.hasShared) = (isComplete, hasShared)
    hasStored = rows.count > 0
    add(rows)
  }

  /// Adds stored articles. Articles in the response keep their entries.
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

  /// Adds the store's answer to a question.
  mutating func learn(_ rows: RowBatch, from question: Question) {
    if question == .all { isComplete = true }
    add(rows)
  }

  /// Returns whether an article is in the store or in the response, as far as known.
  func has(_ guid: UInt64) -> Bool { entries[guid] != nil }

  /// Counts guids to ask for; false if they are too many for one document.
  mutating func count(_ guids: Int) -> Bool {
    asked += guids
    return asked <= Self.mostAsked
  }

  /// Returns an article's stored state; nil if the response has contained the article already.
  func stored(_ guid: UInt64) -> (key: Int64, contentHash: Int64)? {
    guard let entry = entries[guid], !entry.isInResponse else { return nil }
    return (entry.key, entry.contentHash)
  }

  func isInResponse(_ guid: UInt64) -> Bool { entries[guid]?.isInResponse ?? false }

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

  /// Returns an article's state and notes the article: if two have one guid, the first wins.
  ///
  /// - Parameter isAdopted: True if the stored hash is another hash for the same content.
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
