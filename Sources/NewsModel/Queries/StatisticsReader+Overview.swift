public import Foundation
public import ManagedContext

/// What a page of statistics shows besides the lines of regions.
public struct StatisticsOverview: Sendable {
  /// The beginning of the first day, in UTC.
  public var begin: Date
  /// The dates of new articles: counts by hour since ``begin``, for whole days.
  public var hours: [Int]
  /// The articles that were saved on each day, by days since 1970 in UTC, in order. Days without articles are left
  /// out.
  public var imported: [(day: Int64, count: Int)] = []
  /// The feeds' last answers, the oldest first; the feeds with most failures and refusals come first. An
  /// unknown outcome is nil.
  public var logs: [(feed: Int64, outcomes: [FetchOutcome?])] = []
  /// The number of feeds with answers.
  public var feedsWithAnswers = 0
  /// The feeds with the slowest answers, and their mean time in milliseconds.
  public var slowest: [(feed: Int64, milliseconds: Int)] = []
  /// The feeds whose last polls failed, those with most failures in a row first.
  public var failing: [(feed: Int64, failures: Int)] = []
}

extension StatisticsReader {
  /// Returns what a page of statistics shows, for the reader's feeds.
  ///
  /// - Parameters:
  ///   - most: The number of feeds in each list.
  ///   - mostLogs: The number of feeds with logs.
  /// - Throws: ``StoreError``.
  public func overview(most: Int = 20, mostLogs: Int = 60) throws(StoreError) -> StatisticsOverview {
    let begin = (now / 86400 - Int64(days) + 1) * 86400
    var overview = StatisticsOverview(
      begin: Date(timeIntervalSince1970: TimeInterval(begin)), hours: Array(repeating: 0, count: 24 * days))
    try each(
      """
      \(partsOfFeeds) SELECT \(query.dialect.whole("(\(Self.listDate(at: now)) - \(begin)) / 3600")) AS hour, count(*)
      FROM article a WHERE \(newArticles(from: begin)) AND \(isChosen("a.feed_id")) GROUP BY 1
      """
    ) { hour, values in
      if overview.hours.indices.contains(Int(hour)) { overview.hours[Int(hour)] = Int(values[0]) }
    }
    try each(
      """
      \(partsOfFeeds) SELECT \(query.dialect.whole("a.imported / 86400")) AS day, count(*) FROM article a
      WHERE \(isChosen("a.feed_id")) GROUP BY 1 ORDER BY 1
      """
    ) { day, values in
      // Another program may have written any date.
      if Self.daysOfDates.contains(day) { overview.imported.append((day, Int(values[0]))) }
    }
    try each("\(partsOfFeeds) SELECT count(DISTINCT feed_id) FROM \"fetch\" WHERE \(isChosen("feed_id"))") {
      count, _ in
      overview.feedsWithAnswers = Int(count)
    }
    try readLogs(&overview, mostLogs)
    try each(
      """
      \(partsOfFeeds) SELECT feed_id, \(query.dialect.whole("avg(total_ms)")) FROM "fetch"
      WHERE total_ms > 0 AND \(isChosen("feed_id")) GROUP BY feed_id ORDER BY 2 DESC, 1 LIMIT \(most)
      """
    ) { feed, values in overview.slowest.append((feed, Int(values[0]))) }
    try each(
      """
      \(partsOfFeeds) SELECT id, failures FROM feed WHERE failures > 0 AND \(isChosen("id"))
      ORDER BY failures DESC, id LIMIT \(most)
      """
    ) { feed, values in overview.failing.append((feed, Int(values[0]))) }
    return overview
  }

  /// The days of the years 1 to 9999.
  private static let daysOfDates: ClosedRange<Int64> = -719_162...2_932_896

  private func readLogs(_ overview: inout StatisticsOverview, _ most: Int) throws(StoreError) {
    let bad = [FetchOutcome.failed, .refused].map { "'\($0.rawValue)'" }.joined(separator: ", ")
    try each(
      """
      \(partsOfFeeds) SELECT feed_id, sum(CASE WHEN outcome IN (\(bad)) THEN 1 ELSE 0 END) FROM "fetch"
      WHERE \(isChosen("feed_id")) GROUP BY feed_id ORDER BY 2 DESC, 1 LIMIT \(most)
      """
    ) { feed, _ in overview.logs.append((feed, [])) }
    var places: [Int64: Int] = [:]
    for (place, log) in overview.logs.enumerated() { places[log.feed] = place }
    let feeds = Self.list(overview.logs.map(\.feed))
    var outcomes = overview.logs.map(\.outcomes)
    try query("SELECT feed_id, outcome FROM \"fetch\" WHERE feed_id IN (\(feeds)) ORDER BY date, id") { row in
      guard case .integer(let feed) = row[0], let place = places[feed] else { return true }
      if case .text(let outcome) = row[1] {
        outcomes[place].append(FetchOutcome(rawValue: outcome))
      } else {
        outcomes[place].append(nil)
      }
      return true
    }
    for place in outcomes.indices { overview.logs[place].outcomes = outcomes[place] }
  }

  /// The chosen feeds, as the table `part`; empty for all.
  private var partsOfFeeds: String { regions == nil && feeds == nil ? "" : parts(by: .feed) }

  /// Returns the condition that a feed is chosen.
  private func isChosen(_ column: String) -> String {
    regions == nil && feeds == nil ? "1 = 1" : "\(column) IN (SELECT feed FROM part)"
  }
}
