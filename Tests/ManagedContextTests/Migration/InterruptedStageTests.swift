import Foundation
import TestSupport
import Testing
import Threading

@testable import ManagedContext

/// Programs and servers that end during a migration.
@Suite struct InterruptedStageTests {
  /// The three versions with a place in the last stage where the program ends.
  private func model(_ interrupt: @escaping @Sendable () throws -> Void) -> ManagedObjectModel {
    Poets.model([
      Poets.toSecond,
      Migration(to: 3) { migration in
        try Poets.toThird.body(migration)
        try interrupt()
      },
    ])
  }

  private func expectMigrated(_ place: StorePlace) throws {
    let between = try place.open(Poets.second).values(0, Poets.second)
    #expect(between[1]?[1] == Poets.date("1795-10-31")?.attributeValue)
    let model = model {}
    let store = try place.open(model)
    #expect(try store.count(StoreQuery(entity: 0)) == 6)
    #expect(
      try store.values(2, model).mapValues { $0[1] } == [1: .integer(5), 2: .integer(6), 3: .integer(5)])
    #expect(try place.damage(store) == [])
  }

  @Test func `a program killed in the second stage continues with it`() throws {
    let place = try StorePlace(.sqlite)
    guard case .file(let folder) = place else { return }
    try place.open(Poets.first).insert(Poets.rows)
    // What a kill leaves is what is in the files at that moment.
    let killed = try TemporaryFolder()
    let model = model {
      for name in ["store.db", "store.db-wal"] {
        try FileManager.default.copyItem(atPath: folder.file(name), toPath: killed.file(name))
      }
    }
    _ = try place.open(model)
    try expectMigrated(.file(killed))
  }

  @Test(.enabled(if: TestServer.address != nil, "there is no server; make test-postgresql starts one"))
  func `a connection lost in the second stage leaves the first one`() throws {
    let place = try StorePlace(.postgresql)
    guard case .server(let schema) = place else { return }
    try place.open(Poets.first).insert(Poets.rows)
    let model = model {
      // The migration's session has locked the table.
      _ = try schema.rows(
        """
        SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted \
        AND relation = (SELECT oid FROM pg_class WHERE relname = 'persistent_store' \
        AND relnamespace = current_schema()::regnamespace)
        """)
    }
    #expect(throws: StoreError.self) { try place.open(model) }
    try expectMigrated(place)
  }
}
