public import ManagedContext
import WebAddress

/// A copy of a story: an article, and its feed.
public struct ArticleCopy: Sendable, Equatable {
  /// The article.
  public let article: ManagedObjectID
  /// Its feed.
  public let feed: ManagedObjectID
}

/// The copies of stories, by the keys of the stories; see ``Article/story``.
///
/// Several articles of one feed that have the same key are no copies: such feeds link all their articles to one page. The
/// copies that other feeds have of that page are not affected.
public struct StoryCopies: Sendable {
  private var copies: [Int64: [ArticleCopy]] = [:]
  /// The feeds of which several articles have a key.
  private var repeating: [Int64: Set<ManagedObjectID>] = [:]

  /// No copies.
  init() {}

  /// The copies of each story that several feeds have, in the order of their first import.
  public var stories: Dictionary<Int64, [ArticleCopy]>.Values { copies.values }

  /// Returns the copies of an article's story, with the article itself; empty without others.
  ///
  /// - Parameters:
  ///   - story: The key of the story.
  ///   - feed: The feed of the article.
  public func copies(of story: Int64?, in feed: ManagedObjectID) -> [ArticleCopy] {
    guard let story, let found = copies[story], repeating[story]?.contains(feed) != true else { return [] }
    return found
  }

  /// Finds the copies among all articles with a key.
  ///
  /// - Parameters:
  ///   - articles: The articles, in the order of their first import.
  ///   - distinct: Returns copies in several stores without those of a feed that an earlier store has, too. The second
  ///     argument has the feeds of which several articles have the key, and gets those with the same addresses.
  mutating func add(
    _ articles: [ArticleCopy], of story: Int64,
    distinct: (_ copies: [ArticleCopy], _ repeating: inout Set<ManagedObjectID>) -> [ArticleCopy]
  ) {
    guard articles.count > 1 else { return }
    var feeds: Set<ManagedObjectID> = []
    var repeated: Set<ManagedObjectID> = []
    for copy in articles where !feeds.insert(copy.feed).inserted { repeated.insert(copy.feed) }
    let found = distinct(
      repeated.isEmpty ? articles : articles.filter { !repeated.contains($0.feed) }, &repeated)
    if !repeated.isEmpty { repeating[story] = repeated }
    if found.count > 1 { copies[story] = found }
  }

  /// The part of stories with feeds of which several articles have the same key.
  var withRepeating: StoryCopies {
    var part = StoryCopies()
    part.repeating = repeating
    for story in repeating.keys { part.copies[story] = copies[story] }
    return part
  }

  /// Returns whether the part ``withRepeating`` has a story.
  func isRepeated(_ story: Int64) -> Bool { repeating[story] != nil }

  /// Adds other stories.
  mutating func merge(_ other: StoryCopies) {
    copies.merge(other.copies) { $1 }
    repeating.merge(other.repeating) { $1 }
  }
}

/// The stories of a list that were listed.
public struct ListedStories {
  private var listed: Set<Int64> = []
  /// Stories with a feed of which several articles, perhaps all of a large one, have the same key: they are looked up once.
  private var repeated = StoryCopies()

  /// No stories.
  public init() {}

  /// Returns the copies of the stories of a part of the list; see ``DataSource/copies(ofStories:)``.
  public mutating func copies(of keys: [Int64], in source: DataSource) throws(StoreError) -> StoryCopies {
    var found = try source.copies(ofStories: keys.filter { !repeated.isRepeated($0) })
    repeated.merge(found.withRepeating)
    found.merge(repeated)
    return found
  }

  /// Returns whether an article is the first of its story in the list, and notes the story.
  ///
  /// - Parameters:
  ///   - story: See ``Article/story``.
  ///   - copies: The copies of the article's story, with the article itself; empty without others.
  public mutating func isFirst(_ story: Int64?, _ copies: [ArticleCopy]) -> Bool {
    // Most articles have no copies, and need no memory.
    guard let story, !copies.isEmpty else { return true }
    return listed.insert(story).inserted
  }
}
