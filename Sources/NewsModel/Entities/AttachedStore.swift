public import Foundation
public import ManagedContext

/// Another news store that is read together with this one. It is never written.
public final class AttachedStore: ManagedObject {
  override public class var entityName: String { "attachment" }

  package enum Key {
    package static let name = AttributeKey<String>(0, "name")
    package static let path = AttributeKey<String>(1, "path")
    package static let source = AttributeKey<String?>(2, "source")
    package static let attached = AttributeKey<Date>(3, "attached")
  }

  /// The name for the user, unique in the store.
  public var name: String {
    get { self[Key.name] }
    set { self[Key.name] = newValue }
  }

  /// The absolute path of the store's file.
  public var path: String {
    get { self[Key.path] }
    set { self[Key.path] = newValue }
  }

  /// The address of the downloaded file; nil for a local file.
  public var source: String? {
    get { self[Key.source] }
    set { self[Key.source] = newValue }
  }

  /// The date on which it was attached.
  public var attached: Date {
    get { self[Key.attached] }
    set { self[Key.attached] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: AttachedStore.self,
    properties: [
      .attribute(Key.name, \AttachedStore.name), .attribute(Key.path, \AttachedStore.path),
      .attribute(Key.source, \AttachedStore.source), .attribute(Key.attached, \AttachedStore.attached),
    ],
    uniqueness: [["name"]])
}
