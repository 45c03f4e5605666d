public import Foundation
public import ManagedContext
import TextOutput
public import WebAddress

/// What other tables have about a feed, read with one statement.
public struct FeedSurroundings: Sendable {
  /// The names of its regions, ordered.
  public private(set) var regions: [String] = []
  /// The addresses that it had before it moved, oldest first.
  public private(set) var formerAddresses: [WebAddress] = []
  /// The number of its articles.
  public private(set) var articles = 0
  /// The first import of its newest article; nil without articles.
  public private(set) var newestImport: Date?

  /// Reads what the store has about a feed.
  public init(of feed: Feed, _ query: StatisticsQuery) throws(StoreError) {
    let isOfFeed = "feed_id = \(feed.id.key)"
    try query(
      """
      SELECT 1 AS kind, id, name, 0 FROM region WHERE id IN (SELECT region_id FROM membership WHERE \(isOfFeed))
      UNION ALL SELECT 2, id, url, 0 FROM former_address WHERE \(isOfFeed)
      UNION ALL SELECT 3, 0, '', count(*) FROM article WHERE \(isOfFeed)
      UNION ALL SELECT 4, 0, '', imported FROM article WHERE id = (SELECT max(id) FROM article WHERE \(isOfFeed))
      ORDER BY 1, 2
      """
    ) { row in
      switch (row[0], row[2], row[3]) {
      case (.integer(1), .text(let name), _): regions.append(name)
      case (.integer(2), .text(let url), _): formerAddresses.append(WebAddress(url))
      case (.integer(3), _, .integer(let count)): articles = Int(count)
      case (.integer(4), _, .integer(let date)):
        newestImport = Date(timeIntervalSince1970: TimeInterval(date))
      default: break
      }
      return true
    }
    regions.sort(by: precedesInLists)
  }
}
