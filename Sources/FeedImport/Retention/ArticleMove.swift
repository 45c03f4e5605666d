public import Foundation
public import ManagedContext
import NewsModel
import WebAddress

/// Moves articles to another store: copies a page with its feeds, regions and read marks, then deletes the
/// articles that have not changed since.
///
/// The copy must be on disk before the deletion. So a process that exits at any moment loses nothing: some
/// articles are in both stores, and the next move deletes them.
public struct ArticleMove: Sendable {
  /// The page size in articles.
  public static let page = 1000

  private let rows: StoredRows<Article>
  private let read: Set<ManagedObjectID>
  private let versions: VersionCopies
  /// The feeds with moved articles.
  private let feeds: StoredRows<Feed>
  /// The names of their regions.
  private let regions: [ManagedObjectID: [String]]

  /// The count of articles that were found.
  public var count: Int { rows.count }

  /// Reads articles.
  ///
  /// - Parameters:
  ///   - articles: At most ``page`` articles; missing ones are skipped.
  ///   - context: A context for their store.
  public init(_ articles: [ManagedObjectID], in context: ManagedObjectContext) throws(StoreError) {
    rows = try context.rows(of: FetchRequest(Article.self, where: .ids(articles)))
    read = Set(
      try context.fetchIDs(FetchRequest(Article.self, where: .ids(articles) && ArticleMark.read.articles)))
    versions = try VersionCopies(of: articles, in: context)
    let ids = Array(Set(rows.map(\.feed)))
    feeds = try context.rows(of: FetchRequest(Feed.self, where: .ids(ids)))
    regions = try DataSource(context).regionNames(of: ids)
  }

  // MARK: The copy

  /// Writes the articles to another store. An article that is there already is replaced.
  ///
  /// - Parameter context: A context for that store without other changes; it is saved.
  /// - Returns: The articles that the other store has now, by their IDs in the first store.
  public func write(in context: ManagedObjectContext) throws(StoreError) -> Set<ManagedObjectID> {
    guard rows.count > 0 else { return [] }
    let keys = try writeFeeds(in: context)
    let batch = rows.batch
    var copies = RowBatch(entity: batch.entity, columns: batch.columns, bytes: batch.bytes)
    copies.reserveCapacity(rows.count)
    var written: Set<ManagedObjectID> = []
    // Values outside an article's row are written after it, once its copy has a key.
    let versioned = versions.originals
    var followed: [ArticleName: ManagedObjectID] = [:]
    for (row, article) in rows.enumerated() {
      // The feed may have been deleted, or merged with another one, while the articles were read.
      guard let feed = keys[article.feed.key] else { continue }
      written.insert(article.id)
      copies.beginRow()
      for column in batch.columns.indices {
        if batch.columns[column] == Article.schema.feed.index {
          copies.append(integer: feed.key)
        } else {
          copies.append(batch.cell(row: row, column: column))
        }
      }
      if read.contains(article.id) || versioned.contains(article.id.key) {
        followed[ArticleName(feed, article.guid)] = article.id
      }
    }
    context.insert(BatchUpsert(copies, unique: [Article.schema.feed.index, Article.schema.guid.index]))
    try context.save()
    guard !followed.isEmpty else { return written }
    let wanted = FetchRequest(
      Article.self,
      where: .among(\.feed, Array(Set(followed.keys.map(\.feed))))
        && .among(\.guid, followed.keys.map { String(decoding: $0.guid, as: UTF8.self) }))
    var (readCopies, versionedCopies): ([ManagedObjectID], [Int64: ManagedObjectID]) = ([], [:])
    for (copy, name) in zip(
      try context.fetchIDs(wanted), try context.fetchValues(wanted, \.feed, \.guid))
    {
      guard let original = followed[ArticleName(name.0, name.1)] else { continue }
      if read.contains(original) { readCopies.append(copy) }
      if versioned.contains(original.key) { versionedCopies[original.key] = copy }
    }
    DataSource(context).set(.read, of: readCopies)
    versions.write(for: versionedCopies, in: context)
    try context.save()
    return written
  }

  /// Adds the feeds that the other store lacks.
  ///
  /// - Returns: The feeds in the other store by their keys in the first one.
  private func writeFeeds(
    in context: ManagedObjectContext
  ) throws(StoreError) -> [Int64: ManagedObjectID] {
    let source = DataSource(context)
    let urls = feeds.map(\.url)
    let names = Dictionary(
      feeds.map { ($0.url, FeedName(title: $0.ownTitle, homePage: $0.homePage)) },
      uniquingKeysWith: { first, _ in first })
    var members: [String: [WebAddress]] = [:]
    for feed in feeds {
      for region in regions[feed.id] ?? [] { members[region, default: []].append(feed.url) }
    }
    let lists = members.sorted { $0.key < $1.key }.map {
      DataSource.ListedFeeds(region: $0.key, urls: $0.value)
    }
    if !lists.isEmpty { _ = try source.add(lists, named: names, isAnswering: true) }
    try source.addFeeds(urls, named: names)
    let there = try context.fetch(FetchRequest(Feed.self, where: .among(\.url, urls)))
    let byURL = Dictionary(there.map { ($0.url, $0) }, uniquingKeysWith: { first, _ in first })
    for feed in feeds {
      guard let there = byURL[feed.url] else { continue }
      if there.title == nil { there.title = feed.title }
      if there.language == nil { there.language = feed.language }
    }
    try context.save()
    // New objects have had their keys since the save.
    return Dictionary(
      feeds.compactMap { feed in byURL[feed.url].map { (feed.id.key, $0.id) } },
      uniquingKeysWith: { first, _ in first })
  }

  // MARK: The deletion

  /// Deletes the articles that have not changed since they were read, and leaves tombstones. Read articles
  /// take one transaction, the others a second. Starred articles stay, like articles that wait for a hook.
  ///
  /// - Parameters:
  ///   - written: The result of ``write(in:)``.
  ///   - now: The time of the deletion.
  ///   - deletion: The deletion for their store.
  /// - Returns: The articles that were deleted, and those that wait.
  public func delete(
    _ written: Set<ManagedObjectID>, at now: Date, by deletion: ArticleDeletion
  ) async throws(StoreError) -> ArticleDeletion.Result {
    let chosen = rows.map { RowVersion(id: $0.id, version: $0.version) }
      .filter { written.contains($0.id) }
    // An article marked as read in the meantime would be unread in the other store.
    let unread = try await deletion.delete(
      chosen.filter { !read.contains($0.id) }, if: !ArticleMark.read.articles, isArchived: true, at: now)
    var result = try await deletion.delete(
      chosen.filter { read.contains($0.id) }, isArchived: true, at: now)
    result.deleted.formUnion(unread.deleted)
    result.spared.formUnion(unread.spared)
    return result
  }
}

/// An article's identity in a store. Guids are compared byte by byte.
private struct ArticleName: Hashable {
  let feed: ManagedObjectID
  let guid: [UInt8]

  init(_ feed: ManagedObjectID, _ guid: String) {
    (self.feed, self.guid) = (feed, Array(guid.utf8))
  }
}
