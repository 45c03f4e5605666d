internal import Foundation
internal import GRDB
internal import ManagedContext
internal import TextSearch

/// An index file. It contains derived data, and is created and deleted as needed.
struct SearchFile {
  let path: String
  let source: SearchSource
  /// The permissions of a new file: those of the store.
  let permissions: mode_t

  /// The file's `application_id`: "NIMS".
  private static let applicationID: Int32 = 0x4E49_4D53
  /// The version of the table definitions.
  private static let format = 2

  private var version: Int { Self.format << 16 | source.version }

  /// The maximum count of replacements by other processes while the file is opened.
  private static let mostReplacements = 10

  /// True if the file can be written or created.
  var isWritable: Bool {
    // SQLite creates a journal in the file's folder.
    let isFolderWritable = unsafe access(ReadOnlyFile.folder(of: path), W_OK) == 0
    let isFileWritable = unsafe access(path, W_OK) == 0 || FileStatus(path: path) == nil
    return isFolderWritable && isFileWritable
  }

  /// Opens the file, and creates it if it does not exist. A damaged file or another version is replaced.
  func open() throws -> DatabaseQueue {
    var isFirst = true
    var replacements = 0
    while true {
      let status = FileStatus(path: path)
      // Opening a pipe would block.
      try status?.checkIsFile(path)
      let identity = status?.identity
      if identity == nil { try StoreFile.createEmpty(path: path, permissions: permissions) }
      do {
        let queue = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: false))
        if try queue.writeWithoutTransaction({ db in try install(in: db) }) { return queue }
        try queue.close()
      } catch let error as DatabaseError
        where error.extendedResultCode == .SQLITE_READONLY_DBMOVED && replacements < Self.mostReplacements
      {
        // Another process has replaced the file in between.
        replacements += 1
        continue
      } catch let error as DatabaseError where Self.isDamage(error) && isFirst {}
      guard isFirst else { throw StoreError.corrupt(path) }
      isFirst = false
      remove(identity)
    }
  }

  /// Opens the file read-only; nil if it does not exist or has another version.
  func openReadOnly() throws -> DatabaseQueue? {
    guard let status = FileStatus(path: path) else { return nil }
    try status.checkIsFile(path)
    let queue = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: true))
    return try queue.unsafeRead { db in try isOurs(db) } ? queue : nil
  }

  /// Deletes the file, unless it was replaced by another file.
  func remove(_ identity: FileIdentity?) {
    guard let identity, FileStatus(path: path)?.identity == identity else { return }
    for ending in ["", "-journal"] { try? FileManager.default.removeItem(atPath: path + ending) }
  }

  /// Returns whether an error in the index's own statements results from damage, such as a wrong table.
  static func isDamage(_ error: DatabaseError) -> Bool {
    [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR].contains(error.resultCode)
  }

  private func configuration(isReadOnly: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    // Another process writes one part of the index in less than this time, in seconds.
    configuration.busyMode = .timeout(60)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA page_size = 4096")
      try db.execute(sql: "PRAGMA cache_size = -16000")
      try db.execute(sql: "PRAGMA synchronous = NORMAL")
      try db.execute(sql: "PRAGMA trusted_schema = OFF")
    }
    return configuration
  }

  private func isOurs(_ db: Database) throws -> Bool {
    try Int32.fetchOne(db, sql: "PRAGMA application_id") == Self.applicationID
      && Int.fetchOne(db, sql: "PRAGMA user_version") == version
  }

  /// Creates the tables in an empty file.
  ///
  /// - Returns: True if the file can be used; false if it has another version.
  /// - Throws: ``StoreError/cannotOpen(_:)`` if the file belongs to another program.
  private func install(in db: Database) throws -> Bool {
    if try isOurs(db) { return true }
    return try db.immediately {
      let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
      if tables > 0 {
        let isUsable = try isOurs(db)
        let owner = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        guard owner == Self.applicationID else {
          throw StoreError.cannotOpen("\(path) is not a search index of newsimport; move it elsewhere")
        }
        return isUsable
      }
      try createTables(in: db)
      return true
    }
  }

  private func createTables(in db: Database) throws {
    // The index contains only the words; the texts are in the store. A changed row gets a new number, so its
    // old words need not be known to remove it.
    try db.execute(
      sql: """
        CREATE VIRTUAL TABLE words USING fts5(\(source.columns.map(\.name).joined(separator: ", ")), content='', \
        tokenize='\(SearchIndex.tokenizer)')
        """)
    // Larger segments are written, so that fewer have to be merged.
    try db.execute(sql: "INSERT INTO words(words, rank) VALUES ('hashsize', \(32 << 20))")
    // The words once more, for searches by word parts: one in each row, and many in one row, each after a
    // line feed. Searching a few long rows takes a tenth of the time of many short rows.
    try db.execute(sql: "CREATE TABLE word (letters BLOB PRIMARY KEY) WITHOUT ROWID")
    try db.execute(sql: "CREATE TABLE word_list (words BLOB NOT NULL)")
    try db.execute(
      sql: """
        CREATE TABLE document (id INTEGER PRIMARY KEY AUTOINCREMENT, key INTEGER NOT NULL UNIQUE, \
        version INTEGER NOT NULL, grouped INTEGER, date REAL)
        """)
    try db.execute(
      sql: """
        CREATE TABLE state (token INTEGER NOT NULL, mark INTEGER NOT NULL, scanned INTEGER, dead INTEGER NOT NULL)
        """)
    try db.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
    try db.execute(sql: "PRAGMA user_version = \(version)")
  }
}
