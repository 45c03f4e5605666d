import ManagedContext
import NewsModel

/// The contents of a store when a run began. Without them no query is made for each feed.
struct StoreContents: Sendable {
  /// False if nothing is known of any feed.
  var hasArticles: Bool
  /// True if it has deleted articles that must not come back. The write itself excludes articles that another process
  /// deletes meanwhile (``BatchUpsert/exclusion``).
  let hasTombstones: Bool
  /// True if it has feeds with former addresses.
  let hasFormerAddresses: Bool

  /// Examines the store of a root context.
  init(of root: RootContext) throws(StoreError) {
    func hasAny(_ entity: EntityIndex) throws(StoreError) -> Bool {
      try root.count(StoreQuery(entity: entity, limit: 1, columns: [])) > 0
    }
    hasArticles = try hasAny(NewsModel.Place.article)
    hasTombstones = try hasAny(NewsModel.Place.tombstone)
    hasFormerAddresses = try hasAny(NewsModel.Place.formerAddress)
  }

  /// Runs an import, with the store prepared for it if it is large and the first.
  func loading<Value>(
    into root: RootContext, _ options: ImportOptions, if isLarge: () -> Bool,
    _ body: () async throws(ImportFailure) -> Value
  ) async throws(ImportFailure) -> Value {
    guard !hasArticles, options.loadsInBulk, isLarge() else { return try await body() }
    // No reader of this process is active yet.
    return try await root.withBulkLoad(body)
  }
}
