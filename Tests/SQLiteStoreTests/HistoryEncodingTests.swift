import ManagedContext
import TestSupport
import Testing

@testable import SQLiteStore

@Suite struct HistoryEncodingTests {
  private let model = Library.model
  private let number = StoreNumber.unique()

  /// Random changes of the library's five entities, with dense to random keys.
  private func changes(_ random: inout SeededGenerator) -> ContextChanges {
    var changes = ContextChanges()
    let spread: Int64 = [10, 1000, Int64.max].randomElement(using: &random) ?? 10
    for _ in 0..<Int.random(in: 0...200, using: &random) {
      let entity = EntityIndex.random(in: 0..<EntityIndex(model.entities.count), using: &random)
      let lowest = Bool.random(using: &random) ? 1 : -spread
      let id = ManagedObjectID(
        entity: entity, store: number, key: Int64.random(in: lowest...spread, using: &random))
      switch Int.random(in: 0..<3, using: &random) {
      case 0: changes.inserted.insert(id)
      case 1:
        let all = UInt64(1) << UInt64(model[entity].attributes.count) - 1
        changes.updated[id] = AttributeSet(rawValue: UInt64.random(in: 0...all, using: &random))
      default: changes.deleted.insert(id)
      }
    }
    return changes
  }

  @Test(arguments: UInt64(0)..<100) func `decoding returns the encoded changes`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let changes = changes(&random)
    let bytes = HistoryEncoding.encode(changes, model: model)
    #expect(try HistoryEncoding.decode(bytes, model: model, store: number).changes == changes)
  }

  @Test(arguments: UInt64(0)..<100) func `damaged bytes return changes or an error`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bytes = HistoryEncoding.encode(changes(&random), model: model)
    for _ in 0..<50 {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes = bytes.dropLast(Int.random(in: 0...3, using: &random))
      case 1: bytes.append(UInt8.random(in: 0...255, using: &random))
      default:
        guard let place = bytes.indices.randomElement(using: &random) else { continue }
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      _ = try? HistoryEncoding.decode(bytes, model: model, store: number)
    }
  }

  @Test(arguments: UInt64(0)..<100) func `random bytes return changes or an error`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let noise = (0..<Int.random(in: 0...100, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    // With the right format number in front, random bytes reach more of the decoder.
    for bytes in [noise, [1] + noise, [1, 0] + noise] {
      _ = try? HistoryEncoding.decode(bytes, model: model, store: number)
    }
  }

  /// A model whose first entity keeps three values, and random values of deleted rows.
  private func deletions(
    _ random: inout SeededGenerator
  ) -> (ManagedObjectModel, ContextChanges, [ManagedObjectID: [AttributeValue]]) {
    var kept = HistoryOptions()
    kept.deletedValues = ["title", "other", "size"]
    let model = ManagedObjectModel(
      version: 1,
      entities: [
        EntityDescription(
          "first", class: First.self,
          properties: [
            .attribute(AttributeKey<Int?>(0, "size")), .attribute(AttributeKey<String?>(1, "title")),
            .reference(AttributeKey<ManagedObjectID?>(2, "other"), to: "first"),
          ], history: kept),
        EntityDescription(
          "second", class: Second.self, properties: [.attribute(AttributeKey<Int?>(0, "number"))]),
      ])
    var changes = ContextChanges()
    var values: [ManagedObjectID: [AttributeValue]] = [:]
    for _ in 0..<Int.random(in: 0...100, using: &random) {
      let id = ManagedObjectID(
        entity: EntityIndex.random(in: 0...1, using: &random), store: number,
        key: Int64.random(in: .min ... .max, using: &random))
      changes.deleted.insert(id)
      guard id.entity == 0, Int.random(in: 0..<5, using: &random) > 0 else { continue }
      values[id] = (0..<3).map { place in
        let key = Int64.random(in: 1 ... .max, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return .null
        case 1: return .text(String(repeating: "é\0", count: Int(key % 50)))
        case 2: return .real(Double(key))
        case 3: return .bytes([UInt8](repeating: 7, count: Int(key % 50)))
        default:
          return place == 1 ? .reference(ManagedObjectID(entity: 0, store: number, key: key)) : .integer(-key)
        }
      }
    }
    return (model, changes, values)
  }

  @Test(arguments: UInt64(0)..<100) func `decoding returns the kept values`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (model, changes, values) = deletions(&random)
    let bytes = HistoryEncoding.encode(changes, deletedValues: values, model: model)
    #expect(bytes.first == (values.isEmpty ? 1 : 2))
    let decoded = try HistoryEncoding.decode(bytes, model: model, store: number)
    #expect(decoded == HistoryEncoding.Decoded(changes: changes, deletedValues: values))
  }

  @Test(arguments: UInt64(0)..<100) func `damaged bytes of kept values return changes or an error`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let (model, changes, values) = deletions(&random)
    let whole = HistoryEncoding.encode(changes, deletedValues: values, model: model)
    for _ in 0..<200 {
      var bytes = whole.dropLast(Int.random(in: 0...20, using: &random))
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        guard let place = bytes.indices.randomElement(using: &random) else { continue }
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      _ = try? HistoryEncoding.decode(Array(bytes), model: model, store: number)
    }
    let noise = (0..<Int.random(in: 0...100, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    let start: [UInt8] = [2, 5] + Array("first".utf8) + [0, 0, 1, 1, 1, 5] + Array("title".utf8) + [1]
    for bytes in [[2] + noise, [2, 0] + noise, start + noise] {
      _ = try? HistoryEncoding.decode(bytes, model: model, store: number)
    }
  }

  @Test func `a thousand consecutive new rows take a kilobyte`() {
    let ids = (5000..<6000).map { ManagedObjectID(entity: 1, store: number, key: $0) }
    #expect(
      HistoryEncoding.encode(ContextChanges(inserted: ManagedObjectIDSet(ids)), model: model).count < 1020)
  }

  @Test func `rows updated in the same attributes take one byte each`() {
    let ids = (1...1000).map { ManagedObjectID(entity: 1, store: number, key: $0) }
    let updated = Dictionary(uniqueKeysWithValues: ids.map { ($0, AttributeSet(indexes: [1, 3])) })
    #expect(HistoryEncoding.encode(ContextChanges(updated: updated), model: model).count < 1050)
  }

  @Test func `a later model reads changes written under earlier names`() throws {
    typealias Model = ManagedObjectModel
    let old = Model(
      version: 1,
      entities: [
        EntityDescription(
          "gone", class: Gone.self, properties: [.attribute(AttributeKey<Int?>(0, "number"))]),
        EntityDescription(
          "before", class: Before.self,
          properties: [
            .attribute(AttributeKey<Int?>(0, "left")), .attribute(AttributeKey<Int?>(1, "kept")),
            .attribute(AttributeKey<Int?>(2, "old")),
          ]),
      ])
    let new = Model(
      version: 2,
      entities: [
        EntityDescription(
          "first", class: First.self,
          properties: [
            .attribute(AttributeKey<Int?>(0, "kept")),
            .attribute(AttributeKey<Int?>(1, "new"), renamedFrom: "old"),
          ], renamedFrom: "before")
      ])
    var changes = ContextChanges(
      inserted: [
        ManagedObjectID(entity: 0, store: number, key: 1), ManagedObjectID(entity: 1, store: number, key: 2),
      ])
    changes.updated[ManagedObjectID(entity: 1, store: number, key: 3)] = AttributeSet(indexes: [0, 2])
    changes.updated[ManagedObjectID(entity: 1, store: number, key: 4)] = AttributeSet(indexes: [1])
    let read = try HistoryEncoding.decode(
      HistoryEncoding.encode(changes, model: old), model: new, store: number
    ).changes
    #expect(read.inserted == [ManagedObjectID(entity: 0, store: number, key: 2)])
    #expect(
      read.updated == [
        ManagedObjectID(entity: 0, store: number, key: 3): AttributeSet(index: 1),
        ManagedObjectID(entity: 0, store: number, key: 4): AttributeSet(index: 0),
      ])
  }
}
