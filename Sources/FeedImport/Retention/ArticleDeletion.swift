public import Foundation
public import ManagedContext
public import NewsModel

/// Deletes articles. No other code does, because hooks may still wait for an article.
///
/// Other processes read and write during a deletion. So the order is always the same: read the articles, ask
/// which wait for hooks, delete those unchanged since they were read. Anything that another process saves
/// after the question concerns other articles, or raises the version of one being deleted.
public struct ArticleDeletion: Sendable {
  /// The result of a deletion.
  public struct Result: Sendable {
    /// The deleted articles. The rest were deleted before, or have been changed or starred since.
    public var deleted: Set<ManagedObjectID> = []
    /// The articles that stay because they wait for a hook.
    public var spared: Set<ManagedObjectID> = []
  }

  /// A context for the deletion alone.
  let context: BackgroundContext
  private let waiting: any WaitingArticles
  private let root: RootContext

  /// Creates a value; nothing is read yet.
  ///
  /// - Parameters:
  ///   - root: The root that saves.
  ///   - name: The name for the deletion's thread.
  ///   - author: The author of the saves in the store's history; nil for the root's author.
  ///   - waiting: The articles to spare.
  public init(
    in root: RootContext, name: String, author: String? = nil, sparing waiting: any WaitingArticles
  ) {
    context = BackgroundContext(parent: root, name: name, author: author)
    (self.root, self.waiting) = (root, waiting)
  }

  // MARK: Old articles

  /// Deletes articles in any feeds, in one transaction, and leaves tombstones. Articles that wait for a hook
  /// stay, like articles that were changed or starred since they were read.
  ///
  /// - Parameters:
  ///   - chosen: At most ``Pruning/batch`` articles, so that other writers do not wait long.
  ///   - condition: A condition that an article must still meet.
  ///   - isArchived: True if the articles were copied to an archive: their later changes are then reported.
  ///   - now: The time of the deletion.
  public func delete(
    _ chosen: [RowVersion], if condition: FetchPredicate<Article> = .constant(true), isArchived: Bool = false,
    at now: Date
  ) async throws(StoreError) -> Result {
    var result = Result()
    guard !chosen.isEmpty else { return result }
    result.spared = Set(try await waiting.events(of: chosen.map(\.id)).map(\.article))
    let rest = result.spared.isEmpty ? chosen : chosen.filter { !result.spared.contains($0.id) }
    guard !rest.isEmpty else { return result }
    let isSaved = try await context.perform { (context) throws(StoreError) in
      context.reset()
      let condemned =
        FetchPredicate<Article>.ids(rest.map(\.id)) && condition && !ArticleMark.starred.articles
      let identities = try context.rows(
        FetchRequest(Article.self, where: condemned),
        columns: [Article.schema.feed.index, Article.schema.guid.index]
          + (isArchived ? [Article.schema.contentHash.index] : []))
      guard identities.count > 0 else { return false }
      context.insert(Pruning.tombstones(of: identities, at: now))
      // The store checks again in the transaction that deletes: a star may be set at any time.
      try Self.delete(Article.self, rest, where: condition && !ArticleMark.starred.articles, in: context)
      return true
    }
    guard isSaved else { return result }
    result.deleted = Set(try await context.save().deleted.filter { $0.entity == NewsModel.Place.article })
    return result
  }

  // MARK: Feeds

  /// Deletes feeds' articles with all their marks, up to a limit, and finally the feeds. Events that wait
  /// for a hook are stored, so that the hook reports the loss.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of articles that one transaction deletes.
  ///   - end: Adds further deletions to the transaction with the last articles.
  /// - Returns: True if nothing is left.
  func deleteArticles(
    of feeds: [ManagedObjectID], limit: Int,
    _ end: @Sendable (ManagedObjectContext) throws(StoreError) -> Void
  ) async throws(StoreError) -> Bool {
    // One extra article shows whether more follow.
    let found = try await context.perform { (context) throws(StoreError) in
      context.reset()
      let rows = try context.rows(
        FetchRequest(Article.self, where: .among(\.feed, feeds), limit: limit + 1),
        columns: [Article.schema.feed.index])
      return (0..<rows.count).map { RowVersion(id: rows.id(row: $0), version: rows.versions[$0]) }
    }
    let chosen = Array(found.prefix(limit))
    let isLast = found.count <= limit
    let events = try await waiting.events(of: chosen.map(\.id)).filter(\.isCertain)
    let now = root.now()
    try await context.perform { (context) throws(StoreError) in
      if !chosen.isEmpty {
        try HookFailure.keep(events, at: now, in: context)
        try Self.delete(Article.self, chosen, in: context)
      }
      if isLast { try end(context) }
    }
    let deleted = try await context.save().deleted
    // Every article has changed since it was read.
    if !isLast, !deleted.contains(where: { $0.entity == NewsModel.Place.article }) { throw .conflict([]) }
    return isLast
  }

  // MARK: Copies

  /// The articles that a save deletes because other articles replace them.
  struct Replaced: Sendable {
    /// The replacements, by deleted article.
    fileprivate var heirs: [ManagedObjectID: ManagedObjectID] = [:]

    /// Deletes an article and lets its replacement inherit the events that wait for hooks.
    mutating func delete(_ article: Article, for heir: ManagedObjectID, in context: ManagedObjectContext) {
      heirs[article.id] = heir
      context.delete(article as ManagedObject)
    }
  }

  /// Makes changes that delete articles, and saves them in one transaction. Makes them again if another
  /// process has changed one of the objects.
  func replacing<Value: Sendable>(
    _ change: @Sendable (ManagedObjectContext, inout Replaced) throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    var attempts = 1
    while true {
      do throws(StoreError) {
        return try await replacingOnce(change)
      } catch {
        guard error.isOvertaken, attempts < StoreError.mostAttempts else { throw error }
        attempts += 1
      }
    }
  }

  private func replacingOnce<Value: Sendable>(
    _ change: @Sendable (ManagedObjectContext, inout Replaced) throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    let (value, heirs) = try await context.perform { (context) throws(StoreError) in
      context.reset()
      var replaced = Replaced()
      let value = try change(context, &replaced)
      return (value, replaced.heirs)
    }
    if !heirs.isEmpty {
      let events = try await waiting.events(of: Array(heirs.keys)).filter(\.isCertain)
      let now = root.now()
      try await context.perform { (context) throws(StoreError) in
        try HookFailure.keep(events, for: heirs, at: now, in: context)
      }
    }
    try await context.save()
    return value
  }

  /// Deletes rows without naming their type, which may be ``Article``.
  private static func delete<Object: ManagedObject>(
    _ type: Object.Type, _ chosen: [RowVersion], where predicate: FetchPredicate<Object>? = nil,
    in context: ManagedObjectContext
  ) throws(StoreError) {
    try context.deleteAll(type, of: chosen, where: predicate)
  }
}
