internal import Foundation
internal import GRDB
internal import ManagedContext

#if canImport(Glibc)
  internal import Glibc
#endif

/// The file of an index: derived data, made and thrown away as needed.
struct SearchFile {
  let path: String
  let source: SearchSource

  /// "NIMS": its `application_id`.
  private static let applicationID: Int32 = 0x4E49_4D53
  /// Of the tables below.
  private static let format = 1

  private var version: Int { Self.format << 16 | source.version }

  /// Whether the file can be written, or made.
  var isWritable: Bool {
    // A journal is made beside it.
    let isFolderWritable = unsafe access(ReadOnlyFile.folder(of: path), W_OK) == 0
    let isFileWritable = unsafe access(path, W_OK) == 0 || StoreFile.identity(of: path) == nil
    return isFolderWritable && isFileWritable
  }

  /// Opens the file, making it where there is none, and anew where it is one of another version or damaged.
  func open() throws -> DatabaseQueue {
    var isFirst = true
    while true {
      let identity = StoreFile.identity(of: path)
      if identity == nil { try StoreFile.createEmpty(path: path) }
      do {
        let queue = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: false))
        if try queue.writeWithoutTransaction({ db in try install(in: db) }) { return queue }
        try queue.close()
      } catch let error as DatabaseError where Self.isDamage(error) && isFirst {}
      guard isFirst else { throw StoreError.corrupt(path) }
      isFirst = false
      remove(identity)
    }
  }

  /// Opens the file to be read alone; nil where there is none that is of use.
  func openReadOnly() throws -> DatabaseQueue? {
    guard StoreFile.identity(of: path) != nil else { return nil }
    let queue = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: true))
    return try queue.unsafeRead { db in try isOurs(db) } ? queue : nil
  }

  /// Removes the file, unless another one stands in its place by now.
  func remove(_ identity: FileIdentity?) {
    guard let identity, StoreFile.identity(of: path) == identity else { return }
    for ending in ["", "-journal"] { try? FileManager.default.removeItem(atPath: path + ending) }
  }

  static func isDamage(_ error: DatabaseError) -> Bool {
    error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB
  }

  private func configuration(isReadOnly: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    // As long as another process writes one part of the index.
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

  /// Makes the tables in an empty file.
  ///
  /// - Returns: Whether the file can be used; false for one of another version.
  private func install(in db: Database) throws -> Bool {
    if try isOurs(db) { return true }
    var isUsable = false
    try db.inTransaction(.immediate) {
      let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
      if tables > 0 {
        isUsable = try isOurs(db)
        let owner = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        guard owner == Self.applicationID else {
          throw StoreError.cannotOpen("\(path) is no index of newsimport's; move it elsewhere")
        }
        return .commit
      }
      try createTables(in: db)
      isUsable = true
      return .commit
    }
    return isUsable
  }

  private func createTables(in db: Database) throws {
    // The texts are in the store: here are only the words. A row that changes gets a new number, so that what the
    // index has of the old one need not be known to be taken out.
    try db.execute(
      sql: """
        CREATE VIRTUAL TABLE words USING fts5(\(source.columns.map(\.name).joined(separator: ", ")), content='', \
        tokenize='\(SearchIndex.tokenizer)')
        """)
    // Written in larger parts, of which fewer have to be merged.
    try db.execute(sql: "INSERT INTO words(words, rank) VALUES ('hashsize', \(16 << 20))")
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
