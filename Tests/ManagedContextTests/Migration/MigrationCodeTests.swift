import Foundation
import TestSupport
import Testing
import Threading

@testable import ManagedContext

/// Migrations with the program's own code, in files and on servers.
@Suite struct MigrationCodeTests {
  private let model = Poets.model([Poets.toSecond, Poets.toThird])

  private func place(_ kind: StoreKind) throws -> StorePlace {
    let place = try StorePlace(kind)
    try place.open(Poets.first).insert(Poets.rows)
    return place
  }

  private func expectMigrated(_ place: StorePlace) throws {
    let coordinator = PersistentStoreCoordinator(model: model, store: try place.open(model))
    let context = ManagedObjectContext(parent: coordinator)
    let poets = try context.fetch(FetchRequest(Poet.self))
    #expect(poets.map(\.name) == ["Keats", "Sappho", "Blake", "Anon", "Woolf", "Joyce"])
    #expect(poets.map(\.born) == [Poets.date("1795-10-31"), nil, Poets.date("1757-11-28"), nil, nil, nil])
    #expect(poets.map { $0.place?.name } == ["London", "Lesbos", "London", nil, nil, nil])
    #expect(poets.map(\.kind) == [.poet, .poet, .poet, .poet, .novelist, .novelist])
    #expect(poets.map(\.id.key) == [1, 2, 3, 4, 5, 6])
    let novels = try context.fetch(FetchRequest(Novel.self))
    #expect(novels.map { $0.author?.name } == ["Woolf", "Joyce", "Woolf"])
    #expect(novels.map(\.id.key) == [1, 2, 3])
    #expect(try place.damage(place.open(model)) == [])
  }

  /// Expects that a model is refused, and returns the error. The store is unchanged.
  private func refusal(_ place: StorePlace, _ migrations: [Migration]) throws -> StoreError? {
    let before = try (0..<3).map { try place.open(Poets.first).values($0, Poets.first) }
    let error = #expect(throws: StoreError.self) { try place.open(Poets.model(migrations)) }
    #expect(try (0..<3).map { try place.open(Poets.first).values($0, Poets.first) } == before)
    return error
  }

  @Test(arguments: StoreKind.lasting)
  func `one opening converts, splits and merges rows in several stages`(kind: StoreKind) throws {
    try expectMigrated(place(kind))
  }

  @Test(arguments: StoreKind.lasting)
  func `a store of the second version is migrated by the second stage alone`(kind: StoreKind) throws {
    let place = try place(kind)
    let second = ManagedObjectModel(
      version: 2, entities: Poets.second.entities, migrations: [Migration(to: 2, Poets.toSecond.body)])
    #expect(try place.open(second).count(StoreQuery(entity: 0)) == 4)
    try expectMigrated(place)
  }

  @Test(arguments: StoreKind.lasting)
  func `a value that cannot be converted is named with its row, and nothing is changed`(kind: StoreKind)
    throws
  {
    let place = try place(kind)
    try place.open(Poets.first).insert([(0, [.text("Nemo"), .text("1882-13-45"), .null])])
    let toNewest = Migration(to: 2) { migration in
      try migration.update(Poet.self) { old, new in new.born = try old.convert("born", Poets.date) }
    }
    let error = try refusal(place, [toNewest])
    #expect(error?.violations.map(\.value) == [.text("1882-13-45")])
    #expect(
      error.map { "\($0)" } == """
        a value breaks a rule of the model: poet.born of object 5: “1882-13-45” cannot be converted to Date
        """)
  }

  @Test(arguments: StoreKind.lasting)
  func `a value that a store converts without code is named, too`(kind: StoreKind) throws {
    let error = try refusal(place(kind), [])
    #expect(
      error.map { "\($0)" } == """
        2 values break rules of the model: poet.born_on of object 1 has the type date, and “1795-10-31” cannot be \
        converted to it; poet.born_on of object 3 has the type date, and “1757-11-28” cannot be converted to it
        """)
  }

  @Test(arguments: StoreKind.lasting)
  func `a failure in a later stage keeps the earlier one, which does not run again`(kind: StoreKind) throws {
    let place = try place(kind)
    let runs = Locked<[Int]>([])
    let counted = Migration(to: Poets.second) { migration in
      runs.withLock { $0.append(migration.version) }
      try Poets.toSecond.body(migration)
    }
    struct Failure: Error {}
    let failing = Migration(to: 3) { _ in throw Failure() }
    #expect(throws: StoreError.incompatible("the migration to version 3 failed: Failure()")) {
      try place.open(Poets.model([counted, failing]))
    }
    #expect(try place.open(Poets.second).values(0, Poets.second).count == 4)
    _ = try place.open(Poets.model([counted, Poets.toThird]))
    #expect(runs.withLock { $0 } == [1])
    try expectMigrated(place)
  }

  @Test(arguments: StoreKind.lasting)
  func `progress is reported in parts, for each entity and stage`(kind: StoreKind) throws {
    let place = try place(kind)
    try place.open(Poets.first).insert((0..<1200).map { (1, [.text("novelist \($0)")]) })
    let reports = Locked<[MigrationProgress]>([])
    _ = try place.open(model) { progress in reports.withLock { $0.append(progress) } }
    let found = reports.withLock { $0 }
    #expect(found.map(\.version) == [2, 3, 3, 3, 3, 3])
    #expect(found.map(\.entity) == ["poet", "poet", "novelist", "novelist", "novelist", "novel"])
    #expect(found.map(\.rows) == [4, 4, 500, 1000, 1202, 3])
    #expect(found.map(\.total) == [4, 4, 1202, 1202, 1202, 3])
  }

  @Test(arguments: StoreKind.lasting)
  func `of several programs that open the store at the same time, one migrates`(kind: StoreKind) async throws
  {
    let place = try place(kind)
    let runs = Locked(0)
    let counted = Migration(to: 2) { migration in
      runs.withLock { $0 += 1 }
      try Poets.toSecond.body(migration)
    }
    let model = ManagedObjectModel(version: 2, entities: Poets.second.entities, migrations: [counted])
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 { group.addTask { try place.open(model).count(StoreQuery(entity: 0)) } }
      for try await count in group { #expect(count == 4) }
    }
    #expect(runs.withLock { $0 } == 1)
  }
}
