import ManagedContext
import NewsModel
import WebAddress

/// The validators of feeds, which are saved after all articles.
struct FeedValidators {
  private struct Values {
    var etag: [UInt8]?
    var lastModified: [UInt8]?
    var bodyHash: Int64?
    var address: WebAddress?
    /// The number of answers when the feed had these validators.
    let fetches: Int
  }

  private var byAddress: [String: Values] = [:]
  private var byFeed: [ManagedObjectID: Values] = [:]

  static let columns = [
    Feed.Key.etag.index, Feed.Key.lastModified.index, Feed.Key.bodyHash.index, Feed.Key.validatorsURL.index,
  ]

  /// Takes the validators out of the rows of feeds.
  mutating func withhold(_ rows: inout TableRows) {
    for row in 0..<rows.rows.count {
      let feed = RowValues(rows.rows, row: row, model: NewsModel.model)
      let values = Values(
        etag: feed[Feed.Key.etag], lastModified: feed[Feed.Key.lastModified],
        bodyHash: feed[Feed.Key.bodyHash],
        address: feed[Feed.Key.validatorsURL], fetches: feed[Feed.Key.fetches])
      byAddress[feed[Feed.Key.url].text] = values
    }
    rows.clear(Self.columns)
  }

  /// Notes the IDs of feeds, by their addresses.
  mutating func identify(_ feeds: [String: ManagedObjectID]) {
    for (url, values) in byAddress {
      if let id = feeds[url] { byFeed[id] = values }
    }
    byAddress = [:]
  }

  /// Deletes the validators of feeds of which articles have changed. Their own are not saved either.
  ///
  /// - Returns: The tickets of the saves.
  mutating func forget(
    ofFeedsWith articles: [ManagedObjectID], in context: BackgroundContext
  ) throws(StoreError) -> [SaveTicket] {
    var tickets: [SaveTicket] = []
    for page in articles.chunks(of: 500) {
      let (feeds, ticket) = try context.performNow { (context) throws(StoreError) in
        defer { context.reset() }
        let rows = try context.rows(
          FetchRequest(Article.self, where: .ids(page)), columns: [Article.Key.feed.index])
        let owners = Set(
          (0..<rows.count).map { RowValues(rows, row: $0, model: NewsModel.model)[Article.Key.feed] })
        for feed in try context.fetch(FetchRequest(Feed.self, where: .ids(Array(owners)))) {
          feed.forgetValidators()
        }
        return (owners, try context.push(after: nil))
      }
      for feed in feeds { byFeed[feed] = nil }
      if let ticket { tickets.append(ticket) }
    }
    return tickets
  }

  /// Saves the validators of the feeds that nobody has polled since.
  ///
  /// - Returns: The tickets of the saves.
  func save(in context: BackgroundContext) throws(StoreError) -> [SaveTicket] {
    var tickets: [SaveTicket] = []
    for page in Array(byFeed.keys).chunks(of: 500) {
      let ticket = try context.performNow { (context) throws(StoreError) in
        defer { context.reset() }
        let feeds = try context.fetch(FetchRequest(Feed.self, where: .ids(page)))
        for feed in feeds {
          guard let values = byFeed[feed.id], feed.fetches == values.fetches, feed.bodyHash == nil,
            feed.etag == nil, feed.lastModified == nil
          else { continue }
          feed.etag = values.etag
          feed.lastModified = values.lastModified
          feed.bodyHash = values.bodyHash
          feed.validatorsURL = values.address
        }
        return try context.push(after: nil)
      }
      if let ticket { tickets.append(ticket) }
    }
    return tickets
  }
}
