public import Foundation
public import ManagedContext

/// Selects the feeds to poll in an import's regions, with the user's settings for them.
public struct ImportSelection: Sendable {
  /// The user's settings for a feed.
  public struct Settings: Sendable {
    /// The polling interval, in seconds; nil to follow the feed's own schedule.
    public var interval: TimeInterval?
    /// Header fields, credentials and user agent.
    public var additions: RequestAdditions
    /// The articles that the user does not want; nil without a filter.
    public var filter: ArticleFilter?
    /// The article attributes that the server changes with each fetch. Their changes alone are not edits.
    public var volatile: AttributeSet

    /// Creates settings.
    public init(
      interval: TimeInterval? = nil, additions: RequestAdditions = RequestAdditions(),
      filter: ArticleFilter? = nil, volatile: AttributeSet = []
    ) {
      self.interval = interval
      self.additions = additions
      (self.filter, self.volatile) = (filter, volatile)
    }
  }

  /// True to poll only feeds that are due.
  public var dueOnly = false
  /// True to poll only feeds that failed last time.
  public var failedOnly = false
  /// The settings for feeds that have any.
  public var settings: [ManagedObjectID: Settings] = [:]
  /// The feeds that must not be polled because their settings are wrong, with the cause.
  public var unusable: [ManagedObjectID: String] = [:]
  /// True to keep each polled feed's count of consecutive failures before the import.
  public var keepsFailures = false
  /// The feeds that keep their address even if a permanent redirect has proved reliable.
  public var keptAddresses: Set<ManagedObjectID> = []

  /// All feeds, without settings.
  public init() {}
}
