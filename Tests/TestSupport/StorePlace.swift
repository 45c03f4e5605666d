internal import GRDB
public import ManagedContext
internal import PostgreSQLStore
internal import SQLiteStore

/// A place for a store that is opened several times, with several versions of a model.
public enum StorePlace: Sendable {
  case file(TemporaryFolder)
  case server(TestSchema)

  public init(_ kind: StoreKind) throws {
    self = kind == .postgresql ? .server(try TestSchema()) : .file(try TemporaryFolder())
  }

  /// Opens the store for writing.
  public func open(
    _ model: ManagedObjectModel, views: [String] = [], formerViews: [String] = [],
    progress: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
  ) throws(StoreError) -> any PersistentStore {
    switch self {
    case .file(let folder):
      var options = SQLiteStoreOptions()
      options.migrationProgress = progress
      return try SQLiteStore(
        path: folder.file("store.db"), model: model,
        identity: StoreIdentity(applicationID: 1, views: views, formerViews: formerViews), options: options)
    case .server(let schema):
      var options = PostgreSQLStoreOptions()
      (options.migrationProgress, options.formerViews) = (progress, formerViews)
      return try PostgreSQLStore(schema.address, model: model, application: 1, views: views, options: options)
    }
  }

  /// Checks the store.
  public func damage(_ store: any PersistentStore) throws(StoreError) -> [String] {
    switch store {
    case let store as SQLiteStore:
      let findings = try store.findings()
      return findings.damage + findings.missingIndexes
    case let store as PostgreSQLStore:
      let findings = try store.findings()
      return findings.damage + findings.missingIndexes
    default: return ["it is another store"]
    }
  }
}

extension StoreKind {
  /// The kinds that exist longer than a process.
  public static var lasting: [StoreKind] { allCases.filter { $0 != .memory } }
}

extension PersistentStore {
  /// Inserts rows in one save. A reference to a row of the same save is its place in the list, from 1, as a
  /// negative key.
  public func insert(_ rows: [(entity: EntityIndex, values: [AttributeValue])]) throws {
    var changes = ChangeSet(mergePolicy: .error)
    for (place, row) in rows.enumerated() {
      let id = ManagedObjectID(entity: row.entity, store: .none, key: -Int64(place) - 1)
      changes.insertions.append(.init(id: id, values: row.values))
    }
    for result in write([changes]) { _ = try result.get() }
  }

  /// Returns an entity's values, by key. A reference is its row's key.
  public func values(_ entity: EntityIndex, _ model: ManagedObjectModel) throws -> [Int64: [AttributeValue]] {
    let rows = try fetch(StoreQuery(entity: entity))
    return (0..<rows.count).reduce(into: [:]) { found, row in
      found[rows.keys[row]] = rows.columns.indices.map { column in
        let value = rows.value(row: row, column: column, model: model)
        return if case .reference(let id) = value { .integer(id.key) } else { value }
      }
    }
  }
}

extension StorePlace {
  /// Runs statements as another program does, and returns the first column of the last one's rows.
  @discardableResult
  public func run(_ sql: String) throws -> [String] {
    switch self {
    case .file(let folder):
      try DatabaseQueue(path: folder.file("store.db")).write { db in try String.fetchAll(db, sql: sql) }
    case .server(let schema): try schema.rows(sql)
    }
  }
}
