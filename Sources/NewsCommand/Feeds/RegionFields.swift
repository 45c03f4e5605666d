import FeedImport
import NewsModel
import WebAddress

/// The fields of a region in `region list`. Scripts rely on their names and order.
enum RegionField: String, RecordField {
  case name, feeds

  static let standard = allCases

  func value(of region: (name: String, feeds: [String])) -> RecordValue {
    switch self {
    case .name: .text(region.name)
    case .feeds: .json(JSONLine.array(region.feeds))
    }
  }
}

/// The fields of a feed in `region show`. Scripts rely on their names and order.
enum FeedField: String, RecordField {
  case feed, title
  case homePageURL = "home_page_url"
  case outcome, status, error, failures
  case lastFetch = "last_fetch"
  case nextFetch = "next_fetch"
  case gone

  static let standard = allCases

  func value(of feed: Feed) -> RecordValue {
    switch self {
    case .feed: .text(feed.url.withoutPassword)
    case .title: RecordValue(feed.shownTitle)
    case .homePageURL: RecordValue(feed.homePage)
    case .outcome: RecordValue(feed.lastOutcome?.rawValue)
    case .status: RecordValue(feed.lastStatus)
    case .error: RecordValue(feed.lastFailure?.description)
    case .failures: RecordValue(feed.failures)
    case .lastFetch: RecordValue(feed.lastFetch)
    case .nextFetch: RecordValue(feed.nextFetch)
    case .gone: .boolean(feed.isGone410)
    }
  }
}
