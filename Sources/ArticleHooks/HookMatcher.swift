package import ManagedContext
package import NewsModel
package import WebAddress

/// Decides which articles a hook gets.
@MainActor
package struct HookMatcher {
  /// Returns the articles among some that a region or a query has.
  package typealias Choice =
    @MainActor ([ManagedObjectID], DataSource) throws(StoreError) -> [ManagedObjectID]

  private enum Wanted {
    case chosen(Choice)
    case feed(WebAddress)
  }

  private let wanted: Wanted

  /// The articles of the feed with an address.
  package init(feed address: WebAddress) { wanted = .feed(address) }

  /// The articles of a region or a query.
  package init(chosen: @escaping Choice) { wanted = .chosen(chosen) }

  /// Returns the articles among some rows that the hook is for.
  func matches(_ rows: [StoredRow<Article>], in source: DataSource) throws(StoreError) -> Set<ManagedObjectID>
  {
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
      return Set(try chosen(rows.map(\.id), source))
    }
  }
}
