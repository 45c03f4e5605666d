internal import struct Foundation.Date

/// The entity that holds the versions of another entity's objects (``HistoryOptions/oldValues``).
///
/// The store writes its rows with each change, and they never become objects. Only ``EarlierVersions`` and
/// ``VersionCopies`` read and write them through a context.
///
/// A row has the values from before a change, in the attributes that the change wrote. The fixed attributes
/// come first, then the other entity's attributes with their names.
public struct VersionEntity: Sendable {
  /// The entity index of the objects.
  public let owner: EntityIndex
  /// The entity index of the versions.
  public let entity: EntityIndex
  /// The owner's attributes (by index) that keep old values, in the order of ``HistoryOptions/oldValues``.
  public let attributes: [Int]
  /// The owner's attribute that describes a change; nil for none.
  public let note: Int?

  /// Returns the name of the entity that holds an entity's versions.
  public static func name(of owner: String) -> String { "\(owner)_version" }
  /// The index of the attribute with the object's key.
  static let objectIndex = 0
  /// The index of the first attribute with an old value.
  static let firstValue = 7
  /// Returns the name of the attribute with the object's key.
  public static func object(of owner: String) -> String { "\(owner)_id" }
  /// The name of the attribute with a version's transaction, which is useful only in the version's own store.
  public static let transaction = VersionObject.token.name

  /// Describes an entity's versions; nil if it keeps no old values.
  init?(_ owner: EntityIndex, in entities: [EntityDescription], byName: [String: EntityIndex]) {
    let description = entities[Int(owner)]
    let options = description.history
    guard !options.oldValues.isEmpty, let entity = byName[Self.name(of: description.name)] else { return nil }
    let index = { (name: String) in description.attributes.firstIndex { $0.name == name } }
    (self.owner, self.entity) = (owner, entity)
    attributes = options.oldValues.compactMap(index)
    note = options.note.flatMap(index)
  }
}

extension VersionEntity {
  /// Returns attribute names as a JSON array, as a version stores them.
  ///
  /// - Parameters:
  ///   - attributes: Attributes of the objects; those without versions are left out.
  ///   - owner: The objects' entity.
  public func names(of attributes: AttributeSet, in owner: EntityDescription) -> String {
    let names = self.attributes.filter { attributes.contains(AttributeSet(index: $0)) }
    return "[" + names.map { "\"\(owner.attributes[$0].name)\"" }.joined(separator: ",") + "]"
  }
}

extension EntityDescription {
  /// Returns the attributes named in a JSON array, as a version stores it. Names that the model no longer has
  /// are left out.
  public func attributes(named json: [UInt8]) -> AttributeSet {
    let names = json.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    // Every second part is between quotation marks.
    let indexes = names.enumerated().compactMap { place, name -> Int? in
      guard place % 2 == 1 else { return nil }
      let name = String(decoding: Array(name), as: UTF8.self)
      return attributes.firstIndex { $0.name == name || $0.oldNames.contains(name) }
    }
    return AttributeSet(indexes: indexes)
  }
}

/// A version of an object. Its rows never become objects.
final class VersionObject: ManagedObject {
  static let number = AttributeKey<Int>(1, "number")
  static let replaced = AttributeKey<Date>(2, "replaced")
  static let changed = AttributeKey<String>(3, "changed")
  static let note = AttributeKey<Int?>(4, "note")
  static let token = AttributeKey<Int64?>(5, "token")
  static let merged = AttributeKey<Int>(6, "merged")
}

extension EntityDescription {
  /// True if the entity holds the versions of another entity's objects.
  public var hasVersions: Bool { objectClass == VersionObject.self }

  /// Returns the entity for an entity's versions; nil if no old values are kept.
  static func versions(of owner: EntityDescription) -> EntityDescription? {
    guard !owner.history.oldValues.isEmpty else { return nil }
    let object = VersionEntity.object(of: owner.name)
    let oldNames = owner.oldNames
    var properties: [PropertyDescription] = [
      PropertyDescription(
        attribute: AttributeDescription(
          AttributeKey<Int64>(0, object), renamedFrom: oldNames.map(VersionEntity.object))),
      .attribute(VersionObject.number),
      PropertyDescription(
        attribute: AttributeDescription(VersionObject.replaced, as: .secondsSince1970)),
      .attribute(VersionObject.changed),
      .attribute(VersionObject.note),
      .attribute(VersionObject.token),
      .attribute(VersionObject.merged),
    ]
    for name in owner.history.oldValues {
      guard let attribute = owner.attributes.first(where: { $0.name == name }) else { continue }
      properties.append(PropertyDescription(attribute: attribute.oldValue(at: properties.count)))
    }
    return EntityDescription(
      VersionEntity.name(of: owner.name), class: VersionObject.self, properties: properties,
      uniqueness: [[object, VersionObject.number.name]], indexes: [[VersionObject.token.name]],
      history: HistoryOptions(), oldNames: oldNames.map(VersionEntity.name), paths: nil)
  }
}
