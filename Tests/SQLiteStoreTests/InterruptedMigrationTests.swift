import Foundation
import GRDB
import ManagedContext
import TestSupport
import Testing

@testable import SQLiteStore

@Suite struct InterruptedMigrationTests {
  private static let title = PropertyDescription.attribute(AttributeKey<String>(0, "title"))
  private static let old = ManagedObjectModel.one(1, [title, .attribute(AttributeKey<Int?>(1, "pages"))])
  private static let new = ManagedObjectModel.one(2, [title, .attribute(AttributeKey<String?>(1, "pages"))])

  /// Migrates a file, and ends this process before the commit, when the log already contains all changes.
  private static func migrateAndDie(_ path: String) throws {
    let dying = DatabaseFunction("end_process", argumentCount: 0) { _ in
      kill(getpid(), SIGKILL)
      return nil
    }
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      db.add(function: dying)
      // With a small cache, pages reach the log before the commit.
      try db.execute(sql: "PRAGMA cache_size = 1")
    }
    let identity = StoreIdentity(
      applicationID: TableStore.identity.applicationID, views: ["SELECT end_process()"])
    try DatabaseQueue(path: path, configuration: configuration).writeWithoutTransaction { db in
      try FileMigration(model: new, identity: identity, store: .none, db: db, path: path).run()
    }
  }

  @Test func `a program killed during a migration leaves the old file`() async throws {
    let file = try TableStore()
    let titles = (0..<2000).map { AttributeValue.text("title \($0) " + String(repeating: "x", count: 100)) }
    try file.fill(Self.old, titles.map { (0, [$0, .integer(1)]) })
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = file.path as String] in
      try InterruptedMigrationTests.migrateAndDie(path)
    }
    let log = try Data(contentsOf: URL(fileURLWithPath: file.path + "-wal"))
    #expect(log.count > 100_000)
    #expect(try file.open(Self.old).rows(0, Self.old).map(\.values) == titles.map { [$0, .integer(1)] })
    #expect(try file.open(Self.new).rows(0, Self.new).map(\.values) == titles.map { [$0, .text("1")] })
  }
}
