import Foundation
import GRDB
import ManagedContext
@testable import SQLiteStore
import TestSupport
import Testing
import Threading

@Suite struct BackupTests {
  private let file: TableStore
  private let model = ManagedObjectModel.one(1, [.attribute(AttributeKey<String>(0, "title"))])

  init() throws {
    file = try TableStore()
  }

  @Test func `an interrupted copy leaves no file`() throws {
    let store = try file.open(model)
    let text = String(repeating: "Orlando ", count: 100_000)
    for _ in 0..<60 { try store.insert([(0, [.text(text)])]) }
    let folder = URL(fileURLWithPath: file.path).deletingLastPathComponent().path
    let copy = file.path + ".copy"
    let copied = {
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".copy") }
    }
    // A copy that ended before the interrupt throws no error.
    var isInterrupted = false
    for _ in 0..<50 where !isInterrupted {
      let hasEnded = Locked(false)
      // Interrupts repeatedly, because a copy that has not begun ignores it. The thread is separate, so no other test
      // delays it.
      let interrupter = try OwnThread(name: "interrupter") {
        while !hasEnded.withLock({ $0 }) { store.interrupt() }
      }
      let result = Result { () throws(StoreError) in try store.backup(to: copy) }
      hasEnded.withLock { $0 = true }
      interrupter.join()
      do {
        try result.get()
        try FileManager.default.removeItem(atPath: copy)
      } catch {
        isInterrupted = true
      }
    }
    #expect(isInterrupted)
    #expect(try copied() == [])
    #expect(try store.count(StoreQuery(entity: 0)) == 60)
  }

  /// Opens the store without waiting for other connections.
  private func openAtOnce() throws(StoreError) -> SQLiteStore {
    var options = SQLiteStoreOptions()
    options.busyTimeout = 0
    return try SQLiteStore(path: file.path, model: model, identity: TableStore.identity, options: options)
  }

  @Test(arguments: [
    ("BEGIN; SELECT * FROM first", true), ("BEGIN IMMEDIATE", false), ("BEGIN EXCLUSIVE", false),
  ])
  func `a copy that another program holds is not opened for writing, and a reader is named as the cause`(
    transaction: String, isReader: Bool
  ) throws {
    try file.open(model).close()
    try SQLiteStore.detachLog(ofFileAt: file.path)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: file.path, configuration: configuration)
    try other.inDatabase { db in try db.execute(sql: transaction) }
    #expect {
      try openAtOnce()
    } throws: { error in
      guard case .unavailable(let cause)? = error as? StoreError else {
        return !isReader && error as? StoreError == .busy
      }
      return isReader && cause.contains("\(file.path): another program is reading the store")
    }
    try other.inDatabase { db in try db.execute(sql: "COMMIT") }
    let store = try openAtOnce()
    try other.inDatabase { db in
      try db.execute(sql: "BEGIN; SELECT * FROM first")
      try store.insert([(0, [.text("Orlando")])])
      try db.execute(sql: "COMMIT")
    }
  }
}
