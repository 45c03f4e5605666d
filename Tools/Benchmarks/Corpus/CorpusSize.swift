/// The number of feeds in a corpus, and of articles in each feed.
public struct CorpusSize: Sendable, Hashable {
  /// The name of the size and of its folder.
  public let name: String
  /// The number of feeds.
  public let feeds: Int
  /// The number of articles of each feed in the first revision.
  public let articlesPerFeed: Int

  /// The number of articles in the first revision.
  public var articles: Int { feeds * articlesPerFeed }

  public init(name: String, feeds: Int, articlesPerFeed: Int) {
    self.name = name
    self.feeds = feeds
    self.articlesPerFeed = articlesPerFeed
  }

  /// A size for a program that runs at a fiftieth of its speed.
  public static let smallest = CorpusSize(name: "XS", feeds: 20, articlesPerFeed: 30)

  /// All sizes: from one suitable for counting instructions to a large collection of feeds.
  public static let all = [
    smallest,
    CorpusSize(name: "S", feeds: 200, articlesPerFeed: 30),
    CorpusSize(name: "M", feeds: 2000, articlesPerFeed: 50),
    CorpusSize(name: "L", feeds: 1, articlesPerFeed: 200_000),
    CorpusSize(name: "XL", feeds: 20_000, articlesPerFeed: 10),
  ]

  /// Returns the size with a name; nil if it is unknown.
  public static func named(_ name: String) -> CorpusSize? {
    all.first { $0.name == name }
  }
}
