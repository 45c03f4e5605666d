public import Foundation
public import ManagedContext

/// The request limit for a host (scheme, host and port), learned from its answers.
///
/// The store has a row from the first refusal until the host has not refused requests for a long time. The
/// owner of the host's ``PublisherClaim`` writes it.
public final class HostLimit: ManagedObject {
  override public class var entityName: String { "host_limit" }

  package enum Key {
    package static let origin = AttributeKey<String>(0, "origin")
    package static let requests = AttributeKey<Int?>(1, "requests")
    package static let seconds = AttributeKey<Int>(2, "seconds")
    package static let began = AttributeKey<Date?>(3, "window_began")
    package static let used = AttributeKey<Int>(4, "used")
    package static let pausedUntil = AttributeKey<Date?>(5, "paused_until")
    package static let limitedAt = AttributeKey<Date>(6, "limited_at")
    package static let refusals = AttributeKey<Int>(7, "refusals")
    package static let lessons = AttributeKey<Int>(8, "lessons")
    package static let notedAt = AttributeKey<Date>(9, "noted_at")

    /// The columns for all attributes, in order.
    package static let columns = Array(origin.index...notedAt.index)
  }

  /// `WebAddress.origin`.
  public var origin: String { self[Key.origin] }
  /// The number of requests that the host allows in a time window; nil if it is not known.
  public var requests: Int? { self[Key.requests] }
  /// The window's length, in seconds.
  public var seconds: Int { self[Key.seconds] }
  /// The time of the current window's first request; nil before it.
  public var began: Date? { self[Key.began] }
  /// The number of requests answered in the current window.
  public var used: Int { self[Key.used] }
  /// The end of the pause that the host has requested, or nil.
  public var pausedUntil: Date? { self[Key.pausedUntil] }
  /// The time of the last answer that stated or showed the limit.
  public var limitedAt: Date { self[Key.limitedAt] }
  /// The number of refusals since the last answer.
  public var refusals: Int { self[Key.refusals] }
  /// The number of times that the host refused requests again.
  public var lessons: Int { self[Key.lessons] }
  /// The time of the last change, by that run's clock.
  public var notedAt: Date { self[Key.notedAt] }

  static let entity = EntityDescription(
    entityName, class: HostLimit.self,
    properties: [
      .attribute(Key.origin, \HostLimit.origin),
      .attribute(Key.requests, \HostLimit.requests),
      .attribute(Key.seconds, \HostLimit.seconds),
      .attribute(Key.began, \HostLimit.began),
      .attribute(Key.used, \HostLimit.used),
      .attribute(Key.pausedUntil, \HostLimit.pausedUntil),
      .attribute(Key.limitedAt, \HostLimit.limitedAt),
      .attribute(Key.refusals, \HostLimit.refusals),
      .attribute(Key.lessons, \HostLimit.lessons),
      .attribute(Key.notedAt, \HostLimit.notedAt),
    ],
    uniqueness: [["origin"]], history: .ofClaims)
}

extension DataSource {
  /// Returns the hosts that limit requests.
  public func hostLimits() throws(StoreError) -> [HostLimit] {
    try context.fetch(FetchRequest(HostLimit.self, sortedBy: [.ascending(\.origin)]))
  }
}
