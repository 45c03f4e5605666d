package import FeedImport
package import Foundation
package import WebAddress

/// The user's configuration file; all values are optional.
package struct Configuration: Sendable, Equatable {
  /// The contact for publishers: an http or https address, or a mail address without `mailto:`.
  var contact: String?
  /// The complete User-Agent, which replaces ours.
  var userAgent: String?
  /// The command that shows long output on a terminal; empty for none, nil for `PAGER` or less.
  package var pager: String?
  package var fetch = FetchSettings()
  /// The limits for polling intervals.
  var schedule = ScheduleSettings()
  /// The retention for feeds that neither their own table nor a region limits; empty to keep articles
  /// forever.
  package var retention = Retention()
  /// True if `fetch` applies every feed's retention once a day.
  package var appliesRetention = false
  /// Feed settings by region name.
  package var regions: [String: FeedSettings] = [:]
  /// The queries by name, without the `@`.
  package var queries: [String: QuerySettings] = [:]
  /// Settings for single feeds, by the address in the file; see ``table(ofFeed:)``.
  package private(set) var feeds: [String: FeedSettings] = [:]
  /// The addresses in ``feeds``, by their identity regardless of spelling.
  private var feedAddresses: [String: String] = [:]

  package init() {}

  /// Returns the table with a feed's address, in any spelling.
  ///
  /// - Parameter address: The feed's stored address; tables name it without its password.
  /// - Returns: The address in the table, and its settings; nil if the feed has no table.
  package func table(ofFeed address: WebAddress) -> (url: String, settings: FeedSettings)? {
    if feeds.isEmpty { return nil }
    guard let url = feedAddresses[address.identity] else { return nil }
    return feeds[url].map { (url, $0) }
  }

  mutating func setTable(ofFeed address: WebAddress, to settings: FeedSettings) {
    feeds[address.text] = settings
    feedAddresses[address.identity] = address.text
  }

  var secrets: [SecretSource] { (Array(regions.values) + feeds.values).flatMap(\.secrets) }

  /// The User-Agent for requests that do not have their own.
  var effectiveUserAgent: String {
    userAgent ?? contact.map(Version.userAgent(contact:)) ?? Version.userAgent
  }
}

/// The table `[fetch]`; nil means the program's default.
package struct FetchSettings: Sendable, Equatable {
  package static let jobsRange = 1...1024
  package static let perHostRange = 1...64
  /// The longest timeout that can be set, in seconds.
  package static let longestTimeout: Double = 86400

  /// The number of concurrent transfers.
  var jobs: Int?
  /// The number of concurrent transfers to one host.
  var perHost: Int?
  /// The longest time for one transfer, in seconds.
  var timeout: Double?
  /// The longest time until a connection is established, in seconds.
  var connectTimeout: Double?
  /// The largest body after decoding, in bytes.
  package var maxBody: Int?
  /// True to refuse addresses in private networks.
  package var publicOnly: Bool?

  package init(
    jobs: Int? = nil, perHost: Int? = nil, timeout: Double? = nil, connectTimeout: Double? = nil,
    maxBody: Int? = nil, publicOnly: Bool? = nil
  ) {
    (self.jobs, self.perHost) = (jobs, perHost)
    (self.timeout, self.connectTimeout) = (timeout, connectTimeout)
    (self.maxBody, self.publicOnly) = (maxBody, publicOnly)
  }
}

/// The table `[schedule]`; nil means the program's default.
struct ScheduleSettings: Sendable, Equatable {
  /// The shortest polling interval that the program chooses, in seconds.
  var floor: TimeInterval?
  /// The longest polling interval that the program chooses, in seconds.
  var ceiling: TimeInterval?
}

/// A table `[region.NAME]` or `[[feed]]`: settings for its feeds' polls and articles.
package struct FeedSettings: Sendable, Equatable {
  /// The polling interval in seconds; nil to derive it from the publishing interval.
  package var interval: TimeInterval?
  /// The User-Agent for these feeds; nil for the general one.
  package var userAgent: String?
  /// Additional header fields. Each name occurs once, regardless of case.
  package var headers: [ConfiguredHeader] = []
  package var credentials: ConfiguredCredentials?
  /// The article retention; empty if the table states none.
  package var retention = Retention()
  /// Articles that match a pattern in this list are not saved; nil if the table states none.
  package var skip: [ArticleFilter.Pattern]?
  /// Articles that match no pattern in this list are not saved; nil if the table states none.
  package var only: [ArticleFilter.Pattern]?
  /// Names among ``Article/volatileNames``; nil if the table states none.
  package var volatile: [String]?
  /// The commands for articles from the table's feeds.
  package var hooks = HookSettings()

  /// True if the table states nothing.
  package var isEmpty: Bool { self == FeedSettings() }

  /// The locations of the secrets in credentials and header fields.
  var secrets: [SecretSource] {
    let ofHeaders = headers.compactMap { header in
      if case .secret(let source) = header.value { source } else { nil }
    }
    switch credentials {
    case .basic(_, let source), .bearer(let source): return ofHeaders + [source]
    case nil: return ofHeaders
    }
  }

  /// The shortest polling interval that can be set, in seconds.
  static let shortestInterval: TimeInterval = 600
  /// The longest polling interval that can be set, in seconds.
  static let longestInterval: TimeInterval = 365 * 86400
}

/// A request's header field.
package struct ConfiguredHeader: Sendable, Equatable {
  /// The name as sent.
  package var name: String
  package var value: Value

  package enum Value: Sendable, Equatable {
    /// A value in the file itself.
    case text(String)
    case secret(SecretSource)
  }

  /// Returns true if two names mean the same field (RFC 9110, 5.1).
  package func isNamed(_ other: String) -> Bool {
    name.lowercased() == other.lowercased()
  }
}

/// Credentials without the secret.
package enum ConfiguredCredentials: Sendable, Equatable {
  case basic(user: String, password: SecretSource)
  case bearer(SecretSource)
}

/// A secret's location; the secret itself is never in the configuration.
package enum SecretSource: Sendable, Hashable {
  /// A path as written.
  case file(String)
  /// The name of an environment variable.
  case environment(String)
}

/// An error in the configuration.
package struct ConfigurationError: Error, Equatable {
  /// The key, such as `fetch.jobs`, or the line; nil for the file as a whole.
  package var place: String?
  /// The cause, and how to fix it.
  package var cause: String

  package init(_ place: String?, _ cause: String) {
    self.place = place
    self.cause = cause
  }
}
