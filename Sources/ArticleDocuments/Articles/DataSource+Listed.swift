package import ManagedContext
package import NewsModel
import WebAddress

extension DataSource {
  /// Returns articles in the written store for a command's output, with their feeds, marks and copies.
  ///
  /// - Parameters:
  ///   - stories: The stories in the list's earlier parts.
  ///   - withMarks: False if the marks are not needed.
  @MainActor
  package func listed(
    _ rows: [StoredRow<Article>], in regions: FeedRegions, _ stories: inout ListedStories,
    withMarks: Bool = true
  ) throws(StoreError) -> [ListedArticle] {
    let marks = withMarks ? try marks(of: rows.map(\.id)) : [:]
    let copies = try stories.copies(of: rows.compactMap(\.story), in: self)
    let copiesOfRows = rows.map { copies.copies(of: $0.story, in: $0.feed) }
    // All feeds are read together.
    let feeds = context.objects(
      Feed.self, with: Set(rows.map(\.feed) + copiesOfRows.joined().map(\.feed)))
    regions.begin(feeds)
    return zip(rows, copiesOfRows).map { row, copies in
      let feed = context.object(Feed.self, with: row.feed)
      return ListedArticle(
        row, number: ArticleNumber(row.id.key), feed, in: regions, marks: marks[row.id] ?? [],
        otherFeeds: otherFeeds(copies, than: feed))
    }
  }

  /// Returns the copies' feeds, without the article's feed, which an attached store may also have.
  @MainActor
  package func otherFeeds(_ copies: [ArticleCopy], than feed: Feed?) -> [Feed] {
    guard !copies.isEmpty else { return [] }
    var seen: Set<WebAddress> = feed.map { [$0.url] } ?? []
    return context.objects(Feed.self, with: copies.map(\.feed)).filter { seen.insert($0.url).inserted }
  }

  /// Returns the other feeds with a copy of an article.
  @MainActor
  package func otherFeeds(of article: StoredRow<Article>, in feed: Feed?) throws(StoreError) -> [Feed] {
    guard let story = article.story else { return [] }
    return otherFeeds(try copies(ofStories: [story]).copies(of: story, in: article.feed), than: feed)
  }
}
