internal import Foundation
internal import GRDB
public import ManagedContext
internal import SQLStatements

extension SQLiteStore {
  /// Recovers a damaged store into a new one, with SQLite's own recovery (sqlite.org/recovery.html).
  ///
  /// The store itself is only read, byte by byte: SQLite opens a copy. With the recovered file and the new
  /// store, this temporarily needs three times the store's space. No other process should write the store. An
  /// older version is migrated.
  ///
  /// - Parameters:
  ///   - path: The store.
  ///   - copy: The path of the new store, which must not exist yet.
  ///   - model: The entities, in the current version.
  ///   - identity: The identity of the program's files.
  ///   - replacement: Returns texts by attribute name for a row that replaces a lost one to which others
  ///     refer; nil to leave out the rows that refer to it.
  ///   - isStopped: Called often; true stops with an error.
  /// - Throws: ``StoreError/corrupt(_:)`` if no table can be found in the file,
  ///   ``StoreError/newer(version:known:)`` if it has a newer version. After a failure no new file is left.
  public static func recover(
    _ path: String, to copy: String, model: ManagedObjectModel, identity: StoreIdentity,
    replacement: (_ entity: String, _ key: Int64) -> [String: String]? = { _, _ in nil },
    until isStopped: @escaping () -> Bool = { false }
  ) throws(StoreError) -> RecoveryReport {
    let target = try UnfinishedFile(of: copy)
    let source = try UnfinishedFile(of: copy)
    let recovered = try UnfinishedFile(of: copy)
    defer { for file in [target, source, recovered] { file.remove() } }
    for ending in ["", "-wal", "-journal"] {
      try DamagedFile.copyBytes(of: path + ending, to: source.file + ending, isNeeded: ending.isEmpty)
    }
    var report = RecoveryReport()
    report.unreadLogPages = try DamagedFile.applyLog(of: source.file, pageBytes: SQLiteStoreOptions.pageBytes)
    let found = RowCounts(of: model, inFileAt: source.file)
    report.damage = found.damage
    UnusableDefinitions.delete(inFileAt: source.file, model) { try Schema.version(in: $0) == model.version }
    try recoverTables(of: source.file, named: path, to: recovered.file, until: isStopped)
    report.strayRows = try prepareRecovered(recovered.file, named: path, model, identity)
    let store = try SQLiteStore(path: target.file, model: model, identity: identity)
    try store.close()
    try StoreFile.describingErrors(path: copy) { () throws(any Error) in
      let whole = try openRecovered(target.file)
      let parts = try openRecovered(recovered.file)
      defer { for queue in [whole, parts] { try? queue.close() } }
      try whole.inDatabase { target in
        try target.inTransaction {
          try parts.inDatabase { source in
            // They are left out, or written with replacement characters.
            for entity in model.entities {
              let left = mostCells - report.damage.count
              report.damage += (try? DamagedCells.findings(of: entity, atMost: left, in: source)) ?? []
            }
            if let uuid = try? StoreUUID.find(in: source) { try StoreUUID.write(uuid, in: target) }
            report.isHistoryWhole = try RecoveredHistory.copy(
              of: model, from: source, to: target, until: isStopped)
            for (entity, before) in zip(model.entities, found.counts) {
              var table = RecoveredTable(entity, before: before, to: target, until: isStopped)
              try table.copy(from: source)
              report.tables.append(table.report)
            }
          }
          try mendReferences(of: model, in: target, &report, replacement)
          return .commit
        }
        let damage = try String.fetchAll(target, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
        guard damage.isEmpty else { throw StoreError.corrupt("\(copy): \(damage[0])") }
      }
    }
    try detachLog(ofFileAt: target.file)
    try target.takePlace()
    return report
  }

  /// Recovers a file's tables. If a damaged header hides all tables, the header is also recovered.
  ///
  /// - Parameters:
  ///   - file: The copy of the damaged file.
  ///   - path: The store's path, for messages.
  private static func recoverTables(
    of file: String, named path: String, to recovered: String, until isStopped: () -> Bool
  ) throws(StoreError) {
    do throws(StoreError) {
      try DamagedFile(path: file).recover(to: recovered, until: isStopped)
      if try hasTables(recovered) { return }
    } catch .corrupt {
      // The header is damaged.
    }
    try DamagedFile.clearHeader(of: file)
    do throws(StoreError) {
      try DamagedFile(path: file).recover(to: recovered, until: isStopped)
      if try hasTables(recovered) { return }
    } catch .corrupt {
      // The file is not a database.
    }
    throw .corrupt("\(path): no table of a store can be found in it")
  }

  private static func hasTables(_ file: String) throws(StoreError) -> Bool {
    try StoreFile.describingErrors(path: file) { () throws(any Error) in
      let queue = try openRecovered(file)
      defer { try? queue.close() }
      return try queue.inDatabase {
        try Int.fetchOne($0, sql: "SELECT 1 FROM sqlite_master WHERE type = 'table' LIMIT 1") != nil
      }
    }
  }

  /// Checks that a recovered file is a store, and migrates it to the model's version.
  ///
  /// - Returns: The count of rows without a known table.
  private static func prepareRecovered(
    _ file: String, named path: String, _ model: ManagedObjectModel, _ identity: StoreIdentity
  ) throws(StoreError) -> Int {
    try StoreFile.describingErrors(path: path) { () throws(any Error) in
      let queue = try openRecovered(file)
      defer { try? queue.close() }
      return try queue.inDatabase { db in
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id")
        guard application == identity.applicationID || application == 0 else {
          throw StoreError.foreign("\(path) belongs to another program")
        }
        try Schema.checkNotNewer(than: model, in: db)
        // A lost header names neither the program nor the version.
        let version = application == 0 ? model.version : try Schema.version(in: db)
        let rows = try LostRows(in: db, of: model).assign()
        guard try model.entities.contains(where: { try db.tableExists($0.name) }) else {
          throw StoreError.corrupt("\(path): no table of a store can be found in it")
        }
        if version < model.version {
          // References are examined after the rows were copied.
          try FileMigration(
            model: model, identity: identity, store: .unique(), db: db, path: path, checksReferences: false
          ).run()
        }
        return rows
      }
    }
  }

  private static func openRecovered(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA trusted_schema = OFF") }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Replaces lost rows to which others refer, and removes rows with broken references.
  private static func mendReferences(
    of model: ManagedObjectModel, in db: Database, _ report: inout RecoveryReport,
    _ replacement: (_ entity: String, _ key: Int64) -> [String: String]?
  ) throws {
    for (place, entity) in model.entities.enumerated() {
      for attribute in entity.attributes {
        guard let name = attribute.destination, let destination = model.index(named: name) else { continue }
        let column = quoted(attribute.name)
        let isLost = "\(column) NOT IN (SELECT id FROM \(quoted(name)))"
        let lost = try Int64.fetchAll(
          db, sql: "SELECT DISTINCT \(column) FROM \(quoted(entity.name)) WHERE \(isLost)")
        for key in lost {
          guard let texts = replacement(name, key) else { continue }
          try insert(texts, as: key, of: model.entities[Int(destination)], in: db)
          report.tables[Int(destination)].replaced += db.changesCount
        }
        if attribute.isOptional {
          try db.execute(sql: "UPDATE \(quoted(entity.name)) SET \(column) = NULL WHERE \(isLost)")
          report.tables[place].emptied += db.changesCount
        } else {
          try db.execute(sql: "DELETE FROM \(quoted(entity.name)) WHERE \(isLost)")
          report.tables[place].copied -= db.changesCount
          report.tables[place].refused += db.changesCount
        }
      }
    }
  }

  /// Inserts a row with texts; its other required values are zero or empty.
  private static func insert(
    _ texts: [String: String], as key: Int64, of entity: EntityDescription, in db: Database
  ) throws {
    var columns = ["id", "version"]
    var values: [DatabaseValue] = [key.databaseValue, 1.databaseValue]
    for attribute in entity.attributes {
      if let text = texts[attribute.name] {
        values.append(text.databaseValue)
      } else if !attribute.isOptional {
        switch attribute.type {
        case .text: values.append("".databaseValue)
        case .bytes: values.append(Data().databaseValue)
        case .integer, .boolean, .reference, .date, .secondsSince1970, .real: values.append(0.databaseValue)
        }
      } else {
        continue
      }
      columns.append(attribute.name)
    }
    let places = values.map { _ in "?" }.joined(separator: ", ")
    try db.execute(
      sql: """
        INSERT OR IGNORE INTO \(quoted(entity.name)) (\(columns.map(quoted).joined(separator: ", "))) VALUES (\(places))
        """, arguments: StatementArguments(values))
  }
}
