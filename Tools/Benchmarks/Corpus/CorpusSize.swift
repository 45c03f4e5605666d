/// How many feeds a corpus has, and how many articles each.
public struct CorpusSize: Sendable, Hashable {
  /// Its name, also that of its folder.
  public let name: String
  /// Feeds.
  public let feeds: Int
  /// Articles of each feed in the first revision.
  public let articlesPerFeed: Int

  /// Articles of the first revision.
  public var articles: Int { feeds * articlesPerFeed }

  public init(name: String, feeds: Int, articlesPerFeed: Int) {
    self.name = name
    self.feeds = feeds
    self.articlesPerFeed = articlesPerFeed
  }

  /// Small enough for a program that runs at a fiftieth of its speed.
  public static let smallest = CorpusSize(name: "XS", feeds: 20, articlesPerFeed: 30)

  /// The sizes by name: from what instructions are counted on to what a large collection of feeds is.
  public static let all = [
    smallest,
    CorpusSize(name: "S", feeds: 200, articlesPerFeed: 30),
    CorpusSize(name: "M", feeds: 2000, articlesPerFeed: 50),
    CorpusSize(name: "L", feeds: 1, articlesPerFeed: 200_000),
    CorpusSize(name: "XL", feeds: 20_000, articlesPerFeed: 10),
  ]

  /// The size of a name; nil for another.
  public static func named(_ name: String) -> CorpusSize? {
    all.first { $0.name == name }
  }
}
