internal import GRDB
internal import ManagedContext
internal import SQLStatements

/// Migrates a file from an older model version to the current one, with a transaction for each stage. Dates in the
/// form of an earlier release are converted in the same way.
///
/// If a stage fails, or the process ends during it, the file is as it was before the stage.
struct FileMigration {
  let model: ManagedObjectModel
  let identity: StoreIdentity
  let store: StoreNumber
  let db: Database
  /// The file's path, for messages.
  let path: String
  /// False if rows may refer to missing ones.
  var checksReferences = true
  var report: (MigrationProgress) -> Void = { _ in }

  /// Migrates a file with an older version. If several processes try at the same time, only one does it.
  ///
  /// - Throws: ``StoreError/newer(version:known:)``, and the errors of
  ///   ``StageMigration/run(checksReferences:report:prepare:convert:)``.
  func run() throws {
    guard try isNeeded() else { return }
    // With foreign keys on, dropping a table would delete its rows one by one and report each broken
    // reference. The setting is fixed inside a transaction (sqlite.org/lang_altertable.html, section 7).
    try db.execute(sql: "PRAGMA foreign_keys = OFF")
    defer { try? db.execute(sql: "PRAGMA foreign_keys = ON") }
    while try isNeeded() {
      try db.immediately {
        if try isNeeded() { try migrate(model.migrationStage(from: Schema.version(in: db))) }
      }
    }
  }

  private func isNeeded() throws -> Bool {
    try Schema.checkNotNewer(than: model, in: db)
    return try Schema.version(in: db) < model.version || Schema.hasEarlierDates(of: model, in: db)
  }

  private func migrate(_ stage: MigrationStage) throws {
    // Renaming a table fails if a view refers to something missing. Older view names are not known.
    let views = try Row.fetchAll(
      db, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'view' ORDER BY rowid")
    for view in views { try db.execute(sql: "DROP VIEW \(quoted(view["name"]))") }
    let tables = try StageMigration(stage, FileConnection(db: db), name: path, store: store)
    // They refer to columns that may change, and have the owners' old names. Other triggers stay.
    for owner in tables.plan.renamed.map(\.from) + stage.model.entities.map(\.name) {
      for trigger in VersionTable.triggers(of: owner) {
        try db.execute(sql: "DROP TRIGGER IF EXISTS \(quoted(trigger))")
      }
    }
    let versions = VersionTable.all(of: stage.model, .sqlite)
    try tables.run(checksReferences: checksReferences, report: report) {
      let renamed = try TableShape.all(in: db)
      for table in versions { try DifferenceExpansion(table, renamed, in: db)?.run() }
    } convert: {
      try runConversions(from: stage.from, to: stage.model.version)
    }
    let isLast = stage.model.version == model.version
    try Schema.finish(stage.model, identity: isLast ? identity : nil, in: db)
    try restore(views, isLast: isLast)
  }

  private func runConversions(from found: Int, to version: Int) throws {
    for (name, function) in identity.functions {
      db.add(
        function: DatabaseFunction(name, argumentCount: 1) { values in
          function(String.fromDatabaseValue(values[0]))
        })
    }
    for conversion in identity.conversions where conversion.version > found && conversion.version <= version {
      for statement in conversion.statements { try db.execute(sql: statement) }
    }
  }

  /// Recreates the views: after the last stage, those that users have added, except those with a name that the
  /// current version uses.
  private func restore(_ views: [Row], isLast: Bool) throws {
    let ours = try Set(String.fetchAll(db, sql: "SELECT name FROM sqlite_master"))
    let formerly = isLast ? Set(identity.formerViews) : []
    for view in views {
      let name: String = view["name"]
      if !ours.contains(name), !formerly.contains(name) { try db.execute(sql: view["sql"]) }
    }
  }
}

extension FileConnection: MigratedConnection {
  static func createTable(_ entity: EntityDescription, named name: String) -> String {
    Schema.createTable(entity, named: name)
  }

  static func column(_ attribute: AttributeDescription) -> String { Schema.column(attribute) }

  func describing<Value>(_ name: String, _ body: () throws -> Value) throws(StoreError) -> Value {
    try StoreFile.describingErrors(path: name) { () throws(any Error) in
      try db.describingErrors(path: name, body)
    }
  }

  func entityTables() throws -> [TableShape] { try TableShape.all(in: db) }

  func copySource(_ model: ManagedObjectModel, name: String) -> any StoreCopySource {
    FileCopySource(model: model, path: name, db: db)
  }

  func copyTarget(_ model: ManagedObjectModel, name: String) -> any StoreCopyTarget {
    FileCopyTarget(model: model, path: name, db: db)
  }

  func replace(_ table: String, by new: String) throws {
    try db.execute(sql: "DROP TABLE \(quoted(table))")
    try db.execute(sql: "ALTER TABLE \(quoted(new)) RENAME TO \(quoted(table))")
  }

  func indexChanges(
    _ entity: EntityDescription, since source: TableShape?
  ) throws -> (outdated: [String], missing: [NewIndex]) {
    let (wanted, found) = (TableShape(of: entity, .sqlite).indexes, source?.indexes ?? [])
    return (
      found.filter { !wanted.contains($0) }.map { "DROP INDEX \(quoted($0.name))" },
      wanted.filter { !found.contains($0) }.map { index in
        NewIndex(unique: index.isUnique ? index.columns : nil, Schema.createIndex(index, on: entity.name))
      }
    )
  }
}
