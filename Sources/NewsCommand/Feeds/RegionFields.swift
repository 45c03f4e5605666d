import NewsModel
import WebAddress

/// The fields of a region in `region list`.
enum RegionFields: RecordFields {
  static let all: [RecordField<(name: String, feeds: [String])>] = [
    RecordField("name") { $0.name },
    RecordField("feeds") { $0.feeds },
  ]
}

/// The fields of a feed in `region show` and `feed list`.
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
  ]
}
