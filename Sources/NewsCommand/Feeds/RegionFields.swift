import ArticleDocuments
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// A region's fields in `region list`.
enum RegionFields: RecordFields {
  static let all: [RecordField<(region: Region, feeds: [StoredRow<Feed>])>] = [
    RecordField("name") { $0.region.name },
    RecordField("feeds") { $0.feeds.map(\.url.withoutPassword) },
    RecordField("failing") { failing($0.feeds) },
    RecordField("gone") { gone($0.feeds) },
  ]

  /// Returns the number of feeds with a failure as their last answer, except ended ones.
  private static func failing(_ feeds: [StoredRow<Feed>]) -> Int {
    feeds.count { $0.failures > 0 && !$0.isGone410 }
  }

  /// Returns the number of feeds that their publishers ended (HTTP 410).
  private static func gone(_ feeds: [StoredRow<Feed>]) -> Int { feeds.count(where: \.isGone410) }

  /// Returns the table's rows.
  static func rows(_ regions: [Subject]) -> [[String]] {
    func column(_ numbers: [Int], _ what: String) -> [String] {
      let width = numbers.map { grouped($0).count }.max() ?? 0
      return numbers.map { number in
        number == 0
          ? "" : String(repeating: " ", count: width - grouped(number).count) + "\(grouped(number)) \(what)"
      }
    }
    let feeds = countedColumn(regions.map(\.feeds.count), "feed")
    let failing = column(regions.map { Self.failing($0.feeds) }, "failing")
    let gone = column(regions.map { Self.gone($0.feeds) }, "gone")
    return regions.indices.map { [printable(regions[$0].region.name), feeds[$0], failing[$0], gone[$0]] }
  }
}

/// A feed's fields in `feed list`.
enum FeedFields: RecordFields {
  static let all: [RecordField<Feed>] = [
    RecordField("feed") { $0.url.withoutPassword },
    RecordField("title") { $0.shownTitle },
    RecordField("home_page_url") { $0.homePage },
    RecordField("outcome") { $0.lastOutcome?.rawValue },
    RecordField("status") { $0.lastStatus },
    RecordField("error") { $0.lastFailure?.description },
    RecordField("failures") { $0.failures },
    RecordField("last_fetch") { $0.lastFetch },
    RecordField("next_fetch") { $0.nextFetch },
    RecordField("gone") { $0.isGone410 },
    RecordField("regions") { $0.regions.map(\.name).sorted(by: precedesInLists) },
    RecordField("language") { $0.language },
  ]
}
