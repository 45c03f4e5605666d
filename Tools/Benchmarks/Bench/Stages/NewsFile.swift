import Foundation
import ManagedContext
import NewsModel
import SQLiteStore
import WebAddress

/// A news store for one measurement.
struct NewsFile {
  let store: SQLiteStore
  let coordinator: PersistentStoreCoordinator
  let context: ManagedObjectContext

  /// Opens a store, and creates it if it does not exist.
  init(path: String) throws {
    store = try SQLiteStore(
      path: path, model: NewsModel.model,
      identity: StoreIdentity(
        applicationID: NewsModel.applicationID, views: NewsModel.views(.sqlite),
        computedColumns: NewsModel.computedColumns))
    coordinator = PersistentStoreCoordinator(model: NewsModel.model, store: store)
    context = ManagedObjectContext(parent: coordinator)
  }

  /// Creates a store, and replaces an existing one.
  init(newAt path: String) throws {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
    try self.init(path: path)
  }

  /// Adds new feeds to a region that is not imported.
  ///
  /// - Returns: Their IDs, in order.
  func add(_ urls: [String]) throws -> [ManagedObjectID] {
    _ = try DataSource(context).add(urls.map { WebAddress($0) }, toRegionNamed: "old")
    try context.save()
    return try DataSource(context).feeds().map(\.id)
  }

  /// Adds feeds that are never polled.
  func addFeeds(_ count: Int) throws -> [ManagedObjectID] {
    try add((0..<count).map { "http://127.0.0.1:9/feed\($0).xml" })
  }
}

/// Collected rows, written in transactions of the same size as those of a root.
struct CommitGroup {
  private let grouping = RootContext.Grouping()
  private var sets: [ChangeSet] = []
  private var rows = 0
  private var bytes = 0

  /// Adds a batch.
  ///
  /// - Returns: The change sets to write now; empty until they are worth a transaction.
  mutating func add(_ batch: BatchUpsert) -> [ChangeSet] {
    var changes = ChangeSet(mergePolicy: .objectTrumps)
    changes.batches = [.upsert(batch)]
    rows += changes.rowCount
    bytes += changes.byteCount
    sets.append(changes)
    return rows >= grouping.rows || bytes >= grouping.bytes ? takeAll() : []
  }

  mutating func takeAll() -> [ChangeSet] {
    defer { (sets, rows, bytes) = ([], 0, 0) }
    return sets
  }
}

extension SQLiteStore {
  /// Writes change sets in one transaction, which must succeed.
  ///
  /// - Returns: The number of rows inserted.
  @discardableResult
  func commit(_ group: [ChangeSet]) throws -> Set<ManagedObjectID> {
    guard !group.isEmpty else { return [] }
    var inserted: Set<ManagedObjectID> = []
    for result in write(group) { inserted.formUnion(try result.get().changes.inserted) }
    return inserted
  }
}
