import ManagedContext
import NewsModel

/// The store's contents when a run began. They save a query for each feed if a kind of row is missing.
struct StoreContents: Sendable {
  /// False if no articles are known.
  var hasArticles: Bool
  /// True if it has deleted articles that must not come back. The write itself excludes articles that another
  /// process deletes in the meantime (``BatchUpsert/exclusion``).
  let hasTombstones: Bool
  let hasFormerAddresses: Bool

  /// Examines a root context's store.
  init(of root: RootContext) throws(StoreError) {
    func hasAny(_ entity: EntityIndex) throws(StoreError) -> Bool {
      try root.count(StoreQuery(entity: entity, limit: 1, columns: [])) > 0
    }
    hasArticles = try hasAny(NewsModel.Place.article)
    hasTombstones = try hasAny(NewsModel.Place.tombstone)
    hasFormerAddresses = try hasAny(NewsModel.Place.formerAddress)
  }

  /// Runs an import, with the store prepared for it if it is a large first import.
  func loading<Value>(
    into root: RootContext, _ options: ImportOptions, if isLarge: () -> Bool,
    _ body: () async throws(ImportFailure) -> Value
  ) async throws(ImportFailure) -> Value {
    guard !hasArticles, options.loadsInBulk, isLarge() else { return try await body() }
    // No reader in this process is active yet.
    return try await root.withBulkLoad(body)
  }
}
