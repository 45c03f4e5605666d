@testable import ManagedContext
import TestSupport

/// A model with every kind of relationship and every delete rule, for random tests.
enum Grove {
  static let model = ManagedObjectModel(version: 1, entities: [Owner.entity, Item.entity, Mark.entity])

  static let owner: EntityIndex = 0
  static let item: EntityIndex = 1
  static let mark: EntityIndex = 2
}

final class Owner: ManagedObject {
  override class var entityName: String { "owner" }

  enum Key {
    static let name = AttributeKey<String>(0, "name")
    static let rank = AttributeKey<Int?>(1, "rank")
    static let minions = ToManyKey<Item>(0, "minions")
    static let guests = ToManyKey<Item>(1, "guests")
    static let wards = ToManyKey<Item>(2, "wards")
    static let notes = ToManyKey<Item>(3, "notes")
  }

  var name: String { self[Key.name] }
  var rank: Int? { self[Key.rank] }
  var minions: [Item] { self[Key.minions] }
  var guests: [Item] { self[Key.guests] }
  var wards: [Item] { self[Key.wards] }
  var notes: [Item] { self[Key.notes] }

  static let entity = EntityDescription(
    entityName, class: Owner.self,
    properties: [
      .attribute(Key.name, \Owner.name), .attribute(Key.rank, \Owner.rank),
      .toMany(Key.minions, \Owner.minions, inverse: Item.Key.boss, onDelete: .cascade),
      .toMany(Key.guests, \Owner.guests, inverse: Item.Key.host, onDelete: .nullify),
      .toMany(Key.wards, \Owner.wards, inverse: Item.Key.guardian, onDelete: .deny),
      .toMany(Key.notes, \Owner.notes, inverse: Item.Key.writer, onDelete: .noAction),
    ])
}

final class Item: ManagedObject {
  override class var entityName: String { "item" }

  enum Key {
    static let boss = ToOneKey<Owner>(0, "boss_id")
    static let host = ToOneKey<Owner>(1, "host_id")
    static let guardian = ToOneKey<Owner>(2, "guardian_id")
    static let writer = ToOneKey<Owner>(3, "writer_id")
    static let label = AttributeKey<String>(4, "label")
    static let number = AttributeKey<Int?>(5, "number")
    static let marks = ToManyKey<Mark>(0, "marks")
  }

  var boss: Owner? { self[Key.boss] }
  var host: Owner? { self[Key.host] }
  var guardian: Owner? { self[Key.guardian] }
  var writer: Owner? { self[Key.writer] }
  var label: String { self[Key.label] }
  var number: Int? { self[Key.number] }
  var marks: [Mark] { self[Key.marks] }

  static let entity = EntityDescription(
    entityName, class: Item.self,
    properties: [
      .toOne(Key.boss, \Item.boss, inverse: Owner.Key.minions),
      .toOne(Key.host, \Item.host, inverse: Owner.Key.guests),
      .toOne(Key.guardian, \Item.guardian, inverse: Owner.Key.wards),
      .toOne(Key.writer, \Item.writer, inverse: Owner.Key.notes),
      .attribute(Key.label, \Item.label), .attribute(Key.number, \Item.number),
      .manyToMany(Key.marks, \Item.marks, inverse: Mark.Key.items),
    ])
}

final class Mark: ManagedObject {
  override class var entityName: String { "mark" }

  enum Key {
    static let word = AttributeKey<String>(0, "word")
    static let items = ToManyKey<Item>(0, "items")
  }

  var word: String { self[Key.word] }
  var items: [Item] { self[Key.items] }

  static let entity = EntityDescription(
    entityName, class: Mark.self,
    properties: [
      .attribute(Key.word, \Mark.word), .manyToMany(Key.items, \Mark.items, inverse: Item.Key.marks),
    ])
}

extension Grove {
  /// Creates a coordinator over an empty store, and what must exist as long.
  static func coordinator(_ kind: StoreKind) throws -> (PersistentStoreCoordinator, (any Sendable)?) {
    let (store, place) = try kind.makeStore(model)
    return (PersistentStoreCoordinator(model: model, store: store), place)
  }
}
