import GRDB
import Glibc
import ManagedContext
import TestSupport
import Testing

@testable import SQLiteStore

/// Errors of the file system, which SQLite reports with a code of its own.
@Suite struct SystemErrorTests {
  @Test(arguments: [
    (ResultCode.SQLITE_IOERR_SHMSIZE, ENOSPC), (.SQLITE_CANTOPEN, ENOSPC), (.SQLITE_IOERR_FSYNC, EDQUOT),
    (.SQLITE_FULL, ENOSPC),
  ])
  func `a full disk is named, whatever SQLite could not do`(code: ResultCode, system: Int32) {
    guard case .full(let cause) = StoreError(DatabaseError(resultCode: code), path: "/s", systemError: system)
    else {
      Issue.record("not reported as full")
      return
    }
    #expect(cause.hasPrefix("/s: ") && cause.hasSuffix(": " + String(cString: strerror(system))))
  }

  @Test(arguments: [
    ResultCode.SQLITE_IOERR_READ, .SQLITE_IOERR_SHMMAP, .SQLITE_IOERR_SHMLOCK, .SQLITE_CANTOPEN,
  ])
  func `an error of the disk is named, and is no damage of the store`(code: ResultCode) {
    guard
      case .inputOutput(let cause) = StoreError(DatabaseError(resultCode: code), path: "/s", systemError: EIO)
    else {
      Issue.record("not reported as an error of the disk")
      return
    }
    #expect(cause.hasSuffix(": Input/output error"))
  }

  @Test func `a file system without shared memory is named`() {
    let error = StoreError(
      DatabaseError(resultCode: .SQLITE_IOERR_SHMMAP), path: "/tmp/s", systemError: ENODEV)
    guard case .inputOutput(let cause) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.hasPrefix("/tmp/s: its file system does not support shared memory"))
  }

  @Test func `a file that a full disk kept from being filled is a store of no version`() throws {
    let file = try TableStore()
    try DatabaseQueue(path: file.path).inDatabase { db in
      try db.execute(
        sql: "PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA user_version = 0; VACUUM")
    }
    let model = ManagedObjectModel.one(3, [.attribute(AttributeKey<String>(0, "title"))])
    #expect(throws: StoreError.older(version: 0, known: 3)) {
      try SQLiteStore(readOnlyPath: file.path, model: model, identity: TableStore.identity)
    }
    #expect(try file.open(model).count(StoreQuery(entity: 0)) == 0)
  }
}
