import HTMLText
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// The line with a story's other feeds, below the article's line.
enum CopiesLine {
  /// Returns the line with its line feed; nil without other feeds.
  ///
  /// - Parameter columns: The terminal's width; nil for an uncut line.
  static func text(_ feeds: [Feed], columns: Int?) -> String? {
    guard let text = text(feeds) else { return nil }
    let indent = ArticleLine.indent(columns: columns)
    let shown = columns.map { DisplayWidth.cut(text, to: max(10, $0 - indent.count)) } ?? text
    return indent + shown + "\n"
  }

  /// Returns the other feeds as text; nil without any.
  static func text(_ feeds: [Feed]) -> String? {
    let names = feeds.map { printable($0.shownTitle ?? $0.url.withoutPassword) }
    return names.isEmpty ? nil : "also in: \(names.joined(separator: ", "))"
  }
}

extension DataSource {
  /// Returns articles in the written store for a command's output, with their feeds, marks and copies.
  ///
  /// - Parameters:
  ///   - stories: The stories in the list's earlier parts.
  ///   - withMarks: False if the marks are not needed.
  @MainActor
  func listed(
    _ rows: [ArticleRow], in regions: FeedRegions, _ stories: inout ListedStories, withMarks: Bool = true
  ) throws(StoreError) -> [ListedArticle] {
    let marks = withMarks ? try marks(of: rows.map(\.id)) : [:]
    let copies = try stories.copies(of: rows.compactMap(\.story), in: self)
    return rows.map { row in
      let feed = context.object(Feed.self, with: row.feed)
      return ListedArticle(
        .row(row), number: ArticleNumber(row.id.key), feed, in: regions, marks: marks[row.id] ?? [],
        otherFeeds: otherFeeds(copies.copies(of: row.story, in: row.feed), than: feed))
    }
  }

  /// Returns the copies' feeds, without the article's feed, which an attached store may also have.
  @MainActor
  func otherFeeds(_ copies: [ArticleCopy], than feed: Feed?) -> [Feed] {
    guard !copies.isEmpty else { return [] }
    var seen: Set<WebAddress> = feed.map { [$0.url] } ?? []
    return copies.compactMap { context.object(Feed.self, with: $0.feed) }.filter {
      seen.insert($0.url).inserted
    }
  }

  /// Returns the other feeds with a copy of an article.
  @MainActor
  func otherFeeds(of article: Article, in feed: Feed?) throws(StoreError) -> [Feed] {
    guard let story = article.story else { return [] }
    return otherFeeds(try copies(ofStories: [story]).copies(of: story, in: article.feed), than: feed)
  }
}
