public import Foundation
public import ManagedContext

/// A run's claim to a publisher (scheme, host and port): no other run polls feeds there.
///
/// The store has a row only while a run holds the publisher.
public final class PublisherClaim: ManagedObject, Entity {
  override public class var entityName: String { "publisher_claim" }

  public struct Schema: Sendable {
    /// The publisher: `WebAddress.origin`.
    public let origin = Attribute<String>("origin")
    /// The run's number.
    public let run = Attribute<Int64>("run")
    /// The expiry, unless the run renews the claim.
    public let expiry = Attribute<Date>("expiry", as: .secondsSince1970)
  }

  public static let entity = EntityDeclaration(
    PublisherClaim.self, Schema(), unique: { [[$0.origin]] }, history: { _ in .ofClaims })
}
