public import ManagedContext
import WebAddress

/// An article that is a copy of a story, and its feed.
public struct ArticleCopy: Sendable, Equatable {
  /// The article.
  public let article: ManagedObjectID
  /// Its feed.
  public let feed: ManagedObjectID
}

/// The copies of stories, by their page keys; see ``Article/story``.
///
/// If a feed has several articles with the same key, they are not copies: such feeds link all their articles
/// to one page. Other feeds' copies of that page are not affected. Several stories may share a page if their
/// titles and texts are not similar; see ``StoryLikeness``. Each store has its own stories.
public struct StoryCopies: Sendable {
  /// Each page's stories with copies.
  private var copies: [Int64: [[ArticleCopy]]] = [:]
  /// The feeds with several articles for a key.
  private var repeating: [Int64: Set<ManagedObjectID>] = [:]

  init() {}

  /// The copies of each story that several feeds have, in the order in which they were first imported.
  public var stories: [[ArticleCopy]] { copies.values.flatMap(\.self) }

  /// Returns the copies of an article's story, with the article itself; empty without others.
  ///
  /// - Parameters:
  ///   - story: The story's key.
  ///   - feed: The article's feed.
  public func copies(of story: Int64?, in feed: ManagedObjectID) -> [ArticleCopy] {
    guard let story, let found = copies[story], repeating[story]?.contains(feed) != true else { return [] }
    // A feed has one copy.
    return found.first { $0.contains { $0.feed == feed } } ?? []
  }

  /// Finds the articles that may be copies among all articles with a key.
  ///
  /// - Parameter articles: The articles, in the order in which they were first imported.
  mutating func add(_ articles: [ArticleCopy], of story: Int64) {
    guard articles.count > 1 else { return }
    var feeds: Set<ManagedObjectID> = []
    var repeated: Set<ManagedObjectID> = []
    for copy in articles where !feeds.insert(copy.feed).inserted { repeated.insert(copy.feed) }
    let found = repeated.isEmpty ? articles : articles.filter { !repeated.contains($0.feed) }
    if !repeated.isEmpty { repeating[story] = repeated }
    let store = found.first?.article.store
    let ofStores =
      found.allSatisfy { $0.article.store == store }
      ? [found] : Array(Dictionary(grouping: found, by: \.article.store).values)
    let shared = ofStores.filter { $0.count > 1 }
    if !shared.isEmpty { copies[story] = shared }
  }

  /// Divides each page's articles into stories, and keeps those with copies.
  ///
  /// - Parameters:
  ///   - titles: Returns articles with their titles.
  ///   - texts: Returns articles with their titles and texts. Called only if titles are not similar.
  mutating func divide(
    titles: ([ArticleCopy]) throws(StoreError) -> [ManagedObjectID: StoryLikeness],
    texts: ([ArticleCopy]) throws(StoreError) -> [ManagedObjectID: StoryLikeness]
  ) throws(StoreError) {
    let read = try titles(stories.flatMap(\.self))
    for (story, found) in copies {
      var divided: [[ArticleCopy]] = []
      for articles in found {
        var groups = StoryGroups(articles, read)
        groups.join { $0.hasTitle(of: $1) }
        if groups.count > 1, groups.count <= Self.mostTitles {
          groups.read = try texts(groups.first)
          groups.join { $0.hasText(of: $1) }
        }
        divided += groups.groups.filter { $0.count > 1 }
      }
      copies[story] = divided.isEmpty ? nil : divided
    }
  }

  /// The count of different titles for one page above which no texts are compared: the page is a list.
  private static let mostTitles = 32

  /// The stories with feeds that have several articles for the same key.
  var withRepeating: StoryCopies {
    var part = StoryCopies()
    part.repeating = repeating
    for story in repeating.keys { part.copies[story] = copies[story] }
    return part
  }

  /// Returns whether the part ``withRepeating`` has a story.
  func isRepeated(_ story: Int64) -> Bool { repeating[story] != nil }

  mutating func merge(_ other: StoryCopies) {
    copies.merge(other.copies) { $1 }
    repeating.merge(other.repeating) { $1 }
  }
}

/// A page's articles in groups, each a story.
private struct StoryGroups {
  private(set) var groups: [[ArticleCopy]] = []
  /// The articles' places in their order.
  private let places: [ManagedObjectID: Int]
  /// At least the words of each group's first article.
  var read: [ManagedObjectID: StoryLikeness]

  /// Articles with the same title are together.
  init(_ articles: [ArticleCopy], _ read: [ManagedObjectID: StoryLikeness]) {
    self.read = read
    places = Dictionary(
      articles.enumerated().map { ($1.article, $0) }, uniquingKeysWith: { first, _ in first })
    var titles: [[String]: Int] = [:]
    for article in articles {
      let title = read[article.article]?.titleWords ?? []
      if !title.isEmpty, let place = titles[title] {
        groups[place].append(article)
      } else {
        titles[title] = groups.count
        groups.append([article])
      }
    }
  }

  var count: Int { groups.count }

  /// Each group's first article.
  var first: [ArticleCopy] { groups.compactMap(\.first) }

  /// The group count above which groups are not compared with each other.
  private static let mostCompared = 256

  /// Joins groups if their first articles are similar.
  mutating func join(_ areSimilar: (StoryLikeness, StoryLikeness) -> Bool) {
    guard groups.count > 1, groups.count <= Self.mostCompared else { return }
    var joined: [(first: [StoryLikeness], articles: [ArticleCopy])] = []
    for group in groups {
      guard let first = group.first, let words = read[first.article] else { continue }
      if let place = joined.firstIndex(where: { $0.first.contains { areSimilar($0, words) } }) {
        joined[place].first.append(words)
        joined[place].articles += group
      } else {
        joined.append(([words], group))
      }
    }
    groups = joined.map { group in
      group.articles.sorted { (places[$0.article] ?? 0) < (places[$1.article] ?? 0) }
    }
  }
}

/// The stories in a list that were listed.
public struct ListedStories {
  private var listed: Set<ManagedObjectID> = []
  /// Stories with a feed that has several articles, perhaps all, with the same key: they are looked up once.
  private var repeated = StoryCopies()

  /// No stories.
  public init() {}

  /// Returns the copies of stories in a part of the list; see ``DataSource/copies(ofStories:)``.
  public mutating func copies(of keys: [Int64], in source: DataSource) throws(StoreError) -> StoryCopies {
    var found = try source.copies(ofStories: keys.filter { !repeated.isRepeated($0) })
    repeated.merge(found.withRepeating)
    found.merge(repeated)
    return found
  }

  /// Returns whether an article is its story's first one in the list, and notes the story.
  ///
  /// - Parameter copies: The copies of the article's story, with the article itself; empty without others.
  public mutating func isFirst(_ copies: [ArticleCopy]) -> Bool {
    // Most articles have no copies, and need no memory.
    guard let first = copies.first else { return true }
    return listed.insert(first.article).inserted
  }
}
