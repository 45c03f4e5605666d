public import Foundation
public import ManagedContext
import NewsModel

/// Finds the articles of a feed that are no longer to be kept, deletes them, and sees to it that they do not come back.
///
/// Starred articles stay, whatever the rule says. The marks of an article go with it, and a tombstone takes its place for
/// as long as the feed lists it. Others read and write between the transactions.
public struct Pruning: Sendable {
  /// The ``Feed``.
  public let feed: ManagedObjectID
  /// What stays.
  public let retention: Retention
  /// The time by which ages are told.
  public let now: Date

  /// Articles in one transaction.
  public static let batch = 1000

  /// Prepares; nothing is read yet.
  public init(feed: ManagedObjectID, retention: Retention, now: Date) {
    self.feed = feed
    self.retention = retention
    self.now = now
  }

  /// What is to go.
  public struct Selection: Sendable {
    /// The articles.
    public fileprivate(set) var articles: [ManagedObjectID] = []
    /// How many would go, were they not starred.
    public fileprivate(set) var starred = 0
  }

  /// Tells what is to go now: one look at the feed, so that what others do at the same time makes no article go that
  /// was to stay.
  ///
  /// The memory that it takes is that of a few numbers for each article of the feed.
  public func selection(in context: ManagedObjectContext) throws(StoreError) -> Selection {
    var selection = Selection()
    guard !retention.isEmpty else { return selection }
    var request = FetchRequest(Article.self, where: \.feed == feed, sortedBy: Article.newestFirst)
    if retention.count == nil, let age = retention.age {
      guard age.isFinite else { return selection }
      // Nobody's place matters: those that stay are not read, and the others not sorted.
      let isOld = Article.isListed(since: nil, before: now.addingTimeInterval(-age), at: now)
      request.predicate = isOld.map { \.feed == feed && $0 }
      request.sort = []
    }
    let rows = try context.rows(
      request, columns: [Article.Key.timelineDate.index, Article.Key.imported.index])
    let dates = (0..<rows.count).map { row in
      let article = RowValues(rows, row: row, model: context.model)
      return date(article[Article.Key.timelineDate], imported: article[Article.Key.imported])
    }
    var order = Array(dates.indices)
    if !request.sort.isEmpty, dates.contains(where: \.isImport) {
      // Rows are in the order of dates that may be yet to come.
      order.sort { (dates[$0].date, $1) > (dates[$1].date, $0) }
    }
    for (rank, row) in order.enumerated() {
      if !retention.keeps(rank: rank, date: dates[row].age, at: now) {
        selection.articles.append(rows.id(row: row))
      }
    }
    guard !selection.articles.isEmpty else { return selection }
    let starred = Set(
      try context.fetchIDs(
        FetchRequest(Article.self, where: \.feed == feed && ArticleMark.starred.articles)))
    guard !starred.isEmpty else { return selection }
    let count = selection.articles.count
    selection.articles.removeAll(where: starred.contains)
    selection.starred = count - selection.articles.count
    return selection
  }

  /// By what an article is judged.
  private struct JudgedDate {
    /// Decides its place among the others.
    var date: Date
    /// Decides its age.
    var age: Date
    /// Whether the publisher's date is yet to come, so that the import's stands for it.
    var isImport: Bool
  }

  private func date(_ timelineDate: Date, imported: Date) -> JudgedDate {
    let date = Article.listDate(timelineDate, imported: imported, at: now)
    // Nothing was imported before there was a program to do it: the clock was wrong, and nobody knows how old an article
    // without a date is. It counts as new.
    let isUnknown = date == imported && imported < Self.firstImport
    return JudgedDate(date: date, age: isUnknown ? now : date, isImport: timelineDate > now)
  }

  /// 1 January 2026: no import was before.
  private static let firstImport = Date(timeIntervalSince1970: 1_767_225_600)

  /// Deletes articles, of any feeds, in one transaction; one that was starred meanwhile stays.
  ///
  /// - Parameters:
  ///   - articles: At most ``batch`` of them, so that others need not wait long.
  ///   - now: When they are deleted.
  ///   - context: One without other changes; it is saved.
  /// - Returns: Those that were deleted; others were gone before, or stay.
  public static func delete(
    _ articles: [ManagedObjectID], at now: Date, in context: ManagedObjectContext
  ) throws(StoreError) -> Set<ManagedObjectID> {
    // Asked again inside the transaction that deletes: a star may come any time.
    let condemned = FetchPredicate<Article>.ids(articles) && !ArticleMark.starred.articles
    let identities = try context.rows(
      FetchRequest(Article.self, where: condemned), columns: [Article.Key.feed.index, Article.Key.guid.index])
    guard identities.count > 0 else { return [] }
    context.insert(tombstones(of: identities, at: now))
    try context.deleteAll(ReadMark.self, where: .to(\.article, Article.self, where: condemned))
    try context.deleteAll(Article.self, where: condemned)
    let changes = try context.save()
    return Set(changes.deleted.filter { $0.entity == NewsModel.Place.article })
  }

  /// A tombstone for each article. One that is starred before the deletion stays beside its tombstone, which then means
  /// nothing: an import looks for the article first.
  private static func tombstones(of identities: RowBatch, at now: Date) -> BatchUpsert {
    typealias Key = Tombstone.Key
    var rows = RowBatch(
      entity: NewsModel.Place.tombstone, columns: [Key.feed.index, Key.guidHash.index, Key.seen.index])
    rows.reserveCapacity(identities.count)
    for row in 0..<identities.count {
      guard case .text(let offset, let count) = identities.cell(row: row, column: 1) else { continue }
      let guid = identities.bytes.span.extracting(Int(offset)..<Int(offset) + Int(count))
      rows.beginRow()
      rows.append(identities.cell(row: row, column: 0))
      rows.append(integer: Int64(bitPattern: ContentHash.of(guid)))
      rows.append(integer: Int64(now.timeIntervalSince1970))
    }
    return BatchUpsert(rows, unique: [Key.feed.index, Key.guidHash.index])
  }
}
