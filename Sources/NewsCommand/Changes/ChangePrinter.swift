import ArticleDocuments
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// Prints events, one per line.
@MainActor
struct ChangePrinter {
  /// Queries to a context for the transactions that were read together.
  private(set) var source: DataSource
  private let coordinator: PersistentStoreCoordinator
  private let isJSON: Bool
  private let isFull: Bool
  private let fields: [RecordField<ListedArticle>]
  /// The attributes that are read from new articles, and from changed ones.
  let (columns, changedColumns): (AttributeSet, AttributeSet)
  private let addresses: FeedAddresses
  private var regions: FeedRegions
  private var stories = ListedStories()
  /// The last written event's token; nil before the first.
  private(set) var lastToken: String?

  init(_ coordinator: PersistentStoreCoordinator, isJSON: Bool, isFull: Bool) {
    (self.coordinator, self.isJSON, self.isFull) = (coordinator, isJSON, isFull)
    source = DataSource(ManagedObjectContext(parent: coordinator))
    regions = FeedRegions(source)
    addresses = FeedAddresses(coordinator)
    fields = isFull ? ArticleFields.all : ArticleFields.standard
    (columns, changedColumns) = isJSON ? (ArticleFields.columns(of: fields), Article.identity) : (.all, .all)
  }

  /// Forgets the feeds and regions that were read before.
  mutating func begin() {
    source = DataSource(ManagedObjectContext(parent: coordinator))
    regions = FeedRegions(source)
  }

  mutating func write(
    _ events: [ArticleEvent], of transaction: HistoryTransaction
  ) throws(StoreError) {
    var lines: [Line] = []
    lines.reserveCapacity(events.count)
    for event in events { lines.append(try line(of: event, in: transaction)) }
    if let last = events.last {
      lastToken = ChangeToken(transaction.token, position: last.position).text
    }
    guard isJSON else {
      for line in lines { Output.standard.write(ChangeLine.text(line, of: transaction)) }
      return
    }
    let inserted = lines.filter(\.isNew).compactMap(\.event.article)
    var articles = try source.listed(inserted, in: regions, &stories, withMarks: isFull).makeIterator()
    let parts = ChangeToken.parts(of: transaction.token)
    let origin = Self.origin(of: transaction)
    for line in lines {
      let listed = line.isNew ? articles.next() : nil
      Output.standard.writeJSON { json in
        json.open("{")
        json.key("token")
        json.string(parts.start, line.event.position, parts.end)
        json.key("change")
        json.string(line.name)
        json.append(elements: origin)
        if let listed {
          for field in fields { field.write(listed, to: &json) }
        } else {
          line.write(to: &json)
        }
        json.close("}")
        json.endLine()
      }
    }
    try regions.check()
  }

  /// Returns the JSON members that all events in a transaction have.
  private static func origin(of transaction: HistoryTransaction) -> [UInt8] {
    var json = JSONText()
    json.key("date")
    json.string(iso8601(transaction.date))
    json.key("author")
    if let author = transaction.author { json.string(author) } else { json.null() }
    return json.takeBytes()
  }

  /// An event with its feed.
  struct Line {
    let event: ArticleEvent
    /// Nil if the feed no longer exists.
    let feed: Feed?
    /// The feed's address, even if the feed no longer exists.
    let address: String?
    /// The change's name, on which scripts rely.
    let name: String
    /// True if the article went to another store.
    let isArchived: Bool

    /// True for a new article that still exists.
    var isNew: Bool {
      if case .insert = event.change { event.article != nil } else { false }
    }

    /// The guid, even if the article no longer exists.
    var guid: String? {
      if case .delete(_, let guid) = event.change { guid } else { event.article?.guid }
    }
  }

  private func line(
    of event: ArticleEvent, in transaction: HistoryTransaction
  ) throws(StoreError) -> Line {
    if case .delete(let feed, _) = event.change {
      let address = try feed.map { (feed) throws(StoreError) in
        try addresses.address(of: feed, in: source, since: transaction)
      }
      let isArchived = transaction.author == TransactionAuthor.archive
      return Line(
        event: event, feed: nil, address: address??.withoutPassword, name: isArchived ? "move" : "delete",
        isArchived: isArchived)
    }
    let feed = event.article.flatMap { source.context.object(Feed.self, with: $0.feed) }
    let name = Self.name(of: event.change)
    return Line(event: event, feed: feed, address: regions.address(of: feed), name: name, isArchived: false)
  }

  private static func name(of change: ArticleEvent.Change) -> String {
    switch change {
    case .insert: "insert"
    case .update: "update"
    case .move: "move"
    case .delete: "delete"
    case .mark(.read, let isSet): isSet ? "read" : "unread"
    case .mark(.starred, let isSet): isSet ? "star" : "unstar"
    }
  }
}

extension ChangePrinter.Line {
  /// Writes the fields for an event that is not a new article.
  func write(to json: inout JSONText) {
    json.key("id")
    json.raw(String(event.id.key))
    switch event.change {
    case .delete: writeOrigin(to: &json)
    case _ where event.article == nil:
      json.key("deleted")
      json.raw("true")
      return
    default: writeOrigin(to: &json)
    }
    if isArchived {
      json.key("to")
      json.string("archive")
    } else if case .move = event.change {
      json.key("to")
      json.string("feed")
    }
    if case .update(let update?) = event.change { update.write(to: &json) }
  }

  private func writeOrigin(to json: inout JSONText) {
    json.key("guid")
    if let guid { json.string(guid) } else { json.null() }
    json.key("feed")
    if let address { json.string(address) } else { json.null() }
  }
}
