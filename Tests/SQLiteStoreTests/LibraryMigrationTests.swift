import GRDB
import ManagedContext
import SQLiteStore
import TestSupport
import Testing

/// Many changes at once in the library's model with its relationships.
@Suite struct LibraryMigrationTests {
  private let file: TableStore
  private let writers: Set<String>
  private let tags: Set<String>

  init() throws {
    file = try TableStore()
    var rows: [(entity: EntityIndex, values: [AttributeValue])] = []
    var (writers, pairs) = (Set<String>(), Set<String>())
    func add(_ entity: EntityIndex, _ values: [AttributeValue]) -> AttributeValue {
      rows.append((entity, values))
      return .reference(ManagedObjectID(entity: entity, store: .none, key: -Int64(rows.count)))
    }
    let tags = (0..<10).map { add(2, [.text("tag \($0)")]) }
    for number in 0..<1000 {
      let author = add(0, [.text("author \(number)"), .null])
      let book = add(
        1, [author, .text("book \(number)"), .integer(Int64(number)), .integer(0), .integer(0)])
      writers.insert("author \(number): book \(number), \(number)")
      _ = add(3, [book, .text("reader \(number)")])
      for tag in [number % 10, (number + 3) % 10] {
        // The pairs are the only entity that the library does not name.
        _ = add(4, [book, tags[tag]])
        pairs.insert("book \(number): tag \(tag)")
      }
    }
    try file.fill(Library.model, rows)
    (self.writers, self.tags) = (writers, pairs)
  }

  private func expectSame(_ store: SQLiteStore, _ model: ManagedObjectModel) async throws {
    let root = RootContext(coordinator: PersistentStoreCoordinator(model: model, store: store))
    let context = BackgroundContext(parent: root, name: "test")
    let (found, pairs) = try await context.perform { (context) throws(StoreError) in
      var (writers, pairs) = (Set<String>(), Set<String>())
      for volume in try context.fetch(FetchRequest(Volume.self)) {
        writers.insert("\(volume.writer?.name ?? "-"): \(volume.title), \(volume.length ?? "-")")
        for label in volume.labels { pairs.insert("\(volume.title): \(label.name)") }
      }
      return (writers, pairs)
    }
    #expect(found == writers)
    #expect(pairs == tags)
  }

  @Test func `all kinds of changes at once keep a thousand rows and their relationships`() async throws {
    let store = try file.open(NewLibrary.model)
    try await expectSame(store, NewLibrary.model)
    #expect(try store.count(StoreQuery(entity: 0)) == 1000)
    #expect(
      try file.ask(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%!_%' ESCAPE '!' ORDER BY 1")
        == ["label_volumes__volume_labels", "persistent_history", "sqlite_sequence"])
    #expect(try file.ask("PRAGMA integrity_check") == ["ok"])
    #expect(try file.ask("SELECT * FROM pragma_foreign_key_check").isEmpty)
    #expect(
      try file.ask("SELECT count(*) FROM volume WHERE shelf = 'A' AND id BETWEEN 1 AND 1000") == ["1000"])
  }

  @Test func `a later version finds the same entities by their new names`() async throws {
    let entities = NewLibrary.model.entities
    _ = try file.open(NewLibrary.model)
    let later = ManagedObjectModel(version: 5, entities: entities)
    try await expectSame(try file.open(later), later)
  }

  @Test func `the error for a pair with a missing object names the relationship`() async throws {
    try await DatabaseQueue(path: file.path).writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.execute(sql: "DELETE FROM tag WHERE id = 1")
    }
    #expect { try file.open(NewLibrary.model) } throws: { error in
      guard case StoreError.validation(let error) = error else { return false }
      return error.entity == "volume" && error.attribute == "labels" && error.object?.entity == 1
    }
  }

  @Test func `a failed migration leaves all tables unchanged`() async throws {
    let schema = "SELECT sql FROM sqlite_master ORDER BY name"
    let (tables, before) = (try file.ask(schema), try file.bytes())
    let loans = EntityDescription(
      "loan", class: Loan.self,
      properties: [
        .reference(AttributeKey<ManagedObjectID>(0, "book_id"), to: "volume"),
        .attribute(AttributeKey<Int>(1, "reader")),
      ])
    let model = ManagedObjectModel(version: 4, entities: NewLibrary.entities + [loans])
    #expect { try file.open(model) } throws: { error in
      guard let error = (error as? StoreError)?.violations.first else { return false }
      return error.entity == "loan" && error.attribute == "reader"
        && error.cause == .wrongType(expected: .integer)
    }
    #expect(try file.bytes() == before)
    #expect(try file.ask(schema) == tables)
    #expect(try file.open(Library.model).count(StoreQuery(entity: 1)) == 1000)
  }
}

/// The library one version later: three entities renamed, one removed, and the names of a relationship's ends in
/// another order.
private enum NewLibrary {
  static let entities = [Writer.entity, Volume.entity, Label.entity]
  static let model = ManagedObjectModel(version: 4, entities: entities)
}

private final class Writer: ManagedObject {
  override class var entityName: String { "writer" }

  enum Key {
    static let name = AttributeKey<String>(0, "full_name")
    static let born = AttributeKey<Int?>(1, "born")
    static let volumes = ToManyKey<Volume>(0, "volumes")
  }

  var name: String { self[Key.name] }
  var volumes: [Volume] { self[Key.volumes] }

  static let entity = EntityDescription(
    entityName, class: Writer.self,
    properties: [
      .attribute(Key.name, \Writer.name, renamedFrom: "name"), .attribute(Key.born),
      .toMany(Key.volumes, \Writer.volumes, inverse: Volume.Key.writer),
    ],
    indexes: [["full_name"]], renamedFrom: "author")
}

private final class Volume: ManagedObject {
  override class var entityName: String { "volume" }

  enum Key {
    static let shelf = AttributeKey<String>(0, "shelf")
    static let length = AttributeKey<String?>(1, "length")
    static let title = AttributeKey<String>(2, "title")
    static let writer = ToOneKey<Writer>(3, "writer_id")
    static let labels = ToManyKey<Label>(0, "labels")
  }

  var title: String { self[Key.title] }
  var length: String? { self[Key.length] }
  var writer: Writer? { self[Key.writer] }
  var labels: [Label] { self[Key.labels] }

  static let entity = EntityDescription(
    entityName, class: Volume.self,
    properties: [
      .attribute(Key.shelf, default: "A"), .attribute(Key.length, \Volume.length, renamedFrom: "pages"),
      .attribute(Key.title, \Volume.title),
      .toOne(Key.writer, \Volume.writer, inverse: Writer.Key.volumes, renamedFrom: "author_id"),
      .manyToMany(Key.labels, \Volume.labels, inverse: Label.Key.volumes, renamedFrom: "tags"),
    ],
    uniqueness: [["title"]], renamedFrom: "book")
}

private final class Label: ManagedObject {
  override class var entityName: String { "label" }

  enum Key {
    static let name = AttributeKey<String>(0, "name")
    static let volumes = ToManyKey<Volume>(0, "volumes")
  }

  var name: String { self[Key.name] }
  var volumes: [Volume] { self[Key.volumes] }

  static let entity = EntityDescription(
    entityName, class: Label.self,
    properties: [
      .attribute(Key.name, \Label.name),
      .manyToMany(Key.volumes, \Label.volumes, inverse: Volume.Key.labels, renamedFrom: "books"),
    ],
    uniqueness: [["name"]], renamedFrom: "tag")
}
