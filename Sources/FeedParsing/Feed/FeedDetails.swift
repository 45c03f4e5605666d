/// The properties that a document states about the feed as a whole.
public struct FeedDetails: Sendable, Equatable {
  /// The kinds of feeds.
  public enum Format: String, Sendable {
    /// RSS 2.0, and documents that are called RSS without a version.
    case rss20 = "rss2.0"
    /// RSS 1.0, which is RDF.
    case rss10 = "rss1.0"
    /// RSS 0.90 to 0.94.
    case rss09 = "rss0.9x"
    /// Atom 1.0, RFC 4287.
    case atom10 = "atom1.0"
    /// Atom 0.3.
    case atom03 = "atom0.3"
    /// JSON Feed 1.0 and 1.1.
    case json1 = "json1.x"
  }

  /// A person or organisation.
  public typealias Author = FeedAuthor<String>

  /// The kind of feed; nil before the document's first element.
  public var format: Format?
  /// The encoding that was used for decoding, in lower case.
  public var encoding: String?
  /// True if the document was not well-formed and was repaired.
  public var isRecovered = false
  /// True if the document ended before its last element did: items may be missing.
  public var isTruncated = false

  /// The count of texts that were longer than ``ParserLimits/fieldBytes`` and were cut there.
  public var shortenedTextCount = 0

  /// The count of lists that had more than ``ParserLimits/listCount`` entries and were cut there.
  public var shortenedListCount = 0

  /// The count of JSON Feed items that were left out.
  ///
  /// Items are left out if they are not JSON, nested too deep (``ParserLimits/jsonDepth``) or too long
  /// (``ParserLimits/jsonPartBytes``).
  public var droppedItemCount = 0

  /// The title as plain text.
  public var title: String?
  /// The page that the feed belongs to.
  public var homePageURL: String?
  /// The feed's address as the document states it (`rel="self"`).
  public var feedURL: String?
  /// The description, as the feed has it (often HTML).
  public var description: String?
  /// The address of a picture for the feed.
  public var icon: String?
  /// A small picture's address: JSON Feed `favicon`.
  public var favicon: String?
  /// JSON Feed `user_comment`: the feed's purpose, for people who open it by chance.
  public var userComment: String?
  /// JSON Feed `expired`: true if nothing will ever be added.
  public var isExpired = false
  /// The language, as in BCP 47.
  public var language: String?
  /// The rights.
  public var rights: String?
  /// The program that wrote the feed.
  public var generator: String?
  /// The generator's page.
  public var generatorURL: String?
  /// The generator's version.
  public var generatorVersion: String?
  /// The authors of the whole feed.
  public var authors: [Author] = []
  /// The addresses of hubs that announce new items. They use WebSub unless ``hubTypes`` states another
  /// protocol.
  public var hubs: [String] = []
  /// The hub protocols as a JSON Feed names them, by the hubs' addresses.
  public var hubTypes: [String: String] = [:]

  /// RSS `ttl`: the minutes during which the feed may be cached.
  public var timeToLiveMinutes: Int?
  /// RSS `skipHours`: hours (UTC, 0 to 23) in which the feed need not be polled.
  public var skipHours: [Int] = []
  /// RSS `skipDays`: days on which the feed need not be polled, by their English names.
  public var skipDays: [String] = []
  /// `sy:updatePeriod`: hourly, daily, weekly, monthly or yearly.
  public var updatePeriod: String?
  /// `sy:updateFrequency`: the number of updates in that period.
  public var updateFrequency: Int?
  /// The date when the feed was last published or changed: seconds since 1970, UTC.
  public var modified: Int64?

  /// `sy:updateBase`: the time when the periods start: seconds since 1970, UTC.
  public var updateBase: Int64?
  /// The feed's own date, RSS `pubDate`: seconds since 1970, UTC.
  public var published: Int64?

  /// Atom `id`.
  public var id: String?
  /// Links that fill no other field.
  public var links: [RelatedLink] = []
  /// The feed's subjects.
  public var categories: [Category] = []
  /// The next part of a paged feed: JSON Feed `next_url`, `rel="next"` (RFC 5005).
  public var nextPageURL: String?

  /// Creates empty details.
  public init() {}
}

extension FeedDetails {
  /// The most author bytes that an item inherits from its feed. Without a limit a small document could become
  /// a large feed.
  private static let longestInheritance = 1024

  /// Returns the feed's authors for items without authors.
  func authorsToPassOn(_ limits: ParserLimits) -> ArraySlice<Author> {
    var room = Self.longestInheritance
    return authors.prefix(limits.listCount).prefix { author in
      room -= [author.name, author.email, author.url, author.avatar].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
      return room >= 0
    }
  }
}

extension FeedDetails {
  /// True if the document states anything about the feed. The language does not count: any document may have
  /// it.
  var saysSomething: Bool {
    var blank = FeedDetails()
    blank.format = format
    blank.encoding = encoding
    blank.isRecovered = isRecovered
    blank.isTruncated = isTruncated
    blank.language = language
    return self != blank
  }
}
