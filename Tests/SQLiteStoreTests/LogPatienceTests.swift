import GRDB
import ManagedContext
import TestSupport
import Testing

@testable import SQLiteStore

@Suite struct LogPatienceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [ResultCode.SQLITE_READONLY, .SQLITE_READONLY_RECOVERY, .SQLITE_READONLY_CANTLOCK])
  func `a read is repeated while another user makes the log's index`(code: ResultCode) throws {
    var tries = 0
    let value = try LogPatience().untilReadable {
      tries += 1
      if tries < 3 { throw DatabaseError(resultCode: code) }
      return tries
    }
    #expect(value == 3)
  }

  @Test(arguments: [ResultCode.SQLITE_READONLY_ROLLBACK, .SQLITE_CORRUPT, .SQLITE_BUSY])
  func `other errors are thrown at once`(code: ResultCode) {
    var tries = 0
    #expect(throws: DatabaseError.self) {
      try LogPatience().untilReadable {
        tries += 1
        throw DatabaseError(resultCode: code)
      }
    }
    #expect(tries == 1)
  }

  @Test func `a log that nobody writes any more is an error`() {
    #expect(throws: DatabaseError.self) {
      try LogPatience(limit: 0).untilReadable { throw DatabaseError(resultCode: .SQLITE_READONLY) }
    }
  }

  @Test func `a file is opened again if its log was removed meanwhile, and a missing file is not`() throws {
    let path = try folder.write("store.db", [])
    var tries = 0
    let open = { () throws(StoreError) -> Int in
      tries += 1
      if tries < 2 { throw .cannotOpen("unable to open database file") }
      return tries
    }
    #expect(try LogPatience().untilOpen(path, open) == 2)
    tries = 0
    #expect(throws: StoreError.self) { try LogPatience().untilOpen(folder.file("none"), open) }
    #expect(tries == 1)
  }
}
