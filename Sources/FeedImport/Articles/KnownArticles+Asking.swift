package import ManagedContext
import NewsModel

/// Reads a feed's known articles: all at once from a feed with few articles, by guid from a feed with many.
extension KnownArticles {
  /// A question to the store, to be answered before the next articles are judged.
  package enum Question: Equatable {
    /// The articles with these guids.
    case guids([String])
    /// All articles.
    case all
  }

  /// The maximum number of articles that are read without a question. Reading them takes about as long as
  /// asking for an ordinary document's guids.
  static let few = 512
  /// The guids that a document may ask for. Asking for more may take longer than reading all.
  static let mostAsked = 4096

  /// Returns the question to ask before articles are judged by these guids; nil if all are known.
  ///
  /// - Parameter guids: Every guid that an article may have.
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

  /// Reads a feed's article identities and hashes; only in part if the feed has many articles.
  package init(of feed: ManagedObjectID, in context: ManagedObjectContext) throws(StoreError) {
    // In guid order, which an index has; row order would need a sort.
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

  private static let columns = [Article.schema.guid.index, Article.schema.contentHash.index]
}
