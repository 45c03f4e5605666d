import FeedImport
import Foundation
import WebAddress

/// What the user's configuration file says; everything in it may be missing.
struct Configuration: Sendable, Equatable {
  /// Where the user can be reached: an http or https address, or a mail address without `mailto:`.
  var contact: String?
  /// The whole User-Agent in place of ours.
  var userAgent: String?
  /// How downloads go.
  var fetch = FetchSettings()
  /// How often feeds are asked.
  var schedule = ScheduleSettings()
  /// How long articles are kept where neither the feed nor a region of it says so; empty for ever.
  var retention = Retention()
  /// What holds for the feeds of a region, by its name.
  var regions: [String: FeedSettings] = [:]
  /// What holds for one feed, by its address as it was given; see ``table(ofFeed:)``.
  private(set) var feeds: [String: FeedSettings] = [:]
  /// The addresses of ``feeds`` by what they ask of whom, however they are written.
  private var feedAddresses: [String: String] = [:]

  /// The table of a feed: that of its address, however that is written.
  ///
  /// - Parameter address: The feed's address as it is stored; tables name it without its password.
  /// - Returns: The address as the table has it, and what it says; nil where there is none.
  func table(ofFeed address: WebAddress) -> (url: String, settings: FeedSettings)? {
    if feeds.isEmpty { return nil }
    guard let url = feedAddresses[address.identity] else { return nil }
    return feeds[url].map { (url, $0) }
  }

  /// Adds the table of a feed.
  mutating func setTable(ofFeed address: WebAddress, to settings: FeedSettings) {
    feeds[address.text] = settings
    feedAddresses[address.identity] = address.text
  }

  /// The User-Agent of requests for which nothing else is said.
  var effectiveUserAgent: String {
    userAgent ?? contact.map(Version.userAgent(contact:)) ?? Version.userAgent
  }
}

/// `[fetch]`: nil stands for what the program recommends.
struct FetchSettings: Sendable, Equatable {
  /// Transfers at once.
  var jobs: Int?
  /// Transfers at once to one host.
  var perHost: Int?
  /// In seconds, of one transfer.
  var timeout: Double?
  /// In seconds, until a connection stands.
  var connectTimeout: Double?
  /// In bytes, of one body after decoding.
  var maxBody: Int?
  /// Whether addresses of private networks are refused.
  var publicOnly: Bool?
}

/// `[schedule]`: nil stands for what the program recommends.
struct ScheduleSettings: Sendable, Equatable {
  /// In seconds: no feed is asked more often by itself.
  var floor: TimeInterval?
  /// In seconds: each feed is asked as often as that.
  var ceiling: TimeInterval?
}

/// `[region.NAME]` or `[[feed]]`: how feeds are asked, and what is kept of them.
struct FeedSettings: Sendable, Equatable {
  /// In seconds, in place of the feed's own rhythm.
  var interval: TimeInterval?
  /// In place of the configuration's.
  var userAgent: String?
  /// Additional header fields, each name once whatever its case.
  var headers: [ConfiguredHeader] = []
  /// Who asks.
  var credentials: ConfiguredCredentials?
  /// How long articles are kept; empty where nothing is said.
  var retention = Retention()
  /// Articles with one of these are not saved; nil where nothing is said.
  var skip: [ArticleFilter.Pattern]?
  /// Articles without any of these are not saved; nil where nothing is said.
  var only: [ArticleFilter.Pattern]?

  /// The shortest time between two fetches that may be asked for, in seconds.
  static let shortestInterval: TimeInterval = 600
  /// The longest, in seconds.
  static let longestInterval: TimeInterval = 365 * 86400
}

/// A header field of requests.
struct ConfiguredHeader: Sendable, Equatable {
  /// As it is sent.
  var name: String
  var value: Value

  /// Where the value is.
  enum Value: Sendable, Equatable {
    /// In the file itself.
    case text(String)
    case secret(SecretSource)
  }

  /// Whether two names are those of one field (RFC 9110, 5.1).
  func isNamed(_ other: String) -> Bool {
    name.lowercased() == other.lowercased()
  }
}

/// Who asks, without the secret that proves it.
enum ConfiguredCredentials: Sendable, Equatable {
  case basic(user: String, password: SecretSource)
  case bearer(SecretSource)
}

/// Where a secret is kept; never in the configuration itself.
enum SecretSource: Sendable, Hashable {
  /// A path as it was given.
  case file(String)
  /// The name of a variable.
  case environment(String)
}

/// A mistake in the configuration.
struct ConfigurationError: Error, Equatable {
  /// The key, such as `fetch.jobs`, or the line; nil for the file as a whole.
  var place: String?
  /// What is wrong, and the way out.
  var cause: String

  init(_ place: String?, _ cause: String) {
    self.place = place
    self.cause = cause
  }
}
