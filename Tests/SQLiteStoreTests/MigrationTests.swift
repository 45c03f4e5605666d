import Foundation
import ManagedContext
import SQLiteStore
import TestSupport
import Testing

@Suite struct MigrationTests {
  private let file: TableStore
  private static let title = AttributeKey<String>(0, "title")
  private let old = ManagedObjectModel.one(
    1, [.attribute(title), .attribute(AttributeKey<Int?>(1, "pages"))])

  init() throws {
    file = try TableStore()
    try file.fill(
      old, [(0, [.text("Orlando"), .integer(333)]), (0, [.text("Flush"), .null])])
  }

  private func values(_ model: ManagedObjectModel) throws -> [[AttributeValue]] {
    try file.open(model).rows(0, model).map(\.values)
  }

  private func one(
    _ properties: [PropertyDescription], uniqueness: [[String]] = [], indexes: [[String]] = []
  ) -> ManagedObjectModel {
    .one(2, [.attribute(Self.title)] + properties, uniqueness: uniqueness, indexes: indexes)
  }

  /// Expects that a model is refused, and that the old model still opens the store with the same rows.
  private func expectRefused(_ model: ManagedObjectModel, _ expected: StoreError) throws {
    // The order matters, because opening a store writes.
    let rows = try values(old)
    let before = try file.bytes()
    #expect(throws: expected) { try file.open(model) }
    #expect(try file.bytes() == before)
    #expect(try values(old) == rows)
  }

  private func error(
    _ attribute: String, key: Int64? = nil, _ cause: ValidationError.Cause, value: AttributeValue? = nil
  ) -> StoreError {
    let id = key.map { file.id(0, $0) }
    return .validation(
      ValidationError(entity: "first", attribute: attribute, object: id, cause: cause, value: value))
  }

  // MARK: Attributes

  @Test func `an added attribute has its default value or null`() throws {
    let model = one([
      .attribute(AttributeKey<Int?>(1, "pages")), .attribute(AttributeKey<String?>(2, "note")),
      .attribute(AttributeKey<Int>(3, "edits"), default: 7),
      .attribute(AttributeKey<String>(4, "mood"), default: "it's '\u{301}"),
      .attribute(AttributeKey<[UInt8]>(5, "hash"), default: [0, 255]),
    ])
    let added: [AttributeValue] = [.null, .integer(7), .text("it's '\u{301}"), .bytes([0, 255])]
    #expect(
      try values(model) == [
        [.text("Orlando"), .integer(333)] + added, [.text("Flush"), .null] + added,
      ])
  }

  @Test func `adding attributes copies no row`() throws {
    let page = "SELECT rootpage FROM sqlite_master WHERE name = 'first'"
    let before = try file.ask(page)
    _ = try file.open(
      one([
        .attribute(AttributeKey<Int?>(1, "pages")), .attribute(AttributeKey<Int>(2, "edits"), default: 0),
      ]))
    #expect(try file.ask(page) == before)
  }

  @Test func `the columns of a migrated table are in the order of the attributes`() throws {
    _ = try file.open(
      one([.attribute(AttributeKey<Int>(1, "edits"), default: 0), .attribute(AttributeKey<Int?>(2, "pages"))])
    )
    #expect(
      try file.ask("SELECT group_concat(name) FROM pragma_table_info('first')")
        == ["id,version,title,edits,pages"])
  }

  @Test func `a default that a column definition cannot contain is written to each row`() throws {
    let model = one([
      .attribute(AttributeKey<Int?>(1, "pages")), .attribute(AttributeKey<String>(2, "odd"), default: "a\0b"),
    ])
    #expect(try values(model).map { $0[2] } == [.text("a\0b"), .text("a\0b")])
  }

  @Test func `a required attribute without a default is refused if the table has rows`() throws {
    let model = one([
      .attribute(AttributeKey<Int?>(1, "pages")), .attribute(AttributeKey<String>(2, "isbn")),
    ])
    try expectRefused(model, error("isbn", .missingValue))
    let empty = try TableStore()
    try empty.fill(old, [])
    #expect(try empty.open(model).count(StoreQuery(entity: 0)) == 0)
  }

  @Test func `a removed attribute is deleted, and the others stay`() throws {
    #expect(try values(one([])) == [[.text("Orlando")], [.text("Flush")]])
  }

  @Test func `a renamed attribute keeps its values, even if another attribute gets its old name`() throws {
    let model = ManagedObjectModel.one(
      2,
      [
        .attribute(AttributeKey<String>(0, "name"), renamedFrom: "title"),
        .attribute(AttributeKey<Int?>(1, "pages")), .attribute(AttributeKey<String?>(2, "title")),
      ])
    let wanted: [[AttributeValue]] = [
      [.text("Orlando"), .integer(333), .null], [.text("Flush"), .null, .null],
    ]
    #expect(try values(model) == wanted)
    #expect(try values(ManagedObjectModel(version: 3, entities: model.entities)) == wanted)
  }

  @Test func `a value is converted to another type if the conversion loses nothing`() throws {
    let text = one([.attribute(AttributeKey<String?>(1, "pages"))])
    #expect(try values(text).map { $0[1] } == [.text("333"), .null])
    let real = ManagedObjectModel.one(
      3, [.attribute(Self.title), .attribute(AttributeKey<Double?>(1, "pages"))])
    #expect(try values(real).map { $0[1] } == [.real(333), .null])
    let integer = ManagedObjectModel.one(
      4, [.attribute(Self.title), .attribute(AttributeKey<Int?>(1, "pages"))])
    #expect(try values(integer).map { $0[1] } == [.integer(333), .null])
    let bytes = ManagedObjectModel.one(
      5, [.attribute(AttributeKey<[UInt8]>(0, "title")), .attribute(AttributeKey<Int?>(1, "pages"))])
    #expect(try values(bytes).map { $0[0] } == [.bytes(Array("Orlando".utf8)), .bytes(Array("Flush".utf8))])
  }

  @Test func `a number converted to a Boolean is 0 or 1, and queries find it`() throws {
    try file.fill(old, [(0, [.text("-1"), .integer(0)]), (0, [.text("2"), .integer(1)])])
    try file.run("UPDATE first SET title = '0' WHERE typeof(title) = 'text' AND title NOT IN ('-1', '2')")
    let model = ManagedObjectModel.one(
      2, [.attribute(AttributeKey<Bool>(0, "title")), .attribute(AttributeKey<Bool?>(1, "pages"))])
    let (no, yes) = (AttributeValue.integer(0), AttributeValue.integer(1))
    #expect(try values(model) == [[no, yes], [no, .null], [yes, no], [yes, yes]])
    let query = StoreQuery(entity: 0, predicate: .compare(1, .equal, yes))
    #expect(try file.open(model).count(query) == 2)
  }

  @Test func `the error for a value that cannot be converted names it, and nothing is changed`() throws {
    let model = ManagedObjectModel.one(
      2, [.attribute(AttributeKey<Int>(0, "title")), .attribute(AttributeKey<Int?>(1, "pages"))])
    let violations = [(Int64(1), "Orlando"), (2, "Flush")].flatMap { key, title in
      error("title", key: key, .wrongType(expected: .integer), value: .text(title)).violations
    }
    try expectRefused(model, .validations(violations))
  }

  @Test func `an attribute that becomes required gets its default in place of null`() throws {
    #expect(
      try values(one([.attribute(AttributeKey<Int>(1, "pages"), default: 1)])).map { $0[1] } == [
        .integer(333), .integer(1),
      ])
  }

  @Test
  func
    `an attribute that becomes required without a default causes an error that names the row without a value`()
    throws
  {
    try expectRefused(one([.attribute(AttributeKey<Int>(1, "pages"))]), error("pages", key: 2, .missingValue))
  }

  // MARK: Uniqueness and indexes

  @Test func `new constraints apply, and removed ones do not`() throws {
    let pages = PropertyDescription.attribute(AttributeKey<Int?>(1, "pages"))
    let unique = try file.open(one([pages], uniqueness: [["title"]], indexes: [["pages"]]))
    #expect(throws: StoreError.self) { try unique.insert([(0, [.text("Flush"), .null])]) }
    #expect(
      try file.ask("SELECT name FROM pragma_index_list('first') ORDER BY 1") == [
        "first_index0", "first_unique0",
      ])
    let free = try file.open(.one(3, [.attribute(Self.title), pages]))
    try free.insert([(0, [.text("Flush"), .null])])
    #expect(try file.ask("SELECT name FROM pragma_index_list('first')").isEmpty)
  }

  @Test func `the error for rows that violate a new constraint names them, and nothing is changed`() throws {
    try file.fill(old, [(0, [.text("Flush"), .integer(1)])])
    let model = one([.attribute(AttributeKey<Int?>(1, "pages"))], uniqueness: [["title"]])
    let conflict = MergeConflict(
      object: file.id(0, 3), entity: "first",
      kind: .unique(attributes: ["title"], other: file.id(0, 2)),
      objectValues: ["title": .text("Flush")], storeValues: ["title": .text("Flush")])
    try expectRefused(model, .conflict([conflict]))
  }

  // MARK: Entities

  @Test func `entities are added and removed`() throws {
    let second = EntityDescription(
      "second", class: Second.self, properties: [.attribute(AttributeKey<Int?>(0, "number"))])
    let both = ManagedObjectModel(version: 2, entities: old.entities + [second])
    try file.open(both).insert([(1, [.integer(5)])])
    let only = ManagedObjectModel(version: 3, entities: [second])
    #expect(try file.open(only).rows(0, only).map(\.values) == [[.integer(5)]])
    #expect(try file.ask("SELECT name FROM sqlite_master WHERE name LIKE 'first%'").isEmpty)
  }

  @Test func `a renamed entity keeps its rows, with their keys and versions`() throws {
    var changes = ChangeSet(mergePolicy: .overwrite)
    changes.updates = [
      .init(
        id: file.id(0, 1), edited: [1], values: [.text("Orlando"), .integer(300)],
        base: [.text("Orlando"), .integer(333)], version: 1)
    ]
    _ = try file.open(old).write([changes])[0].get()
    let renamed = EntityDescription(
      "second", class: Second.self,
      properties: [.attribute(Self.title), .attribute(AttributeKey<Int?>(1, "pages"))], indexes: [["title"]],
      renamedFrom: "first")
    let model = ManagedObjectModel(version: 2, entities: [renamed])
    #expect(
      try file.open(model).rows(0, model) == [
        StoredRow(key: 1, version: 2, values: [.text("Orlando"), .integer(300)]),
        StoredRow(key: 2, version: 1, values: [.text("Flush"), .null]),
      ])
  }

  @Test func `an entity may get the former name of another`() throws {
    let renamed = EntityDescription(
      "second", class: Second.self, properties: [.attribute(Self.title)], renamedFrom: "first")
    let new = EntityDescription(
      "first", class: First.self, properties: [.attribute(AttributeKey<Int?>(0, "number"))])
    let model = ManagedObjectModel(version: 2, entities: [new, renamed])
    let store = try file.open(model)
    #expect(try store.count(StoreQuery(entity: 0)) == 0)
    #expect(try store.rows(1, model).map(\.values) == [[.text("Orlando")], [.text("Flush")]])
  }

  @Test func `names may move from entity to entity, once`() throws {
    let properties = [PropertyDescription.attribute(Self.title)]
    let both = ManagedObjectModel(
      version: 2,
      entities: [
        EntityDescription("first", class: First.self, properties: properties),
        EntityDescription("second", class: Second.self, properties: properties),
      ])
    try file.open(both).insert([(1, [.text("Ulysses")])])
    let moved = [
      EntityDescription("second", class: Second.self, properties: properties, renamedFrom: "first"),
      EntityDescription("third", class: Third.self, properties: properties, renamedFrom: "second"),
    ]
    for version in 3...4 {
      let model = ManagedObjectModel(version: version, entities: moved)
      let store = try file.open(model)
      #expect(try store.rows(0, model).map(\.values) == [[.text("Orlando")], [.text("Flush")]])
      #expect(try store.rows(1, model).map(\.values) == [[.text("Ulysses")]])
    }
  }

  @Test(arguments: [[2, 3], [3], [2, 4], [4]])
  func `an attribute renamed several times keeps its values from every older version`(versions: [Int]) throws
  {
    let pages = { (names: [String?]) -> [PropertyDescription] in
      [
        .attribute(Self.title),
        .attribute(AttributeKey<Int?>(1, names[0] ?? ""), renamedFrom: names[1], names[2]),
      ]
    }
    let models = [
      2: EntityDescription(
        "second", class: Second.self, properties: pages(["count", "pages", nil]), renamedFrom: "first"),
      3: EntityDescription(
        "third", class: Third.self, properties: pages(["length", "count", "pages"]), renamedFrom: "second",
        "first"),
      // The newest name in a file counts, regardless of the order here.
      4: EntityDescription(
        "third", class: Third.self, properties: pages(["length", "pages", "count"]), renamedFrom: "first",
        "second"),
    ]
    for version in versions {
      let model = ManagedObjectModel(version: version, entities: [try #require(models[version])])
      #expect(
        try file.open(model).rows(0, model).map(\.values) == [
          [.text("Orlando"), .integer(333)], [.text("Flush"), .null],
        ])
    }
  }

  @Test(arguments: [["pages", "count"], ["count", "pages"]], [[2, 3], [3]])
  func `an old name that another attribute uses again belongs to it, in any order of the old names`(
    names: [String], versions: [Int]
  ) throws {
    let number = { (place: Int, name: String, old: [String]) -> PropertyDescription in
      .attribute(
        AttributeKey<Int?>(place, name), renamedFrom: old.first, old.dropFirst().first)
    }
    let second = ManagedObjectModel.one(
      2, [.attribute(Self.title), number(1, "count", ["pages"]), number(2, "pages", [])])
    let third = ManagedObjectModel.one(
      3, [.attribute(Self.title), number(1, "length", names), number(2, "pages", [])])
    for version in versions {
      let model = version == 2 ? second : third
      #expect(
        try file.open(model).rows(0, model).map(\.values) == [
          [.text("Orlando"), .integer(333), .null], [.text("Flush"), .null, .null],
        ])
    }
  }

  @Test(arguments: [["second", "first"], ["first", "second"]])
  func `an old name that another entity uses again belongs to it`(names: [String]) throws {
    let properties = [PropertyDescription.attribute(Self.title)]
    let moved = ManagedObjectModel(
      version: 2,
      entities: [
        EntityDescription("second", class: Second.self, properties: properties, renamedFrom: "first"),
        EntityDescription("first", class: First.self, properties: properties),
      ])
    try file.open(moved).insert([(1, [.text("Ulysses")])])
    let last = ManagedObjectModel(
      version: 3,
      entities: [
        EntityDescription(
          "third", class: Third.self, properties: properties, renamedFrom: names[0], names[1]),
        EntityDescription("first", class: First.self, properties: properties),
      ])
    let store = try file.open(last)
    #expect(try store.rows(0, last).map(\.values) == [[.text("Orlando")], [.text("Flush")]])
    #expect(try store.rows(1, last).map(\.values) == [[.text("Ulysses")]])
  }

  @Test func `a model changed without a new version is refused`() throws {
    let changed = ManagedObjectModel.one(
      1,
      [
        .attribute(Self.title), .attribute(AttributeKey<Int?>(1, "pages")),
        .attribute(AttributeKey<Int?>(2, "more")),
      ])
    let unique = ManagedObjectModel.one(
      1, [.attribute(Self.title), .attribute(AttributeKey<Int?>(1, "pages"))], uniqueness: [["title"]])
    for model in [changed, unique] {
      #expect { try file.open(model) } throws: {
        if case StoreError.incompatible(let cause) = $0 { cause.contains("first") } else { false }
      }
    }
    #expect(try values(old).count == 2)
  }

  @Test(arguments: ["id", "Version", "Title"])
  func `a name that the store reserves is refused`(name: String) throws {
    let model = ManagedObjectModel.one(1, [.attribute(Self.title), .attribute(AttributeKey<Int?>(1, name))])
    let other = try TableStore()
    #expect { try other.open(model) } throws: {
      if case StoreError.incompatible(let cause) = $0 { cause.contains(name) } else { false }
    }
  }

  @Test func `tables outside the model are left unchanged`() throws {
    try file.run("CREATE TABLE note (body TEXT); INSERT INTO note VALUES ('mine')")
    _ = try file.open(one([]))
    #expect(try file.ask("SELECT body FROM note") == ["mine"])
  }

  @Test func `the store's views are those of the newest version, and users' views stay`() throws {
    let other = try TableStore()
    let view = { (name: String) in "CREATE VIEW \(name) AS SELECT id, title FROM first" }
    _ = try other.open(old, views: [view("before"), view("titles")])
    try other.run("CREATE VIEW mine AS SELECT title FROM titles; CREATE VIEW after AS SELECT 1")
    _ = try other.open(one([]), views: [view("titles"), view("after")], formerViews: ["before"])
    #expect(
      try other.ask("SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY 1") == [
        "after", "mine", "titles",
      ])
    #expect(try other.ask("SELECT title FROM mine").isEmpty)
  }

  // MARK: The file

  @Test func `a failure in the last step leaves no change of the earlier steps`() throws {
    let rows = try values(old)
    let before = try file.bytes()
    let model = one([
      .attribute(AttributeKey<String?>(1, "pages")), .attribute(AttributeKey<Int?>(2, "more")),
    ])
    #expect(throws: StoreError.self) { try file.open(model, views: ["CREATE VIEW broken AS SELECT"]) }
    #expect(try file.bytes() == before)
    #expect(try values(old) == rows)
  }

  @Test func `a migrated file has the model's version, and older programs refuse it`() throws {
    _ = try file.open(one([]))
    #expect(throws: StoreError.newer(version: 2, known: 1)) { try file.open(old) }
    #expect(try file.ask("PRAGMA user_version") == ["2"])
    #expect(try file.ask("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a program with the file open reports a newer file when a table is missing`() throws {
    let before = try file.open(old)
    let second = EntityDescription("second", class: Second.self, properties: [], renamedFrom: "first")
    _ = try file.open(ManagedObjectModel(version: 2, entities: [second]))
    let query = StoreQuery(entity: 0)
    #expect(throws: StoreError.newer(version: 2, known: 1)) { try before.fetch(query) }
    #expect(throws: StoreError.newer(version: 2, known: 1)) { try before.count(query) }
  }

  @Test func `a program with the file open does not write to a newer version`() throws {
    let before = try file.open(old)
    let after = try file.open(one([.attribute(AttributeKey<Int?>(1, "pages"))]))
    #expect(throws: StoreError.newer(version: 2, known: 1)) { try before.insert([(0, [.text("x"), .null])]) }
    #expect(try after.count(StoreQuery(entity: 0)) == 2)
  }

  @Test func `of several programs that open the file concurrently, one migrates`() async throws {
    let model = one([.attribute(AttributeKey<String?>(1, "pages"))])
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask { try file.open(model).count(StoreQuery(entity: 0)) }
      }
      for try await count in group { #expect(count == 2) }
    }
  }

  @Test func `references are still checked after a migration`() throws {
    let model = one([.reference(AttributeKey<ManagedObjectID?>(1, "other_id"), to: "first")])
    let store = try file.open(model)
    let nowhere = AttributeValue.reference(file.id(0, 99))
    #expect(throws: StoreError.self) { try store.insert([(0, [.text("x"), nowhere])]) }
  }

  @Test func `a number that becomes a reference must refer to an existing row`() throws {
    let model = one([.reference(AttributeKey<ManagedObjectID?>(1, "pages"), to: "first")])
    try expectRefused(model, error("pages", key: 1, .brokenRelationship))
  }
}
