public import ManagedContext

/// Two feeds that share most articles of the smaller one.
public struct FeedOverlap: Sendable {
  /// The key of the feed with fewer articles.
  public let feed: Int64
  /// The other feed's key.
  public let other: Int64
  /// Stories that both have.
  public private(set) var shared: Int
  /// The article count of ``feed``.
  public let articles: Int

  private static let leastShared = 5

  /// Returns each feed's overlap with the feed that shares most of its articles.
  public static func all(_ query: StatisticsQuery, _ source: DataSource) throws(StoreError) -> [FeedOverlap] {
    var overlaps = try ofPages(query)
    let shared = try source.sharedArticles(
      ofFeeds: Dictionary(uniqueKeysWithValues: overlaps.map { ($0.feed, $0.other) }))
    for place in overlaps.indices { overlaps[place].shared = shared[overlaps[place].feed] ?? 0 }
    return overlaps.filter { $0.shared >= leastShared && $0.shared * 2 > $0.articles }
  }

  /// Returns overlaps by article pages alone. It reads two indexes, and no article.
  private static func ofPages(_ query: StatisticsQuery) throws(StoreError) -> [FeedOverlap] {
    var articles: [Int64: Int] = [:]
    for row in try rows("SELECT feed_id, count(*) FROM article GROUP BY feed_id", query) {
      articles[row[0]] = Int(row[1])
    }
    var found: [Int64: FeedOverlap] = [:]
    for row in try rows(pairs, query) {
      let (one, other, shared) = (row[0], row[1], Int(row[2]))
      let counts = (articles[one] ?? 0, articles[other] ?? 0)
      // If both feeds have the same size, the older one is kept.
      let (feed, kept) = counts.0 < counts.1 ? (one, other) : (other, one)
      let count = min(counts.0, counts.1)
      if shared >= leastShared, shared * 2 > count {
        guard shared > found[feed]?.shared ?? 0 else { continue }
        found[feed] = FeedOverlap(feed: feed, other: kept, shared: shared, articles: count)
      }
    }
    return found.values.sorted { $0.feed < $1.feed }
  }

  private static let pairs = """
    WITH shared AS (
      SELECT story FROM article WHERE story IS NOT NULL GROUP BY story HAVING min(feed_id) < max(feed_id)),
    copy AS MATERIALIZED (
      SELECT story, feed_id FROM shared JOIN article USING (story) GROUP BY 1, 2 HAVING count(*) = 1)
    SELECT one.feed_id, other.feed_id, count(*)
    FROM copy one JOIN copy other ON other.story = one.story AND other.feed_id > one.feed_id
    GROUP BY 1, 2 HAVING count(*) >= \(leastShared) ORDER BY 1, 2
    """

  private static func rows(
    _ text: String, _ query: StatisticsQuery
  ) throws(StoreError) -> [[Int64]] {
    var rows: [[Int64]] = []
    try query(text) { row in
      rows.append(row.map { if case .integer(let number) = $0 { number } else { 0 } })
      return true
    }
    return rows
  }
}
