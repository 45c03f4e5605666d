import FeedParsing
public import NewsModel
import TextOutput
public import WebAddress

/// One feed's articles that another program has kept, as items in a JSON Feed.
public struct ConvertedFeed: Sendable {
  /// An article's values; nil if the other program lacks them.
  public struct Article: Sendable {
    /// The publisher's id; nil if the address identifies the article.
    public var id: String?
    /// True if several articles at ``url`` in the feed have no id. Title and date distinguish them.
    public var sharesURL = false
    /// True if the article has neither id nor address, and the other program may have made up its date.
    public var isKnownByTitle = false
    /// The absolute address of the article's page.
    public var url: String?
    /// Plain text.
    public var title: String?
    /// The whole text.
    public var content: String?
    /// Plain text beside ``content``, such as the description of its file.
    public var summary: String?
    /// True if ``content`` is plain text.
    public var isPlainText = false
    /// Seconds since 1970.
    public var published: Int64?
    /// The author's name.
    public var author: String?
    /// The subjects.
    public var tags: [String] = []
    /// A file's address.
    public var attachment: String?
    /// The file's type.
    public var attachmentType: String?
    /// The file's size in bytes.
    public var attachmentSize: Int64?
    /// The comments' page.
    public var commentsURL: String?
    /// The user's marks.
    public var marks: Set<ArticleMark> = []

    /// An article without values.
    public init() {}
  }

  /// The name for messages.
  public let name: String
  /// The feed's address.
  public let address: WebAddress
  /// The regions that the feed is added to.
  public var regions: [String] = []
  /// The user's own title for the feed; nil if none is set.
  public var ownTitle: String?
  /// True if the user has deleted the articles: those missing from the store leave tombstones, so that no
  /// fetch brings them back.
  public var areDeleted = false
  /// The mistakes in the lines with the articles.
  package var mistakes = LineMistakes()
  private(set) var json = JSONText()
  private(set) var marks: [(id: String, marks: Set<ArticleMark>)] = []
  /// The values that JSON Feed items cannot hold, by article id.
  private(set) var others: [[UInt8]: OtherValues] = [:]
  /// The article count.
  public private(set) var count = 0
  /// The count of articles that were left out for lack of title, address and text.
  private var emptyCount = 0

  /// All mistakes, including articles that were left out.
  var allMistakes: LineMistakes {
    var all = mistakes
    if emptyCount > 0 {
      all.add("\(counted(emptyCount, "article")) left out: neither a title, nor an address, nor a text")
    }
    return all
  }

  /// The article values that JSON Feed items cannot hold.
  struct OtherValues: Sendable {
    /// The address of the comments page; nil without one.
    var commentsURL: [UInt8]?
    /// The members, as a JSON object; nil if empty.
    var members: [UInt8]?

    var isEmpty: Bool { commentsURL == nil && members == nil }
  }

  /// Begins a document.
  public init(name: String, address: WebAddress, title: String? = nil, homePage: String? = nil) {
    (self.name, self.address) = (name, address)
    json.open("{")
    json.field("version", "https://jsonfeed.org/version/1.1")
    json.field("title", title)
    json.field("home_page_url", homePage)
    json.key("items")
    json.open("[")
  }

  /// The byte count after which a text is cut: more than the parser's limit, so that it counts as too long.
  public static let mostBytesOfText = ParserLimits.standard.fieldBytes + 16

  /// Adds an article. A text is cut after ``mostBytesOfText``: the parser might not accept the whole.
  public mutating func add(_ article: Article) {
    let id = article.id ?? article.hashedID(inFeedAt: address)
    if areDeleted, article.isKnownByTitle {
      // The feed's document may identify the article by either.
      let byDate = with(article) { ($0.isKnownByTitle, $0.content) = (false, nil) }
      let byText = with(article) { ($0.isKnownByTitle, $0.published) = (false, nil) }
      add(byDate, id: nil)
      return add(byText, id: nil)
    }
    add(article, id: id)
    if let url = article.commentsURL, let id = id ?? article.url {
      others[Array(id.utf8)] = OtherValues(commentsURL: Array(url.utf8))
    }
  }

  private func with(_ article: Article, _ change: (inout Article) -> Void) -> Article {
    var article = article
    change(&article)
    return article
  }

  private mutating func add(_ article: Article, id: String?) {
    if id == nil, article.url == nil, article.title == nil, article.content?.isEmpty ?? true {
      emptyCount += 1
      return
    }
    count += 1
    json.open("{")
    json.field("id", id)
    json.field("url", article.url)
    json.field("title", article.title.map(Self.bounded))
    if article.isPlainText {
      json.field("content_text", article.content.map(Self.bounded))
    } else {
      json.field("content_html", article.content.map(Self.bounded))
    }
    json.field("summary", article.summary.map(Self.bounded))
    json.date("date_published", article.published)
    json.objects("authors", [article.author].compactMap(\.self)) { $1.field("name", $0) }
    json.strings("tags", article.tags)
    json.objects("attachments", [article.attachment].compactMap(\.self)) { file, json in
      json.field("url", file)
      json.field("mime_type", article.attachmentType ?? "application/octet-stream")
      json.field("size_in_bytes", article.attachmentSize)
    }
    json.close("}")
    if !article.marks.isEmpty, let id = id ?? article.url { marks.append((id, article.marks)) }
  }

  private static func bounded(_ text: String) -> String {
    guard text.utf8.count > mostBytesOfText else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: mostBytesOfText)
    while end > text.startIndex, text.utf8[end] & 0xC0 == 0x80 { text.utf8.formIndex(before: &end) }
    return String(text[..<end])
  }

  /// Notes that some articles cannot be read.
  public mutating func addUnread(_ count: Int) {
    if count > 0 { mistakes.add("\(counted(count, "article")) could not be read: damaged, or too long") }
  }

  /// Adds an item that is already JSON.
  mutating func add(item: [UInt8], id: String, _ marks: Set<ArticleMark>, _ values: OtherValues) {
    count += 1
    if !values.isEmpty { others[Array(id.utf8)] = values }
    json.append(elements: item)
    if !marks.isEmpty { self.marks.append((id, marks)) }
  }

  var document: [UInt8] {
    var json = json
    json.close("]")
    json.close("}")
    return json.takeBytes()
  }

  /// The document's size so far, in bytes.
  public var byteCount: Int { json.bytes.count }

  /// The size in bytes above which a feed should be imported, and a new one begun for its remaining articles.
  public static let usualBytes = 4 << 20
}

extension ConvertedFeed.Article {
  /// Returns the id for an article without one that its address does not identify; nil for others.
  fileprivate func hashedID(inFeedAt feed: WebAddress) -> String? {
    if let url, sharesURL {
      let link = LinkIdentity(ofFeedAt: [feed.text]).key(Array(url.utf8).span)
      let title = title.map { ContentHash.of(Array($0.utf8).span) } ?? 0
      return SharedGuid(identity: link, link: link, title: title, published: published).text
    }
    guard isKnownByTitle, let title else { return nil }
    return ItemArena.titleGuid(ContentHash.of(Array(title.utf8).span))
  }
}
