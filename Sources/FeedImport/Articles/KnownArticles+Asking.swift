package import ManagedContext
import NewsModel

/// What is known of a feed's articles is read at once from a feed with few of them, and by guid from a feed with many.
extension KnownArticles {
  /// What a response must know of the store before its next articles are judged.
  package enum Question: Equatable {
    /// The articles with these guids.
    case guids([String])
    /// All articles.
    case all
  }

  /// The number of articles that are read without a question. To read them takes about as long as to ask for the guids of
  /// an ordinary document.
  static let few = 512
  /// The number of guids that a document may ask for. To ask for a longer document may take longer than to read all.
  static let mostAsked = 4096

  /// Returns what must be asked for before articles are judged by some guids; nil for nothing.
  ///
  /// - Parameter guids: Every guid that one of them may have.
  mutating func question(about guids: [[UInt8]]) -> Question? {
    guard !isComplete else { return nil }
    var seen: Set<UInt64> = []
    var unknown: [String] = []
    for guid in guids {
      let hash = ContentHash.of(guid.span)
      guard !has(hash), seen.insert(hash).inserted else { continue }
      unknown.append(String(decoding: guid, as: UTF8.self))
    }
    if unknown.isEmpty { return nil }
    return count(unknown.count) ? .guids(unknown) : .all
  }

  /// Reads the identities and hashes of a feed, if it has few articles, else of some of them.
  package init(of feed: ManagedObjectID, in context: ManagedObjectContext) throws(StoreError) {
    // In the order of the guids, which an index has; the order of the rows would take a sort.
    let rows = try context.rows(
      FetchRequest(
        Article.self, where: \.feed == feed, sortedBy: [.ascending(\.guid)], limit: Self.few + 1),
      columns: Self.columns)
    guard rows.count > Self.few else {
      self.init(rows)
      return
    }
    let shared = FetchRequest(
      Article.self, where: \.feed == feed && \.guid > SharedGuid.prefix && \.guid < SharedGuid.end, limit: 1)
    self.init(rows, isComplete: false, hasShared: try context.rows(shared, columns: []).count > 0)
  }

  /// Returns the answer to a question.
  static func answer(
    _ question: Question, about feed: ManagedObjectID, in context: ManagedObjectContext
  ) throws(StoreError) -> RowBatch {
    let articles: FetchPredicate<Article> =
      switch question {
      case .guids(let guids): \.feed == feed && .among(\.guid, guids)
      case .all: \.feed == feed
      }
    return try context.rows(
      FetchRequest(Article.self, where: articles, sortedBy: [.ascending(\.guid)]), columns: Self.columns)
  }

  /// The answer for a store without articles.
  package static var noRows: RowBatch { RowBatch(entity: NewsModel.Place.article, columns: columns) }

  private static let columns = [Article.Key.guid.index, Article.Key.contentHash.index]
}
