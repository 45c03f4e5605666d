import Foundation
import TestSupport
import Testing

@testable import ManagedContext

/// Random stages on random rows, against a plain model.
@Suite struct RandomMigrationTests {
  /// The rows of two entities. A row of the second one may belong to a row of the first one.
  struct Plain: Equatable {
    var first: [Int64: AttributeValue] = [:]
    var second: [Int64: [AttributeValue]] = [:]
    /// The greatest keys that rows have had.
    var (lastFirst, lastSecond): (Int64, Int64) = (0, 0)

    mutating func addFirst(_ value: AttributeValue) {
      lastFirst += 1
      first[lastFirst] = value
    }

    mutating func addSecond(_ text: String, _ owner: Int64?) {
      lastSecond += 1
      second[lastSecond] = [.text(text), owner.map { .integer($0) } ?? .null]
    }
  }

  /// One stage's changes.
  struct Stage {
    let version: Int
    /// True if the first entity's value is a text afterwards.
    let isText: Bool
    /// The rows whose keys have this remainder are deleted, split or merged.
    let (deleted, split, merged): (Int64?, Int64?, Int64?)

    static let divisor: Int64 = 4

    init(_ version: Int, using generator: inout SeededGenerator) {
      self.version = version
      isText = Bool.random(using: &generator)
      let remainder = { (generator: inout SeededGenerator) -> Int64? in
        Bool.random(using: &generator) ? .random(in: 0..<Self.divisor, using: &generator) : nil
      }
      deleted = remainder(&generator)
      split = remainder(&generator)
      merged = remainder(&generator)
    }

    func model(_ migrations: [Migration] = []) -> ManagedObjectModel {
      let value: PropertyDescription =
        isText ? .attribute("value_\(version)", String?.self) : .attribute("value_\(version)", Int?.self)
      return ManagedObjectModel(
        version: version,
        entities: [
          EntityDescription("first", properties: [value]),
          EntityDescription(
            "second", properties: [.attribute("text", String.self), .reference("owner", to: "first")]),
        ], migrations: migrations)
    }

    /// Returns a value in the stage's type. Texts have a letter, so that only code can convert them.
    func value(_ old: AttributeValue) -> AttributeValue {
      switch old {
      case .integer(let number): isText ? .text("n\(number)") : old
      case .text(let text): isText ? old : Int64(text.dropFirst()).map { .integer($0) } ?? .null
      default: .null
      }
    }

    private func matches(_ key: Int64, _ remainder: Int64?) -> Bool { key % Self.divisor == remainder }

    func run(_ migration: MigrationContext, from before: Int) throws {
      try migration.update("first") { old, new in
        new.isDeleted = matches(old.key, deleted)
        let value = value(try old.stored("value_\(before)"))
        new["value_\(version)", as: String.self] = nil
        if case .text(let text) = value { new["value_\(version)"] = text }
        if case .integer(let number) = value { new["value_\(version)"] = number }
        if matches(old.key, split) {
          try migration.insert("second") { added in
            added["text"] = "split \(old.key)"
            if !new.isDeleted { added["owner"] = old.key }
          }
        }
      }
      try migration.update("second") { old, new in
        if let owner = try old["owner", as: Int64?.self], matches(owner, deleted) {
          new["owner", as: Int64.self] = nil
        }
        guard matches(old.key, merged) else { return }
        new.isDeleted = true
        try migration.insert("first") { added in
          if isText { added["value_\(version)"] = "n7" } else { added["value_\(version)"] = 7 }
        }
      }
    }

    func run(_ plain: inout Plain) {
      let old = plain
      for (key, stored) in old.first.sorted(by: { $0.key < $1.key }) {
        plain.first[key] = matches(key, deleted) ? nil : value(stored)
        if matches(key, split) { plain.addSecond("split \(key)", matches(key, deleted) ? nil : key) }
      }
      for (key, values) in old.second.sorted(by: { $0.key < $1.key }) {
        if case .integer(let owner) = values[1], matches(owner, deleted) { plain.second[key]?[1] = .null }
        guard matches(key, merged) else { continue }
        plain.second[key] = nil
        plain.addFirst(isText ? .text("n7") : .integer(7))
      }
    }
  }

  @Test(arguments: StoreKind.lasting, seeds(80))
  func `random stages leave the rows of the plain model`(kind: StoreKind, seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let stages = (1...Int.random(in: 2...4, using: &generator)).map { Stage($0, using: &generator) }
    var plain = Plain()
    let initial = stages[0].model()
    let place = try StorePlace(kind)
    var rows: [(entity: EntityIndex, values: [AttributeValue])] = []
    for _ in 0..<Int.random(in: 0...20, using: &generator) {
      let number = AttributeValue.integer(.random(in: -5...99, using: &generator))
      let value = Int.random(in: 0..<5, using: &generator) == 0 ? .null : stages[0].value(number)
      rows.append((0, [value]))
      plain.addFirst(value)
    }
    let owners = plain.lastFirst
    for number in 0..<Int.random(in: 0...20, using: &generator) {
      let owner = owners > 0 ? Int64.random(in: 0...owners, using: &generator) : 0
      let id = ManagedObjectID(entity: 0, store: .none, key: -owner)
      rows.append((1, [.text("text \(number)"), owner == 0 ? .null : .reference(id)]))
      plain.addSecond("text \(number)", owner == 0 ? nil : owner)
    }
    try place.open(initial).insert(rows)

    var migrations: [Migration] = []
    for (before, stage) in zip(stages, stages.dropFirst()) {
      stage.run(&plain)
      let run = { @Sendable (migration: MigrationContext) in try stage.run(migration, from: before.version) }
      migrations.append(
        stage.version == stages.count ? Migration(to: stage.version, run) : Migration(to: stage.model(), run))
    }
    let model = stages[stages.count - 1].model(migrations)
    let store = try place.open(model)
    #expect(try store.values(0, model).mapValues { $0[0] } == plain.first)
    #expect(try store.values(1, model) == plain.second)
    #expect(try place.damage(store) == [])
  }
}
