import ManagedContext
import TestSupport
import Testing
import Threading

/// What migrations refuse and report.
@Suite struct MigrationReportTests {
  private static func model(
    _ version: Int, _ properties: [PropertyDescription], _ more: [EntityDescription] = [],
    _ migrations: [Migration] = []
  ) -> ManagedObjectModel {
    ManagedObjectModel(
      version: version, entities: [EntityDescription("first", properties: properties)] + more,
      migrations: migrations)
  }

  private static let old = model(
    1, [.attribute("title", String?.self), .attribute("subtitle", String?.self)],
    [EntityDescription("second", properties: [.attribute("number", String?.self)])])

  private func place(_ kind: StoreKind, rows: Int = 1) throws -> StorePlace {
    let place = try StorePlace(kind)
    try place.open(Self.old).insert(
      (0..<rows).map { (0, [.text("title \($0)"), .text("subtitle \($0)")]) }
        + (0..<rows).map { (1, [.text("\($0)")]) })
    return place
  }

  private func message(_ place: StorePlace, _ model: ManagedObjectModel) -> String {
    let error = #expect(throws: StoreError.self) { try place.open(model) }
    return error.map { "\($0)" } ?? ""
  }

  @Test(arguments: StoreKind.lasting)
  func `names that replace each other are refused, because their values may be exchanged already`(
    kind: StoreKind
  ) throws {
    let place = try place(kind)
    let attributes = Self.model(
      2,
      [
        .attribute("title", String?.self, renamedFrom: "subtitle"),
        .attribute("subtitle", String?.self, renamedFrom: "title"),
      ], [Self.old.entities[1]])
    #expect(
      message(place, attributes) == """
        the store does not match the model: first.title and first.subtitle are named by each other's renamedFrom, and the \
        store has both; remove these old names, and exchange the values in a Migration
        """)
    let entities = ManagedObjectModel(
      version: 2,
      entities: [
        EntityDescription("first", properties: [.attribute("number", String?.self)], renamedFrom: "second"),
        EntityDescription("second", properties: Self.old.entities[0].named, renamedFrom: "first"),
      ])
    #expect(message(place, entities).contains("first and second are named by each other's renamedFrom"))
    let exchanging = Migration(to: 2) { migration in
      try migration.update("first") { old, new in
        new["title"] = try old["subtitle", as: String?.self]
        new["subtitle"] = try old["title", as: String?.self]
      }
    }
    let exchanged = ManagedObjectModel(version: 2, entities: Self.old.entities, migrations: [exchanging])
    let store = try place.open(exchanged)
    #expect(try store.values(0, exchanged) == [1: [.text("subtitle 0"), .text("title 0")]])
  }

  @Test(arguments: StoreKind.lasting)
  func `the values that cannot be converted are counted, and the first ones named`(kind: StoreKind) throws {
    let place = try place(kind, rows: 1200)
    let numbers = Self.model(2, [.attribute("title", String?.self)], [Self.old.entities[1]])
    let converting = { @Sendable (migration: MigrationContext) in
      try migration.forEachRow(of: "second") { old in
        _ = try old.convert("number") { (text: String) in Int(text).flatMap { $0 % 100 == 7 ? nil : $0 } }
      }
    }
    let found = message(
      place,
      ManagedObjectModel(version: 2, entities: numbers.entities, migrations: [Migration(to: 2, converting)]))
    #expect(
      found.hasPrefix(
        "12 values break rules of the model: second.number of object 8: “7” cannot be converted to Int; second.number"
      ))
    #expect(found.hasSuffix("“907” cannot be converted to Int; …"))
    let inferred = Self.model(2, [.attribute("title", Int?.self)], [Self.old.entities[1]])
    #expect(
      message(place, inferred).hasPrefix("1000 values break rules of the model: first.title of object 1 has"))
  }

  @Test(arguments: StoreKind.lasting)
  func `progress has a total over all entities that are read`(kind: StoreKind) throws {
    let place = try place(kind, rows: 600)
    let reports = Locked<[MigrationProgress]>([])
    let converting = Migration(to: 2) { migration in
      try migration.update("first") { old, new in new["title"] = "new" }
    }
    let model = Self.model(
      2, [.attribute("title", String?.self)],
      [EntityDescription("second", properties: [.attribute("number", Int?.self)])], [converting])
    _ = try place.open(model) { progress in reports.withLock { $0.append(progress) } }
    #expect(reports.withLock { $0.map(\.allRows) } == [500, 600, 1100, 1200])
    #expect(reports.withLock { $0.map(\.allTotal) } == [1200, 1200, 1200, 1200])
  }

  @Test(arguments: StoreKind.lasting)
  func `a cancellation in the code is no other error`(kind: StoreKind) throws {
    let place = try place(kind)
    let bodies: [@Sendable (MigrationContext) throws -> Void] = [
      { _ in throw CancellationError() },
      { try $0.forEachRow(of: "first") { _ in throw CancellationError() } },
      { migration in
        try migration.update("first") { old, _ in
          _ = try old.convert("title") { (_: String) -> Int? in throw CancellationError() }
        }
      },
    ]
    for body in bodies {
      let model = ManagedObjectModel(
        version: 2, entities: Self.old.entities, migrations: [Migration(to: 2, body)])
      #expect(throws: StoreError.cancelled) { try place.open(model) }
      #expect(try place.open(Self.old).count(StoreQuery(entity: 0)) == 1)
    }
  }
}

extension EntityDescription {
  /// The attributes by their names.
  fileprivate var named: [PropertyDescription] { attributes.map { .attribute($0.name, String?.self) } }
}
