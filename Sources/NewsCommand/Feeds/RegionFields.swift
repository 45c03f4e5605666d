import ArticleDocuments
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// A region in `region list`.
struct ListedRegion {
  let name: String
  let feeds: [StoredRow<Feed>]

  /// The number of feeds with a failure as their last answer, except ended ones.
  var failing: Int { feeds.count { $0.failures > 0 && !$0.isGone410 } }
  /// The number of feeds that their publishers ended (HTTP 410).
  var gone: Int { feeds.count(where: \.isGone410) }

  static func rows(_ regions: [ListedRegion]) -> [[String]] {
    func column(_ numbers: [Int], _ what: String) -> [String] {
      let width = numbers.map { grouped($0).count }.max() ?? 0
      return numbers.map { number in
        number == 0
          ? "" : String(repeating: " ", count: width - grouped(number).count) + "\(grouped(number)) \(what)"
      }
    }
    let feeds = countedColumn(regions.map(\.feeds.count), "feed")
    let failing = column(regions.map(\.failing), "failing")
    let gone = column(regions.map(\.gone), "gone")
    return regions.indices.map { [printable(regions[$0].name), feeds[$0], failing[$0], gone[$0]] }
  }
}

/// A region's fields in `region list`.
enum RegionFields: RecordFields {
  static let all: [RecordField<ListedRegion>] = [
    RecordField("name") { $0.name },
    RecordField("feeds") { $0.feeds.map(\.url.withoutPassword) },
    RecordField("failing") { $0.failing },
    RecordField("gone") { $0.gone },
  ]
}

/// A feed in `feed list`.
struct ListedFeed {
  let feed: Feed
  /// Its region names, ordered.
  let regions: [String]
}

/// A feed's fields in `feed list`.
enum FeedFields: RecordFields {
  static let all: [RecordField<ListedFeed>] = [
    RecordField("feed") { $0.feed.url.withoutPassword },
    RecordField("title") { $0.feed.shownTitle },
    RecordField("home_page_url") { $0.feed.homePage },
    RecordField("outcome") { $0.feed.lastOutcome?.rawValue },
    RecordField("status") { $0.feed.lastStatus },
    RecordField("error") { $0.feed.lastFailure?.description },
    RecordField("failures") { $0.feed.failures },
    RecordField("last_fetch") { $0.feed.lastFetch },
    RecordField("next_fetch") { $0.feed.nextFetch },
    RecordField("gone") { $0.feed.isGone410 },
    RecordField("regions") { $0.regions },
    RecordField("language") { $0.feed.language },
  ]
}
