/// A feed with its items as strings: for tests, and for code without speed requirements.
public struct ParsedFeed: Sendable {
  /// The feed's properties.
  public var details = FeedDetails()
  /// The items, in document order.
  public var items: [FeedItem] = []

  /// Creates a feed from its parts.
  public init(details: FeedDetails = FeedDetails(), items: [FeedItem] = []) {
    self.details = details
    self.items = items
  }

  /// Parses a whole document.
  public static func parse(
    _ bytes: [UInt8], source: DocumentSource = DocumentSource(), limits: ParserLimits = .standard
  ) throws(FeedError) -> ParsedFeed {
    try parse(chunks: [bytes], source: source, limits: limits)
  }

  /// Parses a document that is given in chunks.
  public static func parse(
    chunks: [[UInt8]], source: DocumentSource = DocumentSource(), limits: ParserLimits = .standard
  ) throws(FeedError) -> ParsedFeed {
    let parser = FeedParser(source: source, limits: limits)
    var feed = ParsedFeed()
    for chunk in chunks {
      try parser.push(chunk)
      feed.append(parser.takeItems())
    }
    feed.details = try parser.finish()
    feed.append(parser.takeItems())
    return feed
  }

  private mutating func append(_ batch: ParsedItemBatch) {
    for item in batch.items { items.append(FeedItem(item, in: batch)) }
  }
}

/// A feed item, as strings. The fields are the same as in ``ParsedItem``.
public struct FeedItem: Sendable, Equatable {
  /// A file that belongs to an item.
  public typealias Attachment = FeedAttachment<String>

  /// RSS `guid`, Atom `id`.
  public var id: String?
  /// The item's page.
  public var url: String?
  /// A page elsewhere that the item is about.
  public var externalURL: String?
  /// The title as plain text.
  public var title: String?
  /// The summary, as HTML.
  public var summary: String?
  /// The content as HTML.
  public var contentHTML: String?
  /// The content as plain text; JSON Feed may have both.
  public var contentText: String?
  /// A picture's address.
  public var image: String?
  /// The language.
  public var language: String?
  /// The publication date: seconds since 1970, UTC.
  public var published: Int64?
  /// The date of the last change: seconds since 1970, UTC.
  public var modified: Int64?
  /// The authors.
  public var authors: [FeedDetails.Author]
  /// The subjects.
  public var tags: [String]
  /// The files.
  public var attachments: [Attachment]
  /// RSS `isPermaLink`: true if ``id`` is the item's address; nil if the document does not state it.
  public var idIsPermaLink: Bool?
  /// The item's properties beyond the other fields.
  public var members: ItemMembers

  /// Creates an item's strings.
  public init(_ item: ParsedItem, in batch: ParsedItemBatch) {
    id = batch.string(item.id)
    url = batch.string(item.url)
    externalURL = batch.string(item.externalURL)
    title = batch.string(item.title)
    summary = batch.string(item.summary)
    contentHTML = item.contentIsPlainText ? nil : batch.string(item.content)
    contentText = item.contentIsPlainText ? batch.string(item.content) : batch.string(item.contentText)
    image = batch.string(item.image)
    language = batch.string(item.language)
    published = item.published
    modified = item.modified
    authors = batch.authors[item.authors.range].map { author in author.map { batch.string($0) } }
    tags = batch.tags[item.tags.range].compactMap { batch.string($0) }
    attachments = batch.attachments[item.attachments.range].map { file in
      file.map { batch.string($0) ?? "" }
    }
    idIsPermaLink = item.idIsPermaLink
    members = ItemMembers(of: item, in: batch)
  }
}
