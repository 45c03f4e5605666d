/// What a document says about the feed as a whole.
public struct FeedDetails: Sendable, Equatable {
  /// The kinds of feeds.
  public enum Format: String, Sendable {
    /// RSS 2.0 (and what calls itself RSS without a version).
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
  public struct Author: Sendable, Equatable {
    /// The name.
    public var name: String?
    /// The address of mail.
    public var email: String?
    /// The home page.
    public var url: String?
    /// The address of a picture of them.
    public var avatar: String?

    /// Describes a person.
    public init(name: String? = nil, email: String? = nil, url: String? = nil, avatar: String? = nil) {
      self.avatar = avatar
      self.name = name
      self.email = email
      self.url = url
    }
  }

  /// The kind of feed; nil before its first element.
  public var format: Format?
  /// The encoding that was used for decoding, in lower case.
  public var encoding: String?
  /// Whether the document was not well-formed and was repaired.
  public var isRecovered = false
  /// Whether the document ended before its last element did: items may be missing.
  public var isTruncated = false

  /// How many texts were longer than ``ParserLimits/fieldBytes``, and were cut there.
  public var shortenedTextCount = 0

  /// How many lists had more than ``ParserLimits/listCount`` entries, and were cut there.
  public var shortenedListCount = 0

  /// How many items of a JSON Feed were left out, because they were no JSON, nested too deep
  /// (``ParserLimits/jsonDepth``) or too long (``ParserLimits/jsonPartBytes``).
  public var droppedItemCount = 0

  /// The title as plain text.
  public var title: String?
  /// The page that the feed belongs to.
  public var homePageURL: String?
  /// Where the feed says that it is (`rel="self"`).
  public var feedURL: String?
  /// The description, as the feed has it (often HTML).
  public var description: String?
  /// A picture for the feed.
  public var icon: String?
  /// The small picture of JSON Feed, `favicon`.
  public var favicon: String?
  /// JSON Feed `user_comment`: what the feed is for, told to those who open it by chance.
  public var userComment: String?
  /// JSON Feed `expired`: whether nothing will ever be added.
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
  /// The authors of the whole.
  public var authors: [Author] = []
  /// The addresses of hubs that tell when something is new: of WebSub, unless ``hubTypes`` says otherwise.
  public var hubs: [String] = []
  /// What a JSON Feed calls the protocol of a hub, by its address.
  public var hubTypes: [String: String] = [:]

  /// RSS `ttl`: for how many minutes the feed may be kept.
  public var timeToLiveMinutes: Int?
  /// RSS `skipHours`: hours (UTC, 0 to 23) in which the feed need not be read.
  public var skipHours: [Int] = []
  /// RSS `skipDays`: days on which the feed need not be read, by their English names.
  public var skipDays: [String] = []
  /// `sy:updatePeriod`: hourly, daily, weekly, monthly or yearly.
  public var updatePeriod: String?
  /// `sy:updateFrequency`: how often in that period.
  public var updateFrequency: Int?
  /// When the feed was published or changed last: seconds since 1970, UTC.
  public var modified: Int64?

  /// `sy:updateBase`: when the periods began to count: seconds since 1970, UTC.
  public var updateBase: Int64?
  /// RSS `cloud`: where to ask for being told of changes.
  public var cloud: Cloud?
  /// When the feed itself is dated, RSS `pubDate`: seconds since 1970, UTC.
  public var published: Int64?

  /// Atom `id`.
  public var id: String?
  /// RSS `docs`: the page about the format.
  public var docs: String?
  /// `dc:publisher`.
  public var publisher: String?
  /// RSS `webMaster`: whom to tell of technical faults.
  public var webMaster: Author?
  /// Who else had a part in it: Atom `contributor`, `dc:contributor`.
  public var contributors: [Author] = []
  /// The licences of the content.
  public var licenses: [License] = []
  /// RSS `image` with all its parts; ``icon`` has the address alone, of any source.
  public var image: Image?
  /// RSS `textInput`: a field that readers may show.
  public var textInput: TextInput?
  /// RSS `rating`: for whom the feed is, as PICS has it.
  public var rating: String?
  /// Links that no other field is made of.
  public var links: [RelatedLink] = []
  /// What the feed is about.
  public var categories: [Category] = []
  /// `itunes:keywords`, `media:keywords`.
  public var keywords: [String] = []
  /// The other documents of a feed that is made of several (RFC 5005).
  public var pages = Pages()
  /// `fh:complete` (RFC 5005): the document has all items that there are; what it lacks was removed.
  public var isComplete = false
  /// `fh:archive` (RFC 5005): the document does not change any more.
  public var isArchive = false
  /// What podcasts say.
  public var podcast = Podcast()

  /// Creates details that say nothing.
  public init() {}
}

extension FeedDetails {
  /// How many bytes of authors an item may get of its feed: else a small document could become a large feed.
  private static let longestInheritance = 1024

  /// The authors that items without any of their own get of the feed.
  func authorsToPassOn(_ limits: ParserLimits) -> ArraySlice<Author> {
    var room = Self.longestInheritance
    return authors.prefix(limits.listCount).prefix { author in
      room -= [author.name, author.email, author.url, author.avatar].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
      return room >= 0
    }
  }
}

extension FeedDetails {
  /// Whether anything was found that the feed says of itself; its language may stand in any document.
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
