import GRDB
import ManagedContext
import SQLiteStore
import TestSupport
import Testing

/// Pairs in tables with names of the model's own, which change.
@Suite struct NamedPairMigrationTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("pairs.db") }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open(_ model: ManagedObjectModel) throws -> SQLiteStore {
    try SQLiteStore(path: path, model: model, identity: StoreIdentity(applicationID: 1))
  }

  private func pairs(_ table: String, _ person: String, _ place: String) throws -> [[Int]] {
    try DatabaseQueue(path: path).read { db in
      try Row.fetchAll(db, sql: "SELECT \(person), \(place) FROM \(table) ORDER BY 1, 2").map {
        [$0[0], $0[1]]
      }
    }
  }

  @Test func `the pairs stay if the table gets a name, another one, and is declared at the other end`() throws
  {
    let coordinator = PersistentStoreCoordinator(model: Version1.model, store: try open(Version1.model))
    let context = ManagedObjectContext(parent: coordinator)
    let people = (0..<2).map { _ in context.insert(Version1.Person.self) }
    let places = (0..<3).map { _ in context.insert(Version1.Place.self) }
    try context.save()
    (people[0].places, people[1].places) = (places, [places[2]])
    try context.save()
    let wanted = try pairs("person_places__place_people", "first_id", "second_id")
    #expect(wanted.count == 4)
    try open(Version2.model).close()
    #expect(try pairs("stay", "who", "location") == wanted)
    try open(Version3.model).close()
    #expect(try pairs("visit", "person_id", "place_id") == wanted)
    try open(Version4.model).close()
    #expect(try pairs("visit", "person_id", "place_id") == wanted)
  }
}

private enum Version1 {
  final class Person: ManagedObject, Entity {
    override class var entityName: String { "person" }

    struct Schema: Sendable {
      let places = ToMany<Place>("places", inverse: \.people)
    }

    static let entity = EntityDeclaration(Person.self, Schema())
  }

  final class Place: ManagedObject, Entity {
    override class var entityName: String { "place" }

    struct Schema: Sendable {
      let people = ToMany<Person>("people")
    }

    static let entity = EntityDeclaration(Place.self, Schema())
  }

  static let model = ManagedObjectModel(version: 1, entities: [Person.self, Place.self])
}

private enum Version2 {
  final class Person: ManagedObject, Entity {
    override class var entityName: String { "person" }

    struct Schema: Sendable {
      let places = ToMany<Place>(
        "places", inverse: \.people, table: JoinTable("stay", own: "who", related: "location"))
    }

    static let entity = EntityDeclaration(Person.self, Schema())
  }

  final class Place: ManagedObject, Entity {
    override class var entityName: String { "place" }

    struct Schema: Sendable {
      let people = ToMany<Person>("people")
    }

    static let entity = EntityDeclaration(Place.self, Schema())
  }

  static let model = ManagedObjectModel(version: 2, entities: [Person.self, Place.self])
}

private enum Version3 {
  final class Person: ManagedObject, Entity {
    override class var entityName: String { "person" }

    struct Schema: Sendable {
      let places = ToMany<Place>(
        "places", inverse: \.people,
        table: JoinTable("visit", own: "person_id", related: "place_id", renamedFrom: "stay"))
    }

    static let entity = EntityDeclaration(Person.self, Schema())
  }

  final class Place: ManagedObject, Entity {
    override class var entityName: String { "place" }

    struct Schema: Sendable {
      let people = ToMany<Person>("people")
    }

    static let entity = EntityDeclaration(Place.self, Schema())
  }

  static let model = ManagedObjectModel(version: 3, entities: [Person.self, Place.self])
}

private enum Version4 {
  final class Person: ManagedObject, Entity {
    override class var entityName: String { "person" }

    struct Schema: Sendable {
      let places = ToMany<Place>("places")
    }

    static let entity = EntityDeclaration(Person.self, Schema())
  }

  final class Place: ManagedObject, Entity {
    override class var entityName: String { "place" }

    struct Schema: Sendable {
      let people = ToMany<Person>(
        "people", inverse: \.places, table: JoinTable("visit", own: "place_id", related: "person_id"))
    }

    static let entity = EntityDeclaration(Place.self, Schema())
  }

  static let model = ManagedObjectModel(version: 4, entities: [Person.self, Place.self])
}
