public import ManagedContext

/// A named group of feeds: `world`, `tech`, `europe`.
public final class Region: ManagedObject {
  override public class var entityName: String { "region" }

  /// The attributes.
  public enum Key {
    /// See ``Region/name``.
    public static let name = AttributeKey<String>(0, "name")
  }

  /// Unique in the store; compared byte by byte.
  public var name: String {
    get { self[Key.name] }
    set { self[Key.name] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: Region.self, properties: [.attribute(Key.name, \Region.name)], uniqueness: [["name"]])
}
