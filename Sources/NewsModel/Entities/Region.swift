internal import Foundation
public import ManagedContext
import TextOutput

/// A named group of feeds: `world`, `tech`, `europe`.
public final class Region: ManagedObject, Entity {
  override public class var entityName: String { "region" }

  public struct Schema: Sendable {
    /// The name, unique in the store and normalized by ``normalized(_:)`` unless another program saved it.
    public let name = Attribute<String>("name")
    /// The region's feeds, in the order in which they were added to the store.
    public let feeds = ToMany<Feed>(
      "feeds", inverse: \.regions, table: JoinTable("membership", own: "region_id", related: "feed_id"))
  }

  /// Returns a name in Unicode NFC: keyboards and file systems encode the same letters in several ways, and
  /// the store compares texts byte by byte.
  public static func normalized(_ name: String) -> String { name.precomposedStringWithCanonicalMapping }

  /// The maximum length of a name from a user, in bytes. Longer names could not be distinguished in the
  /// output.
  package static let mostBytesOfName = 200

  /// Returns whether a name can be typed and shown again, and cannot be mistaken for an option or a query.
  package static func canBeTyped(_ name: String) -> Bool {
    let hasBlankEnd = name.first?.isWhitespace != false || name.last?.isWhitespace == true
    return !hasBlankEnd && !name.hasPrefix("-") && !name.hasPrefix("@") && name.utf8.count <= mostBytesOfName
      && withEscapes(name) == name
  }

  /// Returns a predicate for the regions with these names, as given or as ``normalized(_:)``.
  static func isNamed(_ names: [String]) -> FetchPredicate<Region> {
    let others = names.map(normalized).filter { name in
      !names.contains { $0.utf8.elementsEqual(name.utf8) }
    }
    return .among(\.name, names + others)
  }

  public static let entity = EntityDeclaration(Region.self, Schema(), unique: { [[$0.name]] })
}
