/// Generated feeds, the same for the same seed, in two revisions: for the first fetch and for a later one.
public struct Corpus: Sendable {
  /// A state of all feeds.
  public enum Revision: String, Sendable, CaseIterable {
    case first = "rev1"
    case second = "rev2"
  }

  /// The difference of a feed's second revision from its first.
  public struct Change: Sendable, Equatable {
    /// The number of new articles at its top: 1 to 3 in one feed of ten.
    public var new = 0
    /// True if one article has a different text, in one feed of fifty.
    public var hasEdit = false

    /// True if the document is different.
    public var isChange: Bool { new > 0 || hasEdit }
  }

  public let size: CorpusSize
  public let seed: UInt64

  public init(_ size: CorpusSize, seed: UInt64 = 1) {
    self.size = size
    self.seed = seed
  }

  /// Returns a feed's change. The percentages are exact, regardless of the seed.
  public func change(of feed: Int) -> Change {
    if size.feeds == 1 { return Change(new: 3, hasEdit: true) }
    var dice = Dice(seed: seed, feed, -2)
    return Change(new: feed % 10 == 3 ? 1 + dice.roll(3) : 0, hasEdit: feed % 50 == 7)
  }

  /// The number of articles in a store after both revisions.
  public var articlesInAll: Int {
    size.articles + (0..<size.feeds).reduce(0) { $0 + change(of: $1).new }
  }

  /// Returns the path of a feed's file in the folder of its revision.
  public func path(of feed: Int) -> String {
    func digits(_ number: Int, _ count: Int) -> String {
      String(String(1_000_000 + number).suffix(count))
    }
    return "\(digits(feed / 100, 3))/feed\(digits(feed, 5)).\(format(of: feed).suffix)"
  }

  func format(of feed: Int) -> FeedFormat {
    // A single feed has the most common format.
    if size.feeds == 1 { return FeedFormat(percentile: 0) }
    // It is not random, so that a small corpus too has each format. 37 and 100 have no common divisor.
    return FeedFormat(percentile: feed * 37 % 100)
  }
}
