import ManagedContext
import NewsConfiguration
import NewsModel
import WebAddress

/// Decides which articles a hook gets.
@MainActor
struct HookMatcher {
  private enum Wanted {
    case chosen(ChosenArticles)
    case feed(WebAddress)
  }

  private let wanted: Wanted

  /// - Throws: ``CommandFailure`` for a query that names a region or a feed which does not exist.
  init(_ hook: Hook, _ stack: NewsStack, _ configuration: LoadedConfiguration) throws {
    switch hook.articles {
    case .feed(let address): wanted = .feed(address)
    case .region(let name): wanted = .chosen(ChosenArticles(choice: ArticleChoice(region: name)))
    case .query(let name):
      wanted = .chosen(try ArticleChooser(stack) { configuration }.articles(ofQuery: name))
    }
  }

  /// Returns the articles among some rows that the hook is for.
  func matches(_ rows: [ArticleRow], in source: DataSource) throws(StoreError) -> Set<ManagedObjectID> {
    guard !rows.isEmpty else { return [] }
    switch wanted {
    case .feed(let address):
      let ids = Array(Set(rows.map(\.feed)))
      let feeds = try source.context.fetch(FetchRequest(Feed.self, where: .ids(ids)))
      // A feed that has moved is also found by its former addresses.
      let former = try source.context.fetch(FetchRequest(FormerAddress.self, where: .among(\.feed, ids)))
      let own = Set(
        feeds.filter { $0.url.identity == address.identity }.map(\.id)
          + former.filter { $0.url.identity == address.identity }.map(\.feed))
      return Set(rows.filter { own.contains($0.feed) }.map(\.id))
    case .chosen(let chosen):
      return Set(try chosen.among(rows.map(\.id), in: source).map(\.article.id))
    }
  }
}
