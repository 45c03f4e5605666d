internal import ManagedContext

/// The encoding of one transaction's changes in the history: a few bytes for each row, readable by later models.
///
/// The encoding is a format number, followed by each changed entity: its name, the inserted keys, the updated keys with
/// the written attributes, and the deleted keys. Keys are sorted, and each is stored as the difference to the previous
/// one. Entities and attributes are identified by name, because their indexes may differ in the next model. Each name
/// is stored once; after that, a bit represents an attribute. Numbers are LEB128, as in Protocol Buffers.
enum HistoryEncoding {
  /// An error thrown for bytes that ``encode(_:model:)`` did not produce.
  struct Damaged: Error {}

  private static let format: UInt64 = 1

  /// Encodes the changes of a transaction.
  ///
  /// - Parameters:
  ///   - changes: Changes to rows of `model`'s entities; temporary IDs are not stored.
  ///   - model: The current model.
  static func encode(_ changes: ContextChanges, model: ManagedObjectModel) -> [UInt8] {
    var entities = [EntityChanges](repeating: EntityChanges(), count: model.entities.count)
    for id in changes.inserted { entities[Int(id.entity)].inserted.append(id.key) }
    for (id, attributes) in changes.updated { entities[Int(id.entity)].updated.append((id.key, attributes)) }
    for id in changes.deleted { entities[Int(id.entity)].deleted.append(id.key) }
    var bytes = ByteWriter()
    bytes.append(format)
    for (place, changes) in entities.enumerated() where !changes.isEmpty {
      changes.write(of: model.entities[place], to: &bytes)
    }
    return bytes.bytes
  }

  /// Decodes the changes of a transaction. Invalid bytes from an untrusted file are safe.
  ///
  /// - Returns: The changes with the IDs of `model` and `store`. The model may be newer; entities and attributes that
  ///   it no longer has are omitted.
  /// - Throws: ``Damaged`` for invalid bytes.
  static func decode(
    _ bytes: [UInt8], model: ManagedObjectModel, store: StoreNumber
  ) throws(Damaged) -> ContextChanges {
    var reader = ByteReader(bytes)
    guard try reader.number() == format else { throw Damaged() }
    var changes = ContextChanges()
    while !reader.isAtEnd {
      let name = try reader.text()
      let entity = model.index(ofHistoric: name)
      for key in try reader.keys() {
        if let entity { changes.inserted.insert(ManagedObjectID(entity: entity, store: store, key: key)) }
      }
      let updated = try reader.keys()
      if !updated.isEmpty {
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
      for key in try reader.keys() {
        if let entity { changes.deleted.insert(ManagedObjectID(entity: entity, store: store, key: key)) }
      }
    }
    return changes
  }
}

private struct EntityChanges {
  /// The inserted keys, in ascending order.
  var inserted: [Int64] = []
  var updated: [(key: Int64, attributes: AttributeSet)] = []
  var deleted: [Int64] = []

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  func write(of entity: EntityDescription, to bytes: inout ByteWriter) {
    bytes.append(entity.name)
    bytes.append(keys: inserted)
    let updated = updated.sorted { $0.key < $1.key }
    bytes.append(keys: updated.map(\.key))
    if !updated.isEmpty {
      let written = updated.reduce(into: AttributeSet()) { $0.formUnion($1.attributes) }
      bytes.append(attributes: written, of: entity)
      var start = 0
      while start < updated.count {
        // Most saves write the same attributes of each row, so consecutive rows share one mask.
        let mask = updated[start].attributes
        let end = updated[start...].firstIndex { $0.attributes != mask } ?? updated.count
        bytes.append(mask.rawValue)
        bytes.append(UInt64(end - start))
        start = end
      }
    }
    bytes.append(keys: deleted.sorted())
  }
}

private struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ number: UInt64) {
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func append(_ text: String) {
    append(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// - Parameter keys: The keys in ascending order.
  mutating func append(keys: [Int64]) {
    append(UInt64(keys.count))
    var previous: Int64 = 0
    for key in keys {
      append(UInt64(bitPattern: key &- previous))
      previous = key
    }
  }

  /// Appends the name and the bit of each attribute in a set; the last bit may represent several attributes.
  mutating func append(attributes: AttributeSet, of entity: EntityDescription) {
    let named = entity.attributes.enumerated().filter { attributes.contains(AttributeSet(index: $0.offset)) }
    append(UInt64(named.count))
    for (index, attribute) in named {
      append(UInt64(min(index, 63)))
      append(attribute.name)
    }
  }
}

private struct ByteReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { place == bytes.count }

  mutating func number() throws(HistoryEncoding.Damaged) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard place < bytes.count else { throw HistoryEncoding.Damaged() }
      let byte = bytes[place]
      place += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw HistoryEncoding.Damaged()
  }

  mutating func text() throws(HistoryEncoding.Damaged) -> String {
    let count = try number()
    guard count <= bytes.count - place else { throw HistoryEncoding.Damaged() }
    defer { place += Int(count) }
    return String(decoding: bytes[place..<place + Int(count)], as: UTF8.self)
  }

  mutating func keys() throws(HistoryEncoding.Damaged) -> [Int64] {
    let count = try number()
    // Each key takes at least one byte, so a damaged count cannot cause a large allocation.
    guard count <= bytes.count - place else { throw HistoryEncoding.Damaged() }
    var keys: [Int64] = []
    keys.reserveCapacity(Int(count))
    var previous: Int64 = 0
    for _ in 0..<count {
      previous &+= Int64(bitPattern: try number())
      keys.append(previous)
    }
    return keys
  }

  /// Reads the meaning of each bit: the attributes of the current entity that it represents.
  mutating func attributes(
    of entity: EntityDescription?
  ) throws(HistoryEncoding.Damaged) -> [AttributeSet] {
    var sets = [AttributeSet](repeating: [], count: 64)
    for _ in 0..<(try number()) {
      let bit = try number()
      let name = try text()
      guard bit < 64 else { throw HistoryEncoding.Damaged() }
      if let index = entity?.attributeIndex(ofHistoric: name) {
        sets[Int(bit)].formUnion(AttributeSet(index: index))
      }
    }
    return sets
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
  fileprivate func attributeIndex(ofHistoric name: String) -> Int? {
    attributes.firstIndex { $0.name == name } ?? attributes.firstIndex { $0.oldNames.contains(name) }
  }
}
