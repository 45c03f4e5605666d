internal import Foundation
internal import GRDB
public import ManagedContext

extension SQLiteStore {
  /// Copies everything that can be read of a damaged store into a new one.
  ///
  /// The store itself is only read, byte by byte: SQLite opens a copy of it, which needs space on the disk meanwhile. No
  /// other process should write the store.
  ///
  /// - Parameters:
  ///   - path: The store.
  ///   - copy: The path of the new store, which must not exist yet.
  ///   - model: The entities, in the version of the store.
  ///   - identity: The identity of the program's files.
  ///   - replacement: Returns the texts of a row that replaces a lost one to which others refer, by the names of their
  ///     attributes; nil to leave out the rows that refer to it.
  ///   - isStopped: Called for each row; true stops with an error.
  /// - Throws: ``StoreError/corrupt(_:)`` if no table can be found in the file, ``StoreError/older(version:known:)`` or
  ///   ``StoreError/newer(version:known:)`` if it has another version. After a failure no new file is left.
  public static func salvage(
    _ path: String, to copy: String, model: ManagedObjectModel, identity: StoreIdentity,
    replacement: (_ entity: String, _ key: Int64) -> [String: String]? = { _, _ in nil },
    until isStopped: @escaping () -> Bool = { false }
  ) throws(StoreError) -> SalvageReport {
    let target = try UnfinishedFile(of: copy)
    let source = try UnfinishedFile(of: copy)
    let newStore = try UnfinishedFile(of: copy)
    defer { for file in [target, source, newStore] { file.remove() } }
    for ending in ["", "-wal", "-journal"] {
      try RawFile.copy(path + ending, to: source.file + ending, isNeeded: ending.isEmpty)
    }
    try RawFile.removePartOfPage(atEndOf: source.file)
    let store = try SQLiteStore(path: target.file, model: model, identity: identity)
    try store.close()
    try RawFile.copy(target.file, to: newStore.file, isNeeded: true)
    try RawFile.repairHeader(of: source.file, like: newStore.file)
    let lostCommits = try DamagedLog.lostCommits(in: source.file + "-wal")
    let report = try StoreFile.describingErrors(path: copy) { () throws(any Error) in
      let whole = try open(target.file, repairs: false)
      defer { try? whole.close() }
      return try whole.inDatabase { target in
        var report = SalvageReport()
        try target.inTransaction {
          report = try salvage(
            source.file, named: path, like: newStore.file, target, model, identity, until: isStopped)
          try mendReferences(of: model, in: target, &report, replacement)
          return .commit
        }
        let damage = try String.fetchAll(target, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
        guard damage.isEmpty else { throw StoreError.corrupt("\(copy): \(damage[0])") }
        report.lostCommits = lostCommits
        return report
      }
    }
    try target.takePlace()
    return report
  }

  /// Opens a damaged file, and checks that it is a store of this version.
  ///
  /// - Parameter path: The path of the store, for messages.
  private static func openDamaged(
    _ file: String, named path: String, _ model: ManagedObjectModel, _ identity: StoreIdentity
  ) throws -> DatabaseQueue {
    do {
      let queue = try open(file, repairs: true)
      try queue.inDatabase { source in try check(source, path: path, model, identity) }
      return queue
    } catch let error as DatabaseError {
      throw StoreError.corrupt("\(path): \(error.message ?? "its list of tables cannot be read")")
    }
  }

  private static func open(_ path: String, repairs: Bool) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA trusted_schema = OFF")
      // Otherwise one damaged definition would make all tables unreadable (sqlite.org/pragma.html#pragma_writable_schema).
      if repairs { try db.execute(sql: "PRAGMA writable_schema = ON") }
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  private static func check(
    _ source: Database, path: String, _ model: ManagedObjectModel, _ identity: StoreIdentity
  ) throws {
    guard try Int32.fetchOne(source, sql: "PRAGMA application_id") == identity.applicationID else {
      throw StoreError.foreign("\(path) belongs to another program")
    }
    try Schema.checkNotNewer(than: model, in: source)
    let version = try Schema.version(in: source)
    if version < model.version { throw StoreError.older(version: version, known: model.version) }
  }

  private static func salvage(
    _ file: String, named path: String, like newStore: String, _ target: Database,
    _ model: ManagedObjectModel,
    _ identity: StoreIdentity,
    until isStopped: @escaping () -> Bool
  ) throws -> SalvageReport {
    // Closing a file merges its log.
    try? open(file, repairs: true).close()
    let pages = try LeafPages(path: file)
    let lost = try LostDefinitions(restoringIn: file, like: newStore, model: model, pages: pages) { file in
      try open(file, repairs: true)
    }
    let damaged = try openDamaged(file, named: path, model, identity)
    let isHistoryWhole = try damaged.inDatabase { source in
      try SalvagedHistory.copy(of: model, from: source, to: target, until: isStopped)
    }
    var tables = try damaged.inDatabase { source in
      try model.entities.map { entity in
        var table = SalvagedTable(
          entity, to: target, hasRoot: !lost.withoutRoot.contains(entity.name), until: isStopped)
        if !lost.withoutRoot.contains(entity.name) { try table.copy(from: source) }
        return table
      }
    }
    let root = try? damaged.inDatabase { source in try makeRoot(in: source, of: model) }
    try damaged.close()
    if let root, tables.contains(where: { $0.report.hasLostRows }) {
      for index in tables.indices where tables[index].report.hasLostRows {
        // Tables with the same number of columns cannot be told apart.
        let columns = model.entities[index].attributes.count + 2
        guard model.entities.count(where: { $0.attributes.count + 2 == columns }) == 1 else { continue }
        var rest = (pages.byColumns[columns] ?? [])[...]
        while !rest.isEmpty {
          try tables[index].copyLost(from: rest.prefix(LeafPages.mostPages)) { pages, read in
            try RawFile.write(LeafPages.innerPage(over: pages), to: file, page: root)
            let queue = try open(file, repairs: true)
            defer { try? queue.close() }
            try queue.inDatabase(read)
          }
          rest = rest.dropFirst(LeafPages.mostPages)
        }
      }
    }
    if lost.areAll, tables.allSatisfy({ $0.report.copied == 0 }) {
      throw StoreError.corrupt("\(path): no table of a store can be found in it")
    }
    return SalvageReport(tables: tables.map(\.report), isHistoryWhole: isHistoryWhole)
  }

  /// Gives all tables of the model the same new root page.
  ///
  /// - Returns: The number of the page.
  private static func makeRoot(in source: Database, of model: ManagedObjectModel) throws -> Int {
    try source.execute(sql: "PRAGMA journal_mode = DELETE; CREATE TABLE salvaged (id INTEGER)")
    let root =
      try Int.fetchOne(source, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'salvaged'") ?? 0
    for entity in model.entities {
      try source.execute(
        sql: "UPDATE sqlite_master SET rootpage = ? WHERE type = 'table' AND name = ?",
        arguments: [root, entity.name])
    }
    return root
  }

  /// Makes rows in the place of lost ones to which others refer, and removes rows that refer to others.
  private static func mendReferences(
    of model: ManagedObjectModel, in db: Database, _ report: inout SalvageReport,
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

  /// Inserts a row of texts; its other required values are zero or empty.
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
        case .integer, .boolean, .reference, .date, .real: values.append(0.databaseValue)
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
