public import Foundation
public import ManagedContext

/// A run's claim to a publisher (scheme, host and port): no other run polls feeds there.
///
/// The store has a row only while a run holds the publisher.
public final class PublisherClaim: ManagedObject {
  override public class var entityName: String { "publisher_claim" }

  package enum Key {
    /// `WebAddress.origin`.
    package static let origin = AttributeKey<String>(0, "origin")
    /// The run's number.
    package static let run = AttributeKey<Int64>(1, "run")
    /// The expiry, unless the run renews the claim.
    package static let expiry = AttributeKey<Date>(2, "expiry")
  }

  /// The publisher: `WebAddress.origin`.
  public var origin: String { self[Key.origin] }
  /// The run's number.
  public var run: Int64 { self[Key.run] }
  /// The expiry, unless the run renews the claim.
  public var expiry: Date { self[Key.expiry] }

  static let entity = EntityDescription(
    entityName, class: PublisherClaim.self,
    properties: [
      .attribute(Key.origin, \PublisherClaim.origin),
      .attribute(Key.run, \PublisherClaim.run),
      .attribute(Key.expiry, \PublisherClaim.expiry),
    ],
    uniqueness: [["origin"]], history: .ofClaims)
}
