public import Foundation
public import ManagedContext

/// A document that was imported from a file, so that it is not read again.
public final class ImportedDocument: ManagedObject {
  override public class var entityName: String { "imported_document" }

  package enum Key {
    package static let path = AttributeKey<String>(0, "path")
    package static let size = AttributeKey<Int>(1, "size")
    package static let hash = AttributeKey<Int64>(2, "hash")
    package static let feed = AttributeKey<ManagedObjectID?>(3, "feed_id")
    package static let date = AttributeKey<Date>(4, "date")

    /// The columns for all attributes, in order.
    package static let columns = Array(path.index...date.index)
  }

  /// The file's address, with the scheme `file`. For a member of an archive, the member's name follows.
  public var path: String { self[Key.path] }
  /// The size in bytes, without compression.
  public var size: Int { self[Key.size] }
  /// The XXH3 hash of the bytes, without compression.
  public var hash: Int64 { self[Key.hash] }
  /// The ``Feed`` that it belongs to; nil for an export, which has many.
  public var feed: ManagedObjectID? { self[Key.feed] }
  /// The date of the last import.
  public var date: Date { self[Key.date] }

  static let entity = EntityDescription(
    entityName, class: ImportedDocument.self,
    properties: [
      .attribute(Key.path, \ImportedDocument.path),
      .attribute(Key.size, \ImportedDocument.size),
      .attribute(Key.hash, \ImportedDocument.hash),
      .reference(Key.feed, \ImportedDocument.feed, to: "feed"),
      .attribute(Key.date, \ImportedDocument.date),
    ],
    uniqueness: [["path"]], indexes: [["feed_id"]])
}
