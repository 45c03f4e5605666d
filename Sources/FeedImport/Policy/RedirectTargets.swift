import ManagedContext

/// The publishers to which feeds redirect, and whether a run may send the requests there.
///
/// The knowledge about a publisher belongs to one feed, until the feed has ended.
struct RedirectTargets: Sendable {
  /// A run's knowledge about a publisher.
  enum Status: Sendable {
    /// A redirect waits until the run has tried to claim the publisher.
    case asked
    /// The run holds the publisher for the feed.
    case held
    /// Another run holds the publisher, or the store has failed.
    case refused
  }

  private var statuses: [ManagedObjectID: [String: Status]] = [:]
  private var asked: [Claims.Wanted] = []

  /// Returns the knowledge about a publisher; nil if nothing is known.
  func status(of target: Claims.Wanted) -> Status? { statuses[target.feed]?[target.publisher] }

  mutating func note(_ status: Status, of target: Claims.Wanted) {
    statuses[target.feed, default: [:]][target.publisher] = status
    if status == .asked { asked.append(target) }
  }

  /// Returns the publishers that waiting redirects need, once.
  mutating func takeAsked() -> [Claims.Wanted] {
    defer { asked = [] }
    return asked.filter { status(of: $0) == .asked }
  }

  /// Forgets a feed that has ended.
  ///
  /// - Returns: The publishers that the run held for the feed.
  mutating func end(_ feed: ManagedObjectID) -> [String] {
    guard !statuses.isEmpty, let ended = statuses.removeValue(forKey: feed) else { return [] }
    return ended.filter { $0.value == .held }.map(\.key)
  }
}
