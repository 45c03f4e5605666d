public import Foundation
public import ManagedContext

/// The feeds of an import's regions that are polled, and the user's settings for them.
public struct ImportSelection: Sendable {
  /// The user's settings for a feed.
  public struct Settings: Sendable {
    /// The polling interval, in seconds; nil to follow the feed's own schedule.
    public var interval: TimeInterval?
    /// Header fields, credentials and user agent.
    public var additions: RequestAdditions
    /// The articles that the user does not want; nil for none.
    public var filter: ArticleFilter?
    /// The attributes of articles that the server changes with each fetch. A change of these alone is no edit.
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
  /// True to poll only feeds whose last answer was a failure.
  public var failedOnly = false
  /// The settings of feeds that have any.
  public var settings: [ManagedObjectID: Settings] = [:]
  /// The feeds that must not be polled because something is wrong with their settings, each with the cause.
  public var unusable: [ManagedObjectID: String] = [:]
  /// True to keep the number of consecutive failures that each polled feed had before the import.
  public var keepsFailures = false
  /// The feeds that keep their address even if a permanent redirect has proved reliable.
  public var keptAddresses: Set<ManagedObjectID> = []

  /// All feeds, without settings.
  public init() {}
}
