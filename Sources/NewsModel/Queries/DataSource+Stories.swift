public import ManagedContext
import WebAddress

/// A copy of a story: an article, and its feed.
public struct ArticleCopy: Sendable, Equatable {
  /// The article.
  public let article: ManagedObjectID
  /// Its feed.
  public let feed: ManagedObjectID
}

/// Stories: articles with the same ``Article/story`` in several feeds.
///
/// A key that two articles of one feed have is that of no story: such feeds link all their articles to one page.
extension DataSource {
  /// Returns the copies of stories by their keys, in the order of their first import. Keys of a single article, and keys that
  /// occur twice in a feed, are left out.
  public func copies(ofStories keys: [Int64]) throws(StoreError) -> [Int64: [ArticleCopy]] {
    try stories(ofKeys: keys).copies
  }

  /// Returns the copies of stories as ``copies(ofStories:)`` does, and the keys that occur twice in a feed.
  fileprivate func stories(
    ofKeys keys: [Int64]
  ) throws(StoreError) -> (copies: [Int64: [ArticleCopy]], rejected: Set<Int64>) {
    guard !keys.isEmpty else { return ([:], []) }
    let request = FetchRequest(Article.self, where: .among(\.story, Array(Set(keys))))
    let rows = try context.rows(request, columns: [Article.Key.story.index, Article.Key.feed.index])
    var copies: [Int64: [ArticleCopy]] = [:]
    for row in 0..<rows.count {
      let values = RowValues(rows, row: row, model: context.model)
      guard let story = values[Article.Key.story] else { continue }
      copies[story, default: []].append(ArticleCopy(article: values.id, feed: values[Article.Key.feed]))
    }
    let rejected = copies.filter { Set($0.value.map(\.feed)).count < $0.value.count }.keys
    copies = copies.filter { $0.value.count > 1 }
    for key in rejected { copies[key] = nil }
    if copies.values.joined().contains(where: { !isOwn($0.article) }) {
      copies = copies.mapValues(distinctFeeds).filter { $0.value.count > 1 }
    }
    return (copies, Set(rejected))
  }

  /// Returns copies of one story in several stores without those of feeds that an earlier store has, too.
  private func distinctFeeds(_ copies: [ArticleCopy]) -> [ArticleCopy] {
    var seen: Set<WebAddress> = []
    let ordered = copies.filter { isOwn($0.article) } + copies.filter { !isOwn($0.article) }
    return ordered.filter { copy in
      context.object(Feed.self, with: copy.feed).map { seen.insert($0.url).inserted } ?? false
    }
  }

  /// Returns the articles of the written store that are copies of some of its articles, without these.
  func otherCopies(of articles: [ManagedObjectID]) throws(StoreError) -> [ManagedObjectID] {
    var others: Set<ManagedObjectID> = []
    for page in articles.chunks(of: Self.storyPage) {
      let keys = try context.fetchValues(FetchRequest(Article.self, where: .ids(page)), \.story)
      let copies = try copies(ofStories: keys.compactMap(\.self))
      others.formUnion(copies.values.joined().map(\.article).filter(isOwn))
    }
    return others.subtracting(articles).sorted { $0.key < $1.key }
  }

  /// Returns the number of the newest article of the written store; 0 without articles.
  public func newestNumber() throws(StoreError) -> Int64 {
    let newest = FetchRequest(Article.self, sortedBy: [.newestFirst], limit: 1)
    return try context.fetchIDs(newest).first(where: isOwn)?.key ?? 0
  }

  /// Gives newer articles the marks of the stories that they are copies of, with the next save of the context.
  ///
  /// - Parameter last: The number of the newest article that has the marks of its story already.
  /// - Returns: The number of new marks.
  public func spreadMarks(toArticlesAfter last: Int64) throws(StoreError) -> Int {
    guard try hasMarks() else { return 0 }
    var count = 0
    var request = FetchRequest(Article.self, sortedBy: [.newestFirst], limit: Self.storyPage)
    while true {
      let rows = try context.rows(request, columns: [Article.Key.story.index])
      let new = (0..<rows.count).map { RowValues(rows, row: $0, model: context.model) }
        .filter { $0.id.key > last }
      count += try spreadMarks(toCopiesOf: new.compactMap { $0[Article.Key.story] }, after: last)
      guard new.count == Self.storyPage else { return count }
      request.offset += rows.count
    }
  }

  private func spreadMarks(toCopiesOf stories: [Int64], after last: Int64) throws(StoreError) -> Int {
    var marked: [ArticleMark: [ManagedObjectID]] = [:]
    let copies = try copies(ofStories: stories)
    let marks = try marks(of: copies.values.joined().map(\.article))
    guard !marks.isEmpty else { return 0 }
    for story in copies.values {
      let ofStory = story.reduce(into: Set<ArticleMark>()) { $0.formUnion(marks[$1.article] ?? []) }
      for copy in story where copy.article.key > last {
        for mark in ofStory.subtracting(marks[copy.article] ?? []) {
          marked[mark, default: []].append(copy.article)
        }
      }
    }
    for (mark, articles) in marked { set(mark, of: articles) }
    return marked.values.reduce(0) { $0 + $1.count }
  }

  private static let storyPage = 5000
}

/// The stories of a list that were listed.
public struct ListedStories {
  private var listed: Set<Int64> = []
  /// Keys that occur twice in a feed, perhaps in all articles of a large one: they are looked up once.
  private var rejected: Set<Int64> = []

  /// No stories.
  public init() {}

  /// Returns the copies of the stories of a part of the list; see ``DataSource/copies(ofStories:)``.
  public mutating func copies(
    of keys: [Int64], in source: DataSource
  ) throws(StoreError) -> [Int64: [ArticleCopy]] {
    let found = try source.stories(ofKeys: keys.filter { !rejected.contains($0) })
    rejected.formUnion(found.rejected)
    return found.copies
  }

  /// Returns whether an article is the first of its story in the list, and notes the story.
  ///
  /// - Parameters:
  ///   - story: See ``Article/story``.
  ///   - copies: The copies of stories by their keys.
  public mutating func isFirst(_ story: Int64?, _ copies: [Int64: [ArticleCopy]]) -> Bool {
    // Most articles have no copies, and need no memory.
    guard let story, copies[story] != nil else { return true }
    return listed.insert(story).inserted
  }
}
