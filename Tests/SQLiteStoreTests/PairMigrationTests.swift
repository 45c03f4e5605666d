import ManagedContext
import TestSupport
import Testing

@testable import SQLiteStore

/// A to-one relationship that becomes a many-to-many relationship in the next version of a model.
@Suite struct PairMigrationTests {
  private let file: TableStore

  init() throws {
    file = try TableStore()
    let context = ManagedObjectContext(
      parent: PersistentStoreCoordinator(model: Old.model, store: try file.open(Old.model)))
    let (work, home) = (context.insert(Old.Place.self), context.insert(Old.Place.self))
    (work[Old.Place.name], home[Old.Place.name]) = ("work", "home")
    for (name, place) in [("Ann", work), ("Bob", nil), ("Cid", home), ("Dot", work)] {
      let person = context.insert(Old.Person.self)
      (person[Old.Person.name], person.place, person.birthplace) = (name, place, home)
    }
    try context.save()
  }

  private func places(_ model: ManagedObjectModel) throws -> [String] {
    let context = ManagedObjectContext(
      parent: PersistentStoreCoordinator(model: model, store: try file.open(model)))
    return try context.fetch(FetchRequest(New.Person.self)).map { person in
      "\(person[New.Person.name]): \(person.places.map { $0[New.Place.name] }.sorted().joined(separator: ", "))"
    }.sorted()
  }

  @Test func `its references become the first pairs`() throws {
    #expect(
      try places(New.model(keepsBirthplace: true)) == ["Ann: work", "Bob: ", "Cid: home", "Dot: work"])
    #expect(
      try file.ask("SELECT name FROM pragma_table_info('person') ORDER BY cid").contains("place_id") == false)
  }

  @Test func `renamedFrom selects one of several relationships`() throws {
    let home = ["Ann: home", "Bob: home", "Cid: home", "Dot: home"]
    #expect(try places(New.model(renamedFrom: "birthplace_id")) == home)
  }

  @Test func `several candidates without renamedFrom are refused, and nothing is changed`() throws {
    let before = try file.bytes()
    #expect {
      _ = try places(New.model())
    } throws: { error in
      guard case .incompatible(let cause) = error as? StoreError else { return false }
      return cause.contains("person.places") && cause.contains("person.place_id, person.birthplace_id")
    }
    #expect(try file.bytes() == before)
  }
}

private enum Old {
  final class Person: ManagedObject {
    override class var entityName: String { "person" }
    static let name = AttributeKey<String>(0, "name")
    static let place = ToOneKey<Place>(1, "place_id")
    static let birthplace = ToOneKey<Place>(2, "birthplace_id")
    var place: Place? {
      get { self[Self.place] }
      set { self[Self.place] = newValue }
    }
    var birthplace: Place? {
      get { self[Self.birthplace] }
      set { self[Self.birthplace] = newValue }
    }
  }

  final class Place: ManagedObject {
    override class var entityName: String { "place" }
    static let name = AttributeKey<String>(0, "name")
    static let people = ToManyKey<Person>(0, "people")
    static let natives = ToManyKey<Person>(1, "natives")
    var people: [Person] { self[Self.people] }
    var natives: [Person] { self[Self.natives] }
  }

  static let model = ManagedObjectModel(
    version: 1,
    entities: [
      EntityDescription(
        "person", class: Person.self,
        properties: [
          .attribute(Person.name), .toOne(Person.place, \Person.place, inverse: Place.people),
          .toOne(Person.birthplace, \Person.birthplace, inverse: Place.natives),
        ]),
      EntityDescription(
        "place", class: Place.self,
        properties: [
          .attribute(Place.name), .toMany(Place.people, \Place.people, inverse: Person.place),
          .toMany(Place.natives, \Place.natives, inverse: Person.birthplace),
        ]),
    ])
}

private enum New {
  final class Person: ManagedObject {
    override class var entityName: String { "person" }
    static let name = AttributeKey<String>(0, "name")
    static let birthplace = AttributeKey<ManagedObjectID?>(1, "birthplace_id")
    static let places = ToManyKey<Place>(0, "places")
    var places: [Place] { self[Self.places] }
  }

  final class Place: ManagedObject {
    override class var entityName: String { "place" }
    static let name = AttributeKey<String>(0, "name")
    static let people = ToManyKey<Person>(0, "people")
    var people: [Person] { self[Self.people] }
  }

  static func model(keepsBirthplace: Bool = false, renamedFrom old: String? = nil) -> ManagedObjectModel {
    let kept: [PropertyDescription] = keepsBirthplace ? [.reference(Person.birthplace, to: "place")] : []
    return ManagedObjectModel(
      version: 2,
      entities: [
        EntityDescription(
          "person", class: Person.self,
          properties: [.attribute(Person.name)] + kept
            + [.manyToMany(Person.places, \Person.places, inverse: Place.people, renamedFrom: old)]),
        EntityDescription(
          "place", class: Place.self,
          properties: [
            .attribute(Place.name), .manyToMany(Place.people, \Place.people, inverse: Person.places),
          ]),
      ])
  }
}
