public import ManagedContext
public import NewsModel

extension FeedMoves {
  /// How many articles would go with a feed that gets an address: those that the feed of that address has with other
  /// content. One that both have alike is no loss.
  ///
  /// - Returns: 0 where no other feed has the address.
  public static func losses(
    of feed: Feed, renamedTo url: String, in context: ManagedObjectContext
  ) throws(StoreError) -> Int {
    guard let other = try context.fetch(FetchRequest(Feed.self, where: \.url == url)).first, other !== feed
    else { return 0 }
    let articles = try context.fetchValues(
      FetchRequest(Article.self, where: \.feed == feed.id), \.guid, \.contentHash)
    var losses = 0
    for start in stride(from: 0, to: articles.count, by: page) {
      let part = articles[start..<min(start + page, articles.count)]
      let known = try copies(of: part.map { $0.0 }, in: other, context)
      losses += part.count { guid, hash in known[Array(guid.utf8)].map { $0.contentHash != hash } ?? false }
    }
    return losses
  }

  /// What a feed has of articles, by the bytes of their identifiers.
  static func copies(
    of guids: [String], in feed: Feed, _ context: ManagedObjectContext
  ) throws(StoreError) -> [[UInt8]: (id: ManagedObjectID, contentHash: Int64)] {
    let same = FetchRequest(
      Article.self, where: FetchPredicate<Article>.among(\.guid, guids) && \.feed == feed.id)
    let rows = try context.rows(same, columns: [Article.Key.guid.index, Article.Key.contentHash.index])
    var copies: [[UInt8]: (id: ManagedObjectID, contentHash: Int64)] = [:]
    for row in 0..<rows.count {
      let article = RowValues(rows, row: row, model: context.model)
      copies[Array(article[Article.Key.guid].utf8)] = (article.id, article[Article.Key.contentHash])
    }
    return copies
  }
}
