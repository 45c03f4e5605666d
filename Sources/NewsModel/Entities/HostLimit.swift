public import Foundation
public import ManagedContext

/// The request limit for a host (scheme, host and port), learned from its answers.
///
/// The store has a row from the first refusal until the host has not refused requests for a long time. The
/// owner of the host's ``PublisherClaim`` writes it.
public final class HostLimit: ManagedObject, Entity {
  override public class var entityName: String { "host_limit" }

  public struct Schema: Sendable {
    /// `WebAddress.origin`.
    public let origin = Attribute<String>("origin")
    /// The number of requests that the host allows in a time window; nil if it is not known.
    public let requests = Attribute<Int?>("requests")
    /// The window's length, in seconds.
    public let seconds = Attribute<Int>("seconds")
    /// The time of the current window's first request; nil before it.
    public let began = Attribute<Date?>("window_began", as: .secondsSince1970)
    /// The number of requests answered in the current window.
    public let used = Attribute<Int>("used")
    /// The end of the pause that the host has requested, or nil.
    public let pausedUntil = Attribute<Date?>("paused_until", as: .secondsSince1970)
    /// The time of the last answer that stated or showed the limit.
    public let limitedAt = Attribute<Date>("limited_at", as: .secondsSince1970)
    /// The number of refusals since the last answer.
    public let refusals = Attribute<Int>("refusals")
    /// The number of times that the host refused requests again.
    public let lessons = Attribute<Int>("lessons")
    /// The time of the last change, by that run's clock.
    public let notedAt = Attribute<Date>("noted_at", as: .secondsSince1970)
  }

  public static let entity = EntityDeclaration(
    HostLimit.self, Schema(), unique: { [[$0.origin]] }, history: { _ in .ofClaims })
}

extension DataSource {
  /// Returns the hosts that limit requests.
  public func hostLimits() throws(StoreError) -> [HostLimit] {
    try context.fetch(FetchRequest(HostLimit.self, sortedBy: [.ascending(\.origin)]))
  }
}
