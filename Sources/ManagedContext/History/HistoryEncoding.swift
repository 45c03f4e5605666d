/// Encodes one transaction's changes for the history: a few bytes for each row, readable by later models.
///
/// A format number comes first, then each changed entity: its name, the inserted keys, the updated keys with
/// the written attributes, and the deleted keys. In format 2, the attributes with kept values follow by name,
/// and for each deleted key a 1 and its values, or a 0.
///
/// Keys are sorted, and each is stored as the difference to the previous one. Entities and attributes are
/// identified by name, because their indexes may differ in the next model. Each name is stored once; after
/// that, a bit represents an attribute. Numbers are LEB128, as in Protocol Buffers.
public enum HistoryEncoding {
  /// An error thrown for bytes that ``HistoryEncoding/encode(_:deletedValues:model:)`` did not produce.
  public struct Damaged: Error {}

  private static let format: UInt64 = 1
  private static let formatWithValues: UInt64 = 2

  /// A transaction's decoded changes.
  public struct Decoded: Sendable, Equatable {
    /// The inserted, updated and deleted rows.
    public var changes = ContextChanges()
    /// The values kept from deleted rows, in the order of ``HistoryOptions/deletedValues``.
    public var deletedValues: [ManagedObjectID: [AttributeValue]] = [:]

    /// Creates a value.
    public init(
      changes: ContextChanges = ContextChanges(), deletedValues: [ManagedObjectID: [AttributeValue]] = [:]
    ) {
      (self.changes, self.deletedValues) = (changes, deletedValues)
    }
  }

  /// Encodes a transaction's changes.
  ///
  /// - Parameters:
  ///   - changes: Changes to rows in `model`'s entities; temporary IDs are not stored.
  ///   - deletedValues: The values kept from deleted rows, in the order of ``HistoryOptions/deletedValues``.
  ///     Values from other rows are ignored.
  ///   - model: The current model.
  public static func encode(
    _ changes: ContextChanges, deletedValues: [ManagedObjectID: [AttributeValue]] = [:],
    model: ManagedObjectModel
  ) -> [UInt8] {
    var entities = [EntityChanges](repeating: EntityChanges(), count: model.entities.count)
    for id in changes.inserted { entities[Int(id.entity)].inserted.append(id.key) }
    for (id, attributes) in changes.updated { entities[Int(id.entity)].updated.append((id.key, attributes)) }
    for id in changes.deleted {
      entities[Int(id.entity)].deleted.append((id.key, deletedValues.isEmpty ? nil : deletedValues[id]))
    }
    // Format 1 wherever possible, because earlier program versions can read it.
    let hasValues = entities.contains { $0.deleted.contains { $0.values != nil } }
    var bytes = ByteWriter()
    bytes.append(hasValues ? formatWithValues : format)
    for (place, changes) in entities.enumerated() where !changes.isEmpty {
      changes.write(of: model.entities[place], values: hasValues, to: &bytes)
    }
    return bytes.bytes
  }

  /// Decodes a transaction's changes. Invalid bytes from an untrusted file are safe.
  ///
  /// - Returns: The changes with `model`'s and `store`'s IDs. The model may be newer; entities and attributes
  ///   that it no longer has are omitted, and a kept value that was not stored is null.
  /// - Throws: ``Damaged`` for invalid bytes.
  public static func decode(
    _ bytes: [UInt8], model: ManagedObjectModel, store: StoreNumber
  ) throws(Damaged) -> Decoded {
    var reader = ByteReader(bytes)
    let format = try reader.number()
    guard [Self.format, formatWithValues].contains(format) else { throw Damaged() }
    var decoded = Decoded()
    while !reader.isAtEnd {
      let name = try reader.text()
      let entity = model.index(ofHistoric: name)
      for key in try reader.keys() {
        if let entity {
          decoded.changes.inserted.insert(ManagedObjectID(entity: entity, store: store, key: key))
        }
      }
      try decodeUpdates(of: entity, &reader, model, store, &decoded.changes)
      let deleted = try reader.keys()
      if let entity {
        for key in deleted {
          decoded.changes.deleted.insert(ManagedObjectID(entity: entity, store: store, key: key))
        }
      }
      if format == formatWithValues {
        try decodeValues(of: deleted, entity, &reader, model, store, &decoded.deletedValues)
      }
    }
    return decoded
  }

  private static func decodeUpdates(
    of entity: EntityIndex?, _ reader: inout ByteReader, _ model: ManagedObjectModel, _ store: StoreNumber,
    _ changes: inout ContextChanges
  ) throws(Damaged) {
    let updated = try reader.keys()
    guard !updated.isEmpty else { return }
    let attributes = try reader.attributes(of: entity.map { model[$0] })
    var place = 0
    while place < updated.count {
      let mask = try reader.number()
      let run = try reader.number()
      guard run > 0, run <= updated.count - place else { throw Damaged() }
      let written = AttributeSet(mask: mask, attributes)
      for key in updated[place..<place + Int(run)] {
        if let entity {
          changes.updated[ManagedObjectID(entity: entity, store: store, key: key)] = written
        }
      }
      place += Int(run)
    }
  }

  private static func decodeValues(
    of keys: [Int64], _ entity: EntityIndex?, _ reader: inout ByteReader, _ model: ManagedObjectModel,
    _ store: StoreNumber, _ deletedValues: inout [ManagedObjectID: [AttributeValue]]
  ) throws(Damaged) {
    let description = entity.map { model[$0] }
    let wanted = description?.deletedAttributes ?? []
    // For each stored value, its place in the result and the entity that a reference leads to; nil for a
    // value that is no longer wanted.
    var stored: [(place: Int, destination: EntityIndex?)?] = []
    for _ in 0..<(try reader.number()) {
      let name = try reader.text()
      if let description, let attribute = description.attributeIndex(ofHistoric: name),
        let place = wanted.firstIndex(of: attribute)
      {
        stored.append((place, description.attributes[attribute].destination.flatMap(model.index(named:))))
      } else {
        stored.append(nil)
      }
    }
    guard !stored.isEmpty else { return }
    for key in keys {
      switch try reader.number() {
      case 0: continue
      case 1: break
      default: throw Damaged()
      }
      var values = [AttributeValue](repeating: .null, count: wanted.count)
      for target in stored {
        let value = try reader.value { key in
          guard let destination = target?.destination else { return .integer(key) }
          return .reference(ManagedObjectID(entity: destination, store: store, key: key))
        }
        if let target { values[target.place] = value }
      }
      if let entity, !wanted.isEmpty {
        deletedValues[ManagedObjectID(entity: entity, store: store, key: key)] = values
      }
    }
  }
}

private struct EntityChanges {
  /// The inserted keys, in ascending order.
  var inserted: [Int64] = []
  var updated: [(key: Int64, attributes: AttributeSet)] = []
  var deleted: [(key: Int64, values: [AttributeValue]?)] = []

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// - Parameter hasValues: True to write the values kept from deleted rows.
  func write(of entity: EntityDescription, values hasValues: Bool, to bytes: inout ByteWriter) {
    bytes.append(entity.name)
    bytes.append(keys: inserted)
    let updated = updated.sorted { $0.key < $1.key }
    bytes.append(keys: updated.map(\.key))
    if !updated.isEmpty {
      let written = updated.reduce(into: AttributeSet()) { $0.formUnion($1.attributes) }
      bytes.append(attributes: written, of: entity)
      var start = 0
      while start < updated.count {
        // Most saves write the same attributes in each row, so consecutive rows share one mask.
        let mask = updated[start].attributes
        let end = updated[start...].firstIndex { $0.attributes != mask } ?? updated.count
        bytes.append(mask.rawValue)
        bytes.append(UInt64(end - start))
        start = end
      }
    }
    let deleted = deleted.sorted { $0.key < $1.key }
    bytes.append(keys: deleted.map(\.key))
    if hasValues { write(values: deleted.map(\.values), of: entity, to: &bytes) }
  }

  /// - Parameter values: The values kept from the deleted rows, in key order.
  private func write(
    values: [[AttributeValue]?], of entity: EntityDescription, to bytes: inout ByteWriter
  ) {
    guard values.contains(where: { $0 != nil }) else { return bytes.append(0) }
    let names = entity.history.deletedValues
    bytes.append(UInt64(names.count))
    for name in names { bytes.append(name) }
    for values in values {
      guard let values, values.count == names.count else {
        bytes.append(0)
        continue
      }
      bytes.append(1)
      for value in values { bytes.append(value) }
    }
  }
}

extension AttributeSet {
  fileprivate init(mask: UInt64, _ attributes: [AttributeSet]) {
    self = []
    var rest = mask
    while rest != 0 {
      formUnion(attributes[rest.trailingZeroBitCount])
      rest &= rest - 1
    }
  }
}

extension ManagedObjectModel {
  /// Returns the entity with a current or former name; nil if the model no longer has it.
  fileprivate func index(ofHistoric name: String) -> EntityIndex? {
    index(named: name) ?? entities.firstIndex { $0.oldNames.contains(name) }.map { EntityIndex($0) }
  }
}

extension EntityDescription {
  /// The attributes (by index) with values that the history keeps when an object is deleted.
  public var deletedAttributes: [Int] {
    history.deletedValues.compactMap { name in attributes.firstIndex { $0.name == name } }
  }

  /// Returns the attribute with a current or former name; nil if the entity no longer has it.
  func attributeIndex(ofHistoric name: String) -> Int? {
    attributes.firstIndex { $0.name == name } ?? attributes.firstIndex { $0.oldNames.contains(name) }
  }
}
