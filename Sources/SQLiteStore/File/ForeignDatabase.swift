internal import Foundation
internal import GRDB
internal import GRDBSQLite
public import ManagedContext

/// Another program's SQLite database, which is only read: no lock, log or index is created beside it.
///
/// One thread uses it; it is not `Sendable`.
public final class ForeignDatabase {
  private let queue: DatabaseQueue
  private let path: String
  private let state: FileState

  /// Opens a file.
  ///
  /// - Throws: ``StoreError/busy`` if the other program is writing, or has left a log that only it can apply;
  ///   ``StoreError/cannotOpen(_:)`` and ``StoreError/corrupt(_:)``.
  public init(path: String) throws(StoreError) {
    self.path = path
    state = FileState(of: path)
    guard !state.hasLog else { throw .busy }
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw .cannotOpen("\(path): cannot be opened")
    }
    var configuration = Configuration()
    configuration.readonly = true
    do {
      queue = try DatabaseQueue(path: ReadOnlyFile.immutableAddress(of: path), configuration: configuration)
    } catch {
      throw .corrupt("\(path): \(error)")
    }
  }

  /// Returns a table's column names; empty if the table does not exist.
  public func columns(of table: String) throws(StoreError) -> [String] {
    var names: [String] = []
    try rows("SELECT name FROM pragma_table_info(?)", [.text(table)]) { values in
      if case .text(let name)? = values.first { names.append(name) }
      return true
    }
    return names
  }

  /// Visits the query's rows until `visit` returns false.
  ///
  /// - Throws: ``StoreError/busy`` after the rows if the file has changed since it was opened, because no
  ///   lock protects them: they may be wrong, and others may be missing. ``StoreError/corrupt(_:)``.
  public func rows(
    _ query: String, _ arguments: [AttributeValue] = [], _ visit: ([AttributeValue]) -> Bool
  ) throws(StoreError) {
    try rows(query, arguments) { row, _ in visit(row) }
  }

  /// The long texts in rows, which a query would read whole.
  public struct LongTexts {
    fileprivate let db: Database

    /// Returns a text's first bytes; nil if the row has no such text, or if it cannot be read.
    ///
    /// - Parameters:
    ///   - column: The column name.
    ///   - table: The table name.
    ///   - row: The row's number.
    ///   - count: The maximum byte count.
    public func beginning(
      of column: String, in table: String, row: Int64, upTo count: Int
    ) -> [UInt8]? {
      var opened: OpaquePointer?
      let code = unsafe sqlite3_blob_open(db.sqliteConnection, "main", table, column, row, 0, &opened)
      defer { unsafe sqlite3_blob_close(opened) }
      guard code == SQLITE_OK else { return nil }
      let size = unsafe min(count, Int(sqlite3_blob_bytes(opened)))
      var result = SQLITE_OK
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, used in
        result = unsafe sqlite3_blob_read(opened, buffer.baseAddress, Int32(size), 0)
        used = result == SQLITE_OK ? size : 0
      }
      return result == SQLITE_OK ? bytes : nil
    }
  }

  /// Visits rows as ``rows(_:_:_:)``, with their long texts.
  public func rows(
    _ query: String, _ arguments: [AttributeValue], _ visit: ([AttributeValue], LongTexts) -> Bool
  ) throws(StoreError) {
    do {
      try queue.read { db in
        let rows = try Row.fetchCursor(
          db, sql: query, arguments: StatementArguments(arguments.map(Self.value)))
        while let row = try rows.next() {
          guard visit(row.databaseValues.map(AttributeValue.init(foreign:)), LongTexts(db: db)) else {
            return
          }
        }
      }
    } catch {
      guard FileState(of: path) == state else { throw .busy }
      throw .corrupt("\(path): \(error)")
    }
    guard FileState(of: path) == state else { throw .busy }
  }

  private static func value(_ value: AttributeValue) -> DatabaseValue {
    switch value {
    case .text(let text): text.databaseValue
    case .integer(let number): number.databaseValue
    default: .null
    }
  }
}

/// A file's identity, its last change, and whether a log with changes is beside it.
private struct FileState: Equatable {
  private let inode: UInt64?
  private let size: UInt64?
  private let changed: Date?
  let hasLog: Bool

  init(of path: String) {
    let attributes = { (path: String) in (try? FileManager.default.attributesOfItem(atPath: path)) ?? [:] }
    let own = attributes(path)
    inode = (own[.systemFileNumber] as? NSNumber)?.uint64Value
    size = (own[.size] as? NSNumber)?.uint64Value
    changed = own[.modificationDate] as? Date
    hasLog = ["-wal", "-journal"].contains { end in
      (attributes(path + end)[.size] as? NSNumber)?.uint64Value ?? 0 > 0
    }
  }
}

extension AttributeValue {
  fileprivate init(foreign value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .blob(let data): self = .text(String(decoding: data, as: UTF8.self))
    }
  }
}
