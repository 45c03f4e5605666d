public import Foundation
public import ManagedContext

/// Another news store that is read together with this one. It is never written.
public final class AttachedStore: ManagedObject, Entity {
  override public class var entityName: String { "attachment" }

  public struct Schema: Sendable {
    /// The name for the user, unique in the store.
    public let name = Attribute<String>("name")
    /// The absolute path of the store's file.
    public let path = Attribute<String>("path")
    /// The address of the downloaded file; nil for a local file.
    public let source = Attribute<String?>("source")
    /// The date on which it was attached.
    public let attached = Attribute<Date>("attached", as: .secondsSince1970)
  }

  public static let entity = EntityDeclaration(AttachedStore.self, Schema(), unique: { [[$0.name]] })
}
