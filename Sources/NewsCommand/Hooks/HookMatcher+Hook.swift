import ArticleHooks
import ManagedContext
import NewsConfiguration
import NewsModel

extension HookMatcher {
  /// - Throws: ``CommandFailure`` for a query that names a region or a feed which does not exist.
  init(_ hook: Hook, _ stack: NewsStack, _ configuration: LoadedConfiguration) throws {
    switch hook.articles {
    case .feed(let address): self.init(feed: address)
    case .region(let name): self.init(ChosenArticles(choice: ArticleChoice(region: name)))
    case .query(let name):
      self.init(try ArticleChooser(stack) { configuration }.articles(ofQuery: name))
    }
  }

  private init(_ chosen: ChosenArticles) {
    self.init { (articles, source) throws(StoreError) in
      try chosen.among(articles, in: source).map(\.article.id)
    }
  }
}
