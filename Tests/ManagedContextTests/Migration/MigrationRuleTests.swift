import Foundation
import TestSupport
import Testing
import Threading

@testable import ManagedContext

/// The rules for the code of migrations.
@Suite struct MigrationRuleTests {
  private static let old = ManagedObjectModel(
    version: 1,
    entities: [
      EntityDescription(
        "first", properties: [.attribute("name", String?.self), .reference("previous", to: "first")]),
      EntityDescription("second", properties: [.attribute("number", Int?.self)]),
    ])

  private func place(_ kind: StoreKind, rows: Int = 3) throws -> StorePlace {
    let place = try StorePlace(kind)
    let numbers = Array(0..<rows)
    try place.open(Self.old).insert(
      numbers.map { number in
        let previous = ManagedObjectID(entity: 0, store: .none, key: -Int64(number))
        return (0, [.text("row \(number)"), number == 0 ? .null : .reference(previous)])
      })
    return place
  }

  /// Opens a store with a model of the second version.
  private func open(
    _ place: StorePlace, _ entities: [EntityDescription] = old.entities, views: [String] = [],
    _ body: @escaping @Sendable (MigrationContext) throws -> Void
  ) throws -> (store: any PersistentStore, model: ManagedObjectModel) {
    let model = ManagedObjectModel(version: 2, entities: entities, migrations: [Migration(to: 2, body)])
    return (try place.open(model, views: views), model)
  }

  private func message(
    _ place: StorePlace, _ entities: [EntityDescription] = old.entities,
    _ body: @escaping @Sendable (MigrationContext) throws -> Void
  ) throws -> String {
    let error = #expect(throws: StoreError.self) { try open(place, entities, body) }
    #expect(try place.open(Self.old).count(StoreQuery(entity: 0)) == 3)
    return error.map { "\($0)" } ?? ""
  }

  @Test(
    arguments: StoreKind.lasting,
    [
      ("second", Array(old.entities.prefix(1))),
      (
        "first.name",
        [EntityDescription("first", properties: [.reference("previous", to: "first")]), old.entities[1]]
      ),
    ])
  func `a described version without what a later one has is refused`(
    kind: StoreKind, omission: (name: String, entities: [EntityDescription])
  ) throws {
    let place = try place(kind)
    let described = ManagedObjectModel(version: 2, entities: omission.entities)
    let model = ManagedObjectModel(
      version: 3, entities: Self.old.entities, migrations: [Migration(to: described)])
    let error = #expect(throws: StoreError.self) { try place.open(model) }
    let message = "the description of version 2 lacks \(omission.name), which version 3 has"
    #expect(error.map { "\($0)".contains(message) } == true, "\(String(describing: error))")
    #expect(try place.open(Self.old).count(StoreQuery(entity: 0)) == 3)
  }

  @Test(arguments: StoreKind.lasting)
  func `old rows stay as they were while the code changes and adds rows`(kind: StoreKind) throws {
    let place = try place(kind, rows: 600)
    let (store, model) = try open(place) { migration in
      // Each row makes another one in the same table, which is no old row.
      try migration.forEachRow(of: "first") { old in
        let name: String = try old["name"]
        try migration.insert("first") { $0["name"] = "copy of \(name)" }
      }
      try migration.update("first") { old, new in new["name"] = "new \(try old["name", as: String.self])" }
      try migration.forEachRow(of: "first") { old in
        let name: String = try old["name"]
        if name.hasPrefix("new") { throw old.error("name", "is changed") }
      }
    }
    let names = try store.values(0, model).mapValues { $0[0] }
    #expect(names.count == 1200)
    #expect(names[600] == .text("new row 599") && names[601] == .text("copy of row 0"))
    #expect(names[1200] == .text("copy of row 599"))
    #expect(try place.damage(store) == [])
  }

  @Test(arguments: StoreKind.lasting)
  func `the key of a deleted row is not used again`(kind: StoreKind) throws {
    let place = try place(kind)
    let (store, model) = try open(place) { migration in
      try migration.update("first") { old, new in
        new.isDeleted = old.key == 3
      }
    }
    try store.insert([(0, [.text("last"), .null])])
    #expect(try store.values(0, model).keys.max() ?? 0 > 3)
  }

  @Test(arguments: StoreKind.lasting)
  func `rows that the code changes keep their versions`(kind: StoreKind) throws {
    let place = try place(kind)
    var changes = ChangeSet(mergePolicy: .error)
    let second = StorePredicate.compare(0, .equal, .text("row 1"))
    changes.batches = [.update(BatchUpdate(entity: 0, predicate: second, values: [(0, .text("edited"))]))]
    for result in try place.open(Self.old).write([changes]) { _ = try result.get() }
    let (store, _) = try open(place) { migration in
      try migration.update("first") { _, new in new["name"] = "new" }
    }
    let rows = try store.fetch(StoreQuery(entity: 0))
    #expect(Dictionary(uniqueKeysWithValues: zip(rows.keys, rows.versions)) == [1: 1, 2: 2, 3: 1])
  }

  @Test(arguments: StoreKind.lasting)
  func `no later row gets the key of a row that the code adds to an unchanged table`(kind: StoreKind) throws {
    let place = try place(kind)
    let (store, model) = try open(place) { migration in
      try migration.insert("first") { $0["name"] = "added" }
    }
    var changes = ChangeSet(mergePolicy: .error)
    changes.batches = [.delete(BatchDelete(entity: 0, predicate: .compare(0, .equal, .text("added"))))]
    for result in store.write([changes]) { _ = try result.get() }
    try store.insert([(0, [.text("last"), .null])])
    #expect(try store.values(0, model).keys.sorted() == [1, 2, 3, 5])
    #expect(try place.damage(store) == [])
  }

  @Test(arguments: StoreKind.lasting)
  func `code runs in the order of its versions, and within a version in the order of the list`(
    kind: StoreKind
  ) throws {
    let runs = Locked<[String]>([])
    let migrations = [(3, "third"), (2, "second"), (3, "fourth")].map { version, name in
      Migration(to: version) { _ in runs.withLock { $0.append(name) } }
    }
    let model = ManagedObjectModel(version: 3, entities: Self.old.entities, migrations: migrations)
    _ = try place(kind).open(model)
    #expect(runs.withLock { $0 } == ["second", "third", "fourth"])
  }

  @Test(arguments: StoreKind.lasting)
  func `a reference to a row that the code has deleted is named`(kind: StoreKind) throws {
    let found = try message(place(kind)) { migration in
      try migration.update("first") { old, new in new.isDeleted = old.key == 2 }
    }
    #expect(
      found
        == "a value breaks a rule of the model: first.previous of object 3 leads to an object that is not in the store"
    )
  }

  @Test(arguments: StoreKind.lasting)
  func `unknown names, wrong types and missing values are named`(kind: StoreKind) throws {
    let place = try place(kind)
    #expect(
      try message(place) { try $0.update("first") { old, _ in _ = try old["nmae", as: String.self] } }
        == "the store does not match the model: first has no attribute nmae in version 1")
    #expect(
      try message(place) { try $0.update("first") { _, new in new["nmae"] = 1 } }
        == "the store does not match the model: first has no attribute nmae in version 2")
    #expect(
      try message(place) { try $0.update("thrid") { _, _ in } }
        == "the store does not match the model: there is no entity thrid in version 2")
    #expect(
      try message(place) { try $0.update("first") { old, _ in _ = try old["name", as: Int.self] } }
        .hasPrefix(
          "3 values break rules of the model: first.name of object 1: “row 0” is not Int; first.name"))
    #expect(
      try message(place) { try $0.update("first") { _, new in new["name"] = 5 } }
        .hasPrefix(
          "3 values break rules of the model: first.name of object 1 has the type text, and 5 cannot be converted to it;"
        ))
    let strict = EntityDescription("strict", properties: [.attribute("name", String.self)])
    #expect(
      try message(place, Self.old.entities + [strict]) { migration in
        try migration.forEachRow(of: "first") { _ in try migration.insert("strict") { _ in } }
      }.hasPrefix(
        "3 values break rules of the model: first of object 1: strict.name is required but has no value;"))
  }

  @Test(arguments: StoreKind.lasting)
  func `an entity is updated once in a stage`(kind: StoreKind) throws {
    let found = try message(place(kind)) { migration in
      for _ in 0..<2 { try migration.update("first") { _, _ in } }
    }
    #expect(found.contains("first is updated twice between the versions 1 and 2: describe the model"))
  }

  @Test(arguments: StoreKind.lasting)
  func `an error of the code names the row where it happened`(kind: StoreKind) throws {
    struct Odd: Error {}
    let found = try message(place(kind)) { migration in
      try migration.forEachRow(of: "first") { old in if old.key == 2 { throw Odd() } }
    }
    #expect(found == "a value breaks a rule of the model: first of object 2: Odd()")
  }

  @Test(arguments: StoreKind.lasting)
  func `views of users stay, also if the opening ends between two stages`(kind: StoreKind) throws {
    let place = try place(kind)
    let view = { (name: String) in "CREATE VIEW \(name) AS SELECT id, name FROM first" }
    let before = ManagedObjectModel(version: 1, entities: Self.old.entities)
    _ = try place.open(before)
    try place.run("CREATE VIEW mine AS SELECT name FROM first")
    struct Failure: Error {}
    let second = ManagedObjectModel(version: 2, entities: Self.old.entities)
    let stages = [Migration(to: second), Migration(to: 3) { _ in throw Failure() }]
    let failing = ManagedObjectModel(version: 3, entities: Self.old.entities, migrations: stages)
    #expect(throws: StoreError.self) { try place.open(failing, views: [view("ours")]) }
    let last = ManagedObjectModel(version: 3, entities: Self.old.entities)
    _ = try place.open(last, views: [view("ours")])
    #expect(try place.run("SELECT count(*) FROM mine") == ["3"])
    #expect(try place.run("SELECT count(*) FROM ours") == ["3"])
  }

  @Test(arguments: StoreKind.lasting)
  func `changes are inferred without code`(kind: StoreKind) throws {
    let place = try place(kind)
    try place.open(Self.old).insert([(0, [.null, .null]), (1, [.integer(5)]), (1, [.integer(0)])])
    let model = ManagedObjectModel(
      version: 2,
      entities: [
        EntityDescription("second", properties: [.attribute("number", Bool?.self)]),
        EntityDescription(
          "third",
          properties: [
            .attribute("more", Int.self, default: 7),
            .attribute("title", String.self, default: "none", renamedFrom: "name"),
            .reference("previous", to: "third"), .attribute("hash", [UInt8].self, default: [0, 255]),
          ], indexes: [["title"], ["previous"]], renamedFrom: "first"),
      ])
    let store = try place.open(model)
    let hash = AttributeValue.bytes([0, 255])
    #expect(
      try store.values(1, model) == [
        1: [.integer(7), .text("row 0"), .null, hash], 2: [.integer(7), .text("row 1"), .integer(1), hash],
        3: [.integer(7), .text("row 2"), .integer(2), hash], 4: [.integer(7), .text("none"), .null, hash],
      ])
    #expect(try store.values(0, model) == [1: [.integer(1)], 2: [.integer(0)]])
    #expect(try place.damage(store) == [])
    let last = ManagedObjectModel(
      version: 3, entities: [EntityDescription("second", properties: [.attribute("number", String?.self)])])
    #expect(try place.open(last).values(0, last) == [1: [.text("1")], 2: [.text("0")]])
  }

  @Test(arguments: StoreKind.lasting)
  func `rows that violate a new constraint are named`(kind: StoreKind) throws {
    let place = try place(kind)
    try place.open(Self.old).insert([(0, [.text("row 1"), .null])])
    let unique = ManagedObjectModel(
      version: 2,
      entities: [
        EntityDescription("first", properties: [.attribute("name", String?.self)], uniqueness: [["name"]])
      ])
    let error = #expect(throws: StoreError.self) { try place.open(unique) }
    guard case .conflict(let conflicts)? = error else { return #expect(Bool(false)) }
    #expect(conflicts.map(\.object.key) == [4])
    #expect(conflicts.first?.storeValues["name"] == .text("row 1"))
    #expect(try place.open(Self.old).count(StoreQuery(entity: 0)) == 4)
  }

  @Test(.enabled(if: TestServer.address != nil, "there is no server; make test-postgresql starts one"))
  func `a table that is written again keeps the rights of other users`() throws {
    let place = try place(.postgresql)
    try place.run("GRANT SELECT ON first TO PUBLIC")
    _ = try open(place) { try $0.update("first") { _, _ in } }
    let rights =
      "SELECT count(*) FROM pg_class, aclexplode(relacl) WHERE grantee = 0 AND oid = 'first'::regclass"
    #expect(try place.run(rights) == ["1"])
    #expect(try place.run("SELECT pg_get_serial_sequence('first', 'id') LIKE '%.first_id_seq'") == ["t"])
  }

  @Test func `a description by names has the tables of the classes`() throws {
    let place = try StorePlace(.sqlite)
    _ = try place.open(Library.model)
    let named = ManagedObjectModel(
      version: Library.model.version,
      entities: [
        EntityDescription(
          "author", properties: [.attribute("name", String.self), .attribute("city", String?.self)],
          uniqueness: [["name"]]),
        EntityDescription(
          "book",
          properties: [
            .reference("author_id", to: "author", isOptional: false), .attribute("title", String.self),
            .attribute("pages", Int?.self), .attribute("mark", Int.self, default: 0),
            .attribute("edits", Int.self, default: 0),
          ], uniqueness: [["author_id", "title"]]),
        EntityDescription("tag", properties: [.attribute("name", String.self)], uniqueness: [["name"]]),
        EntityDescription(
          "loan",
          properties: [
            .reference("book_id", to: "book", isOptional: false), .attribute("reader", String.self),
          ]),
        .pairs(("tag", "books"), ("book", "tags")),
      ])
    #expect(try place.damage(place.open(named)) == [])
  }
}
