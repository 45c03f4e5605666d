public import Foundation
public import ManagedContext

/// A document that was imported from a file, so that it is not read again.
public final class ImportedDocument: ManagedObject, Entity {
  override public class var entityName: String { "imported_document" }

  public struct Schema: Sendable {
    /// The file's address, with the scheme `file`. For a member of an archive, the member's name follows.
    public let path = Attribute<String>("path")
    /// The size in bytes, without compression.
    public let size = Attribute<Int>("size")
    /// The XXH3 hash of the bytes, without compression.
    public let hash = Attribute<Int64>("hash")
    /// The ``Feed`` that it belongs to; nil for an export, which has many.
    public let feed = Attribute<ManagedObjectID?>("feed_id", to: Feed.self, inverse: \.documents)
    /// The date of the last import.
    public let date = Attribute<Date>("date", as: .secondsSince1970)
  }

  public static let entity = EntityDeclaration(
    ImportedDocument.self, Schema(), unique: { [[$0.path]] }, indexes: { [[$0.feed]] })
}
