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
    case .feeds: region.feeds.recordValue
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
    case .title: feed.shownTitle.recordValue
    case .homePageURL: feed.homePage.recordValue
    case .outcome: (feed.lastOutcome?.rawValue).recordValue
    case .status: feed.lastStatus.recordValue
    case .error: (feed.lastFailure?.description).recordValue
    case .failures: feed.failures.recordValue
    case .lastFetch: feed.lastFetch.recordValue
    case .nextFetch: feed.nextFetch.recordValue
    case .gone: .boolean(feed.isGone410)
    }
  }
}
