import Foundation
import GRDB
import ManagedContext
@testable import SQLiteStore
import TestSupport
import Threading
import Testing

@Suite struct BulkLoadTests {
  private let file: TableStore
  private let model = ManagedObjectModel.one(1, [.attribute(AttributeKey<String>(0, "title"))])

  init() throws {
    file = try TableStore()
  }

  private func journalMode() throws -> [String?] { try file.ask("PRAGMA journal_mode") }

  private var hasJournal: Bool { FileManager.default.fileExists(atPath: file.path + "-journal") }

  private var hasLog: Bool { FileManager.default.fileExists(atPath: file.path + "-wal") }

  @Test func `a bulk load is committed without a log, and the log is restored afterwards`() throws {
    let store = try file.open(model)
    store.beginBulkLoad()
    try store.insert([(0, [.text("Orlando")])])
    #expect(!hasLog)
    #expect(try journalMode() == ["delete"])
    #expect(hasJournal)
    #expect(try store.count(StoreQuery(entity: 0)) == 1)
    store.endBulkLoad()
    #expect(!hasJournal)
    try store.insert([(0, [.text("Flush")])])
    #expect(hasLog)
    try store.close()
    #expect(try journalMode() == ["wal"])
    #expect(try file.ask("SELECT title FROM first ORDER BY id") == ["Orlando", "Flush"])
  }

  @Test func `a store that another program has open keeps its log`() throws {
    try file.fill(model, [])
    let reader = try SQLiteStore(readOnlyPath: file.path, model: model, identity: TableStore.identity)
    #expect(try reader.count(StoreQuery(entity: 0)) == 0)
    let store = try file.open(model)
    store.beginBulkLoad()
    try store.insert([(0, [.text("Orlando")])])
    #expect(try journalMode() == ["wal"])
    #expect(try reader.count(StoreQuery(entity: 0)) == 1)
    store.endBulkLoad()
  }

  @Test func `a program that opens the store during a load restores the log, and both continue`() throws {
    let store = try file.open(model)
    store.beginBulkLoad()
    try store.insert([(0, [.text("Orlando")])])
    let other = try file.open(model)
    try other.insert([(0, [.text("Flush")])])
    try store.insert([(0, [.text("The Waves")])])
    #expect(try journalMode() == ["wal"])
    #expect(try other.count(StoreQuery(entity: 0)) == 3)
    store.endBulkLoad()
    #expect(try store.count(StoreQuery(entity: 0)) == 3)
  }

  @Test func `a reader sees each commit during the load`() throws {
    let store = try file.open(model)
    store.beginBulkLoad()
    try store.insert([(0, [.text("Orlando")])])
    let reader = try SQLiteStore(readOnlyPath: file.path, model: model, identity: TableStore.identity)
    #expect(try reader.count(StoreQuery(entity: 0)) == 1)
    try store.insert([(0, [.text("Flush")])])
    #expect(try reader.count(StoreQuery(entity: 0)) == 2)
    store.endBulkLoad()
    #expect(try reader.count(StoreQuery(entity: 0)) == 2)
  }

  @Test func `a program that opens the store during a transaction waits for its end`() throws {
    try file.fill(model, [(0, [.text("Orlando")])])
    try SQLiteStore.detachLog(ofFileAt: file.path)
    let path = file.path
    let isWriting = Monitor(false)
    var waiting = Configuration()
    waiting.busyMode = .timeout(20)
    let writer = try OwnThread(name: "writer") { [waiting] in
      try? DatabaseQueue(path: path, configuration: waiting).inDatabase { db in
        try db.execute(sql: "BEGIN IMMEDIATE; UPDATE first SET title = 'Flush'")
        isWriting.update { $0 = true }
        // Takes as long as the other program's first few attempts.
        for _ in 0..<20 { _ = try Int.fetchOne(db, sql: Self.slowQuestion) }
        try db.execute(sql: "COMMIT")
      }
    }
    defer { writer.join() }
    isWriting.wait { $0 ? () : nil }
    #expect(try file.open(model).rows(0, model).map(\.values) == [[.text("Flush")]])
  }

  private static let slowQuestion = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT count(*) FROM n
    """

  @Test func `a save that waits for a reader fails as busy after stopWaiting`() throws {
    let store = try file.open(model)
    store.beginBulkLoad()
    try store.insert([(0, [.text("Orlando")])])
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let reader = try DatabaseQueue(path: file.path, configuration: configuration)
    try reader.inDatabase { db in try db.execute(sql: "BEGIN; SELECT * FROM first") }
    store.stopWaiting()
    #expect(throws: StoreError.busy) { try store.insert([(0, [.text("Flush")])]) }
    try reader.inDatabase { db in try db.execute(sql: "COMMIT") }
    try store.insert([(0, [.text("Flush")])])
    #expect(try store.count(StoreQuery(entity: 0)) == 2)
  }

  @Test func `a load waits longer than a save, but not forever`() {
    let patience = LockPatience(limit: 0.1)
    #expect(patience.wait(tries: 0))
    #expect(!patience.wait(tries: 20))
    patience.setLoading(true)
    #expect(patience.wait(tries: 20))
    #expect(!patience.wait(tries: 4000))
    #expect(!patience.withoutWaiting { patience.wait(tries: 0) })
    patience.end()
    #expect(!patience.wait(tries: 0))
  }

  @Test func `readers that open the store while a load begins and ends never make a save fail`() throws {
    let store = try file.open(model)
    try store.insert([(0, [.text("Orlando")])])
    let isDone = Locked(false)
    let failures = Locked<[any Error]>([])
    let readers = try (0..<2).map { number in
      try OwnThread(name: "reader \(number)") {
        while !isDone.withLock({ $0 }) {
          do { _ = try store.count(StoreQuery(entity: 0)) } catch { failures.withLock { $0.append(error) } }
        }
      }
    }
    defer {
      isDone.withLock { $0 = true }
      for reader in readers { reader.join() }
    }
    for number in 0..<20 {
      store.beginBulkLoad()
      try store.insert([(0, [.text("\(number)")])])
      store.endBulkLoad()
      try store.insert([(0, [.text("\(number)")])])
    }
    #expect(failures.withLock { $0.isEmpty })
    #expect(try store.count(StoreQuery(entity: 0)) == 41)
  }

  @Test func `an interrupted load leaves nothing of its last transaction, also for readers`() throws {
    try cutLoad()
    let reader = try SQLiteStore(readOnlyPath: file.path, model: model, identity: TableStore.identity)
    #expect(try reader.rows(0, model).map(\.values) == [[.text("Orlando")]])
  }

  @Test func `a store with an interrupted load keeps its commits and accepts writes`() throws {
    try cutLoad()
    let store = try file.open(model)
    try store.insert([(0, [.text("Flush")])])
    #expect(try store.count(StoreQuery(entity: 0)) == 2)
    try store.close()
    #expect(try file.ask("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a reader that meets the journal of an ended process rolls it back`() throws {
    try file.fill(model, [(0, [.text("Orlando")])])
    try SQLiteStore.detachLog(ofFileAt: file.path)
    let reader = try SQLiteStore(readOnlyPath: file.path, model: model, identity: TableStore.identity)
    #expect(try reader.count(StoreQuery(entity: 0)) == 1)
    try cutTransaction()
    #expect(try reader.count(StoreQuery(entity: 0)) == 1)
    try cutTransaction()
    var titles: [AttributeValue] = []
    try reader.query("SELECT title FROM first") { row in
      titles += row
      return true
    }
    #expect(titles == [.text("Orlando")])
    #expect(!hasJournal)
  }

  @Test func `a journal of an ended process that another reader keeps from being rolled back is a lock`()
    throws
  {
    try file.fill(model, [(0, [.text("Orlando")])])
    try SQLiteStore.detachLog(ofFileAt: file.path)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: file.path, configuration: configuration)
    try other.inDatabase { db in try db.execute(sql: "BEGIN; SELECT * FROM first") }
    try cutTransaction()
    #expect(throws: StoreError.busy) {
      try SQLiteStore(readOnlyPath: file.path, model: model, identity: TableStore.identity)
    }
  }

  /// Leaves the files of a process that was killed during a transaction after it had overwritten some pages.
  private func cutLoad() throws {
    try file.fill(model, [(0, [.text("Orlando")])])
    try SQLiteStore.detachLog(ofFileAt: file.path)
    try cutTransaction()
  }

  private func cutTransaction() throws {
    let folder = try TemporaryFolder()
    let (path, copy) = (folder.file("store.db"), file.path)
    try FileManager.default.copyItem(atPath: file.path, toPath: path)
    try DatabaseQueue(path: path).inDatabase { db in
      try db.execute(
        sql: """
          PRAGMA cache_size = 1; BEGIN; UPDATE first SET title = 'lost';
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
          INSERT INTO first (title, version) SELECT hex(zeroblob(100)), 1 FROM n
          """)
      // Without the locks of a running process, the journal is a hot journal.
      for suffix in ["", "-journal"] {
        // In place, because other connections may have opened the file.
        try Data(contentsOf: URL(fileURLWithPath: path + suffix)).write(
          to: URL(fileURLWithPath: copy + suffix))
      }
      try db.execute(sql: "ROLLBACK")
    }
  }
}
