public import Foundation
public import ManagedContext
import TextOutput
import WebAddress

/// Reads statistics from a store with one SQL statement for each figure, without an object for each article.
public struct StatisticsReader {
  /// A line's subject: the feeds of a region or a feed.
  public enum Subject: String, CaseIterable, Sendable {
    /// A region.
    case region
    /// A feed.
    case feed
  }

  let query: StatisticsQuery
  private let subject: Subject
  /// The requested regions' keys; nil for all feeds, including those in no region.
  let regions: [Int64]?
  /// The requested feeds' keys; nil for all in the regions.
  let feeds: [Int64]?
  let now: Int64
  let days: Int

  /// - Parameters:
  ///   - subject: The subject of a line.
  ///   - regions: The regions' keys; nil for all.
  ///   - feeds: The feeds' keys; nil for all in the regions.
  ///   - now: The time.
  ///   - days: How many days have article counts, including today.
  ///   - query: Runs the statements.
  public init(
    by subject: Subject, of regions: [Int64]?, inFeeds feeds: [Int64]? = nil, at now: Date, days: Int,
    _ query: StatisticsQuery
  ) {
    self.query = query
    self.subject = subject
    self.regions = regions
    self.feeds = feeds
    self.now = Int64(now.timeIntervalSince1970)
    self.days = days
  }

  /// Returns the statistics for each region or feed, by name.
  ///
  /// - Throws: ``StoreError``.
  public func statistics() throws(StoreError) -> [FeedStatistics] {
    var found: [Int64: FeedStatistics] = [:]
    var order: [Int64] = []
    var feedCount: Int64 = 0
    try query(names) { row in
      guard case .integer(let key) = row[0], case .text(let name) = row[1] else { return true }
      found[key] = FeedStatistics(
        name: subject == .feed ? WebAddress.withoutPassword(name) : name,
        days: Array(repeating: 0, count: days))
      switch row[2] {
      case .text(let title): found[key]?.title = title
      case .integer(let count): feedCount = count
      default: break
      }
      order.append(key)
      return true
    }
    if subject == .feed {
      try query(regionNames) { row in
        guard case .integer(let key) = row[0], case .text(let name) = row[1] else { return true }
        found[key]?.regions.append(name)
        return true
      }
    }
    try each(states) { key, values in
      guard FeedState.allCases.indices.contains(Int(values[0])) else { return }
      found[key]?.states[FeedState.allCases[Int(values[0])]] = Int(values[1])
      found[key]?.missedAnswers += Int(values[2])
    }
    let large = largeRegions(found, ofFeeds: feedCount)
    try each(articles(butOf: large)) { key, values in found[key]?.articles = Int(values[0]) }
    for region in large {
      try each(articles(ofLarge: region)) { key, values in found[key]?.articles = Int(values[0]) }
    }
    try each(answers) { key, values in
      found[key]?.answers = Int(values[0])
      found[key]?.notModified = Int(values[1])
      found[key]?.inserted = Int(values[2])
      found[key]?.edited = Int(values[3])
      found[key]?.bytesPerDay = Double(values[4])
      found[key]?.markupChanges = Int(values[5])
      found[key]?.dateChanges = Int(values[6])
    }
    try each(articlesByDay) { key, values in
      guard (0..<Int64(days)).contains(values[0]) else { return }
      found[key]?.days[Int(values[0])] = Int(values[1])
    }
    let lines = order.compactMap { found[$0] }
    return subject == .feed ? lines : lines.sorted { precedesInLists($0.name, $1.name) }
  }

  /// Runs a statement that returns a key and integers. NULL counts as 0.
  func each(_ text: String, _ body: (Int64, [Int64]) -> Void) throws(StoreError) {
    try query(text) { row in
      let numbers = row.map { Self.integer($0) ?? 0 }
      body(numbers[0], Array(numbers.dropFirst()))
      return true
    }
  }

  /// Returns a number, rounded, at most 10^15 away from zero: another program may have written any value, and
  /// sums must not overflow. Returns nil for other types.
  private static func integer(_ value: AttributeValue) -> Int64? {
    switch value {
    case .integer(let number): max(-1_000_000_000_000_000, min(number, 1_000_000_000_000_000))
    case .real(let number): Int64(exactly: max(-1e15, min(number.rounded(), 1e15)))
    default: nil
    }
  }

  // MARK: Statements

  /// The condition on memberships.
  private var chosen: String {
    let conditions = [("region_id", regions), ("feed_id", feeds)].compactMap { column, keys in
      keys.map { "\(column) IN (\(Self.list($0)))" }
    }
    return conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
  }

  static func list(_ keys: [Int64]) -> String { keys.map(String.init).joined(separator: ",") }

  /// Pairs of a line's key and a feed in that line.
  private var parts: String { parts(by: subject) }

  func parts(by subject: Subject) -> String {
    switch subject {
    case .region: "WITH part(key, feed) AS (SELECT region_id, feed_id FROM membership \(chosen))"
    case .feed:
      regions == nil
        ? "WITH part(key, feed) AS (SELECT id, id FROM feed\(feeds.map { " WHERE id IN (\(Self.list($0)))" } ?? ""))"
        : "WITH part(key, feed) AS (SELECT DISTINCT feed_id, feed_id FROM membership \(chosen))"
    }
  }

  /// Each line's key and name. A third column has a feed's title, or the count of all feeds.
  private var names: String {
    switch subject {
    case .region:
      feeds == nil
        ? "SELECT id, name, (SELECT count(*) FROM feed) FROM region \(chosen.replacing("region_id", with: "id"))"
        : "\(parts) SELECT id, name, NULL FROM region WHERE id IN (SELECT key FROM part)"
    case .feed:
      "\(parts) SELECT f.id, f.url, coalesce(f.own_title, f.title) FROM part JOIN feed f ON f.id = part.feed ORDER BY f.url"
    }
  }

  /// Each feed's region names.
  private var regionNames: String {
    """
    \(parts) SELECT m.feed_id, r.name FROM part JOIN membership m ON m.feed_id = part.feed
    JOIN region r ON r.id = m.region_id ORDER BY r.name
    """
  }

  private var states: String {
    """
    \(parts) SELECT key, \(FeedState.sql(of: "f", at: now)) AS state,
    count(*), sum(f.missed_answers) FROM part JOIN feed f ON f.id = part.feed GROUP BY key, state
    """
  }

  /// Returns the regions with more than half of all feeds.
  private func largeRegions(_ found: [Int64: FeedStatistics], ofFeeds all: Int64) -> [Int64] {
    guard subject == .region, feeds == nil else { return [] }
    return found.filter { 2 * Int64($0.value.feeds) > all }.keys.sorted()
  }

  /// - Parameter column: The column with the feed's key.
  private static func articles(ofFeedIn column: String) -> String {
    "(SELECT count(*) FROM article WHERE feed_id = \(column))"
  }

  /// Counts articles in the index of a feed's articles, without reading the articles.
  private func articles(butOf regions: [Int64]) -> String {
    let others = regions.isEmpty ? "" : "WHERE key NOT IN (\(Self.list(regions))) "
    return "\(parts) SELECT key, sum(\(Self.articles(ofFeedIn: "part.feed"))) FROM part \(others)GROUP BY key"
  }

  /// Counts all articles and subtracts the other feeds' articles: the total is read quickly from index pages.
  private func articles(ofLarge region: Int64) -> String {
    """
    SELECT \(region), (SELECT count(*) FROM article) - coalesce(sum(\(Self.articles(ofFeedIn: "feed.id"))), 0) FROM feed
    WHERE id NOT IN (SELECT feed_id FROM membership WHERE region_id = \(region))
    """
  }

  private var answers: String {
    let days = "(\(now) - min(l.date)) / 86400.0"
    return """
      \(parts) SELECT key, sum(n), sum(same), sum(inserted), sum(edited), sum(daily), sum(markup), sum(dates) FROM (
        SELECT key, count(*) AS n, sum(CASE WHEN l.status = 304 THEN 1 ELSE 0 END) AS same, sum(l.inserted) AS inserted, sum(l.edited) AS edited,
          sum(coalesce(l.transferred_bytes, l.bytes)) / CASE WHEN \(days) > 1.0 THEN \(days) ELSE 1.0 END AS daily,
          sum(l.markup_changes) AS markup, sum(l.date_changes) AS dates
        FROM part \(query.dialect.orderedJoin) "fetch" l ON l.feed_id = part.feed GROUP BY key, part.feed) logs GROUP BY key
      """
  }

  /// Counts articles by day, in the list index alone. A new publisher's date does not make an old article
  /// new.
  private var articlesByDay: String {
    let begin = (now / 86400 - Int64(days) + 1) * 86400
    let date = Self.listDate(at: now)
    return """
      \(parts) SELECT key, day, sum(n) FROM (
        SELECT a.feed_id AS feed_id, \(query.dialect.whole("(\(date) - \(begin)) / 86400")) AS day, count(*) AS n FROM article a
        WHERE \(newArticles(from: begin))
        GROUP BY 1, 2) counted \(query.dialect.orderedJoin) part ON part.feed = feed_id GROUP BY key, day
      """
  }

  /// The date of ``Article/listDate(at:)``.
  static func listDate(at now: Int64) -> String {
    "CASE WHEN a.timeline > \(now) THEN a.imported ELSE a.timeline END"
  }

  /// Returns the condition for articles dated in the reader's days.
  func newArticles(from begin: Int64) -> String {
    """
    a.timeline >= \(begin) AND a.imported >= \(begin - 86400) \
    AND \(Self.listDate(at: now)) < \(begin + Int64(days) * 86400)
    """
  }
}
