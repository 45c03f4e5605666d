public import ManagedContext
public import NewsModel
public import WebAddress
import Sequences

extension FeedMoves {
  /// Counts the articles that would be lost if a feed got the address `url`: the feed at that address has
  /// them with other content.
  ///
  /// - Returns: 0 if no other feed has the address.
  public static func losses(
    of feed: Feed, renamedTo url: WebAddress, in context: ManagedObjectContext
  ) throws(StoreError) -> Int {
    guard let other = try context.fetch(FetchRequest(Feed.self, where: \.url == url)).first, other !== feed
    else { return 0 }
    let articles = try MergedArticle.all(FetchRequest(Article.self, where: \.feed == feed.id), in: context)
    var losses = 0
    for part in articles.chunks(of: page) {
      let merge = try ArticleMerge(of: part, from: feed, into: other, in: context)
      losses += part.count { article in
        if case .copy(_, isSame: false) = merge.outcome(of: article.id) { true } else { false }
      }
    }
    return losses
  }
}
