import Foundation
import GRDB
import ManagedContext
import TestSupport
import Testing

@testable import SQLiteStore

@Suite struct InterruptedMigrationTests {
  @Test func `a program killed during a migration leaves the old file`() throws {
    let file = try TableStore()
    let title = PropertyDescription.attribute(AttributeKey<String>(0, "title"))
    let old = ManagedObjectModel.one(1, [title, .attribute(AttributeKey<Int?>(1, "pages"))])
    let titles = (0..<2000).map { AttributeValue.text("title \($0) " + String(repeating: "x", count: 100)) }
    try file.fill(old, titles.map { (0, [$0, .integer(1)]) })

    let killed = try TableStore()
    // Runs as the last statement before the commit, when the log already contains all changes.
    let copying = DatabaseFunction("copy_files", argumentCount: 0) { _ in
      for name in ["store.db", "store.db-wal"] {
        try FileManager.default.copyItem(atPath: file.folder.file(name), toPath: killed.folder.file(name))
      }
      return nil
    }
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      db.add(function: copying)
      // With a small cache, pages reach the log before the commit.
      try db.execute(sql: "PRAGMA cache_size = 1")
    }
    let identity = StoreIdentity(
      applicationID: TableStore.identity.applicationID, views: ["SELECT copy_files()"])
    let new = ManagedObjectModel.one(2, [title, .attribute(AttributeKey<String?>(1, "pages"))])
    try DatabaseQueue(path: file.path, configuration: configuration).writeWithoutTransaction { db in
      try FileMigration(model: new, identity: identity, store: .none, db: db, path: file.path).run()
    }

    let log = try Data(contentsOf: URL(fileURLWithPath: killed.path + "-wal"))
    #expect(log.count > 100_000)
    #expect(try killed.open(old).rows(0, old).map(\.values) == titles.map { [$0, .integer(1)] })
    #expect(try killed.open(new).rows(0, new).map(\.values) == titles.map { [$0, .text("1")] })
    #expect(try file.open(new).rows(0, new).map(\.values) == titles.map { [$0, .text("1")] })
  }
}
