/// Feeds that are the same for the same seed, in two revisions: what a fetch meets the first time, and later.
public struct Corpus: Sendable {
  /// A state of all feeds.
  public enum Revision: String, Sendable, CaseIterable {
    case first = "rev1"
    case second = "rev2"
  }

  /// What the second revision of a feed has that the first had not.
  public struct Change: Sendable, Equatable {
    /// Articles at its top: 1 to 3 in one feed of ten.
    public var new = 0
    /// Whether one article has another text: in one feed of fifty.
    public var hasEdit = false

    /// Whether the document is another one.
    public var isChange: Bool { new > 0 || hasEdit }
  }

  public let size: CorpusSize
  public let seed: UInt64

  public init(_ size: CorpusSize, seed: UInt64 = 1) {
    self.size = size
    self.seed = seed
  }

  /// What becomes of a feed; exactly so many of a hundred, whatever the seed.
  public func change(of feed: Int) -> Change {
    if size.feeds == 1 { return Change(new: 3, hasEdit: true) }
    var dice = Dice(seed: seed, feed, -2)
    return Change(new: feed % 10 == 3 ? 1 + dice.roll(3) : 0, hasEdit: feed % 50 == 7)
  }

  /// Articles that a store has after both revisions.
  public var articlesInAll: Int {
    size.articles + (0..<size.feeds).reduce(0) { $0 + change(of: $1).new }
  }

  /// The place of a feed's file in the folder of its revision.
  public func path(of feed: Int) -> String {
    func digits(_ number: Int, _ count: Int) -> String {
      String(String(1_000_000 + number).suffix(count))
    }
    return "\(digits(feed / 100, 3))/feed\(digits(feed, 5)).\(format(of: feed).suffix)"
  }

  func format(of feed: Int) -> FeedFormat {
    // One feed alone is of the kind that most are.
    if size.feeds == 1 { return FeedFormat(percentile: 0) }
    // Not drawn, so that a small corpus too has some of each; 37 and 100 have no divisor in common.
    return FeedFormat(percentile: feed * 37 % 100)
  }
}
