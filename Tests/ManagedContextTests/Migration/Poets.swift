import Foundation
import ManagedContext

/// Three versions of a model: a text becomes a date, an entity is split, and two entities are merged.
enum Poets {
  /// Poets with the date of birth and the city as texts; novelists; novels by novelists.
  static let first = ManagedObjectModel(
    version: 1,
    entities: [
      EntityDescription(
        "poet",
        properties: [
          .attribute("name", String.self), .attribute("born", String?.self), .attribute("city", String?.self),
        ]),
      EntityDescription("novelist", properties: [.attribute("name", String.self)]),
      EntityDescription(
        "novel",
        properties: [
          .attribute("title", String.self), .reference("novelist_id", to: "novelist", isOptional: false),
        ], indexes: [["novelist_id"]]),
    ])

  /// The date of birth is a date.
  static let second = ManagedObjectModel(
    version: 2,
    entities: [
      EntityDescription(
        "poet",
        properties: [
          .attribute("name", String.self), .attribute("born_on", Date?.self),
          .attribute("city", String?.self),
        ])
    ] + first.entities.dropFirst())

  /// The newest version.
  static func model(_ migrations: [Migration]) -> ManagedObjectModel {
    ManagedObjectModel(version: 3, entities: [Poet.self, Place.self, Novel.self], migrations: migrations)
  }

  static let toSecond = Migration(to: second) { migration in
    try migration.update("poet") { old, new in new["born_on"] = try old.convert("born", date) }
  }

  static let toThird = Migration(to: 3) { migration in
    var places: [String: Int64] = [:]
    var poets: [Int64: Int64] = [:]
    try migration.update(Poet.self) { old, new in
      guard let city = try old["city", as: String?.self] else { return }
      let known = places[city]
      places[city] = try known ?? migration.insert(Place.self) { $0.name = city }
      new.place = places[city]
    }
    try migration.forEachRow(of: "novelist") { old in
      poets[old.key] = try migration.insert(Poet.self) { new in
        (new.name, new.kind) = (try old["name"], .novelist)
      }
    }
    try migration.update(Novel.self) { old, new in new.author = poets[try old["novelist_id"]] }
  }

  /// Returns the date that a text such as “1882-01-25” writes; nil for any other text.
  @Sendable static func date(_ text: String) -> Date? {
    let parts = text.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3, (1...12).contains(parts[1]), (1...31).contains(parts[2]) else { return nil }
    return Date(timeIntervalSince1970: Double((parts[0] - 1970) * 372 + parts[1] * 31 + parts[2]) * 86_400)
  }

  static let rows: [(entity: EntityIndex, values: [AttributeValue])] = [
    (0, [.text("Keats"), .text("1795-10-31"), .text("London")]),
    (0, [.text("Sappho"), .null, .text("Lesbos")]),
    (0, [.text("Blake"), .text("1757-11-28"), .text("London")]), (0, [.text("Anon"), .null, .null]),
    (1, [.text("Woolf")]), (1, [.text("Joyce")]),
    (2, [.text("Orlando"), reference(5)]), (2, [.text("Ulysses"), reference(6)]),
    (2, [.text("Flush"), reference(5)]),
  ]

  private static func reference(_ place: Int64) -> AttributeValue {
    .reference(ManagedObjectID(entity: 1, store: .none, key: -place))
  }
}

enum PoetKind: String, CaseIterable, AttributeConvertible { case poet, novelist }

final class Poet: ManagedObject, Entity {
  override class var entityName: String { "poet" }

  struct Schema: Sendable {
    let name = Attribute<String>("name")
    let born = Attribute<Date?>("born_on", renamedFrom: "born")
    let kind = Attribute<PoetKind>("kind", default: .poet)
    let place = ToOne<Place>("place_id", inverse: \.poets)
    let novels = ToMany<Novel>("novels")
  }

  static let entity = EntityDeclaration(Poet.self, Schema(), indexes: { [[$0.name]] })
}

final class Place: ManagedObject, Entity {
  override class var entityName: String { "place" }

  struct Schema: Sendable {
    let name = Attribute<String>("name")
    let poets = ToMany<Poet>("poets")
  }

  static let entity = EntityDeclaration(Place.self, Schema(), unique: { [[$0.name]] })
}

final class Novel: ManagedObject, Entity {
  override class var entityName: String { "novel" }

  struct Schema: Sendable {
    let title = Attribute<String>("title")
    let author = ToOne<Poet>("author_id", inverse: \.novels, isOptional: false)
  }

  static let entity = EntityDeclaration(Novel.self, Schema())
}
