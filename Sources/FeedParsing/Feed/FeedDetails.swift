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

  /// The kind of feed; nil before the first element of the document.
  public var format: Format?
  /// The encoding that was used for decoding, in lower case.
  public var encoding: String?
  /// True if the document was not well-formed and was repaired.
  public var isRecovered = false
  /// True if the document ended before its last element did: items may be missing.
  public var isTruncated = false

  /// The number of texts that were longer than ``ParserLimits/fieldBytes`` and were cut there.
  public var shortenedTextCount = 0

  /// The number of lists that had more than ``ParserLimits/listCount`` entries and were cut there.
  public var shortenedListCount = 0

  /// The number of items of a JSON Feed that were left out: items that are not JSON, nested too deep
  /// (``ParserLimits/jsonDepth``) or too long (``ParserLimits/jsonPartBytes``).
  public var droppedItemCount = 0

  /// The title as plain text.
  public var title: String?
  /// The page that the feed belongs to.
  public var homePageURL: String?
  /// The address of the feed as the document states it (`rel="self"`).
  public var feedURL: String?
  /// The description, as the feed has it (often HTML).
  public var description: String?
  /// The address of a picture for the feed.
  public var icon: String?
  /// The address of a small picture: `favicon` of JSON Feed.
  public var favicon: String?
  /// JSON Feed `user_comment`: the purpose of the feed, for people who open it by chance.
  public var userComment: String?
  /// JSON Feed `expired`: true if nothing will ever be added.
  public var isExpired = false
  /// The language, as in BCP 47.
  public var language: String?
  /// The rights.
  public var rights: String?
  /// The program that wrote the feed.
  public var generator: String?
  /// The page of that program.
  public var generatorURL: String?
  /// The version of that program.
  public var generatorVersion: String?
  /// The authors of the whole feed.
  public var authors: [Author] = []
  /// The addresses of hubs that notify of new items. They use WebSub unless ``hubTypes`` states another protocol.
  public var hubs: [String] = []
  /// The protocols of hubs as a JSON Feed names them, by the addresses of the hubs.
  public var hubTypes: [String: String] = [:]

  /// RSS `ttl`: the number of minutes during which the feed may be cached.
  public var timeToLiveMinutes: Int?
  /// RSS `skipHours`: hours (UTC, 0 to 23) in which the feed need not be polled.
  public var skipHours: [Int] = []
  /// RSS `skipDays`: days on which the feed need not be polled, by their English names.
  public var skipDays: [String] = []
  /// `sy:updatePeriod`: hourly, daily, weekly, monthly or yearly.
  public var updatePeriod: String?
  /// `sy:updateFrequency`: the number of updates in that period.
  public var updateFrequency: Int?
  /// The date of the feed's last publication or change: seconds since 1970, UTC.
  public var modified: Int64?

  /// `sy:updateBase`: the start of the periods: seconds since 1970, UTC.
  public var updateBase: Int64?
  /// RSS `cloud`: a service that notifies of changes.
  public var cloud: Cloud?
  /// The date of the feed itself, RSS `pubDate`: seconds since 1970, UTC.
  public var published: Int64?

  /// Atom `id`.
  public var id: String?
  /// RSS `docs`: the page about the format.
  public var docs: String?
  /// `dc:publisher`.
  public var publisher: String?
  /// RSS `webMaster`: the person to write to about technical problems.
  public var webMaster: Author?
  /// Further contributors: Atom `contributor`, `dc:contributor`.
  public var contributors: [Author] = []
  /// The licences of the content.
  public var licenses: [License] = []
  /// RSS `image` with all its parts. ``icon`` has only an address, from any source.
  public var image: Image?
  /// RSS `textInput`: a field that feed readers may show.
  public var textInput: TextInput?
  /// RSS `rating`: the audience of the feed, in the notation of PICS.
  public var rating: String?
  /// Links that fill no other field.
  public var links: [RelatedLink] = []
  /// The subjects of the feed.
  public var categories: [Category] = []
  /// `itunes:keywords`, `media:keywords`.
  public var keywords: [String] = []
  /// The other documents of a feed that is made of several (RFC 5005).
  public var pages = Pages()
  /// `fh:complete` (RFC 5005): true if the document has all items; items that it lacks were removed.
  public var isComplete = false
  /// `fh:archive` (RFC 5005): true if the document will not change.
  public var isArchive = false
  /// The properties of a podcast.
  public var podcast = Podcast()

  /// Creates empty details.
  public init() {}
}

extension FeedDetails {
  /// The most bytes of authors that an item gets from its feed. Without a limit a small document could become a large
  /// feed.
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
  /// True if the document states anything about the feed. The language does not count: any document may have it.
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
