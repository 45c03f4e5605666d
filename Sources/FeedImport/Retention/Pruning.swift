public import Foundation
public import ManagedContext
import NewsModel

/// Finds a feed's articles that need not be kept. ``ArticleDeletion`` deletes them for good.
///
/// Starred articles stay, whatever the rule says. An article's marks are deleted with it. A tombstone
/// replaces it as long as the feed lists it. Other processes read and write between the transactions.
public struct Pruning: Sendable {
  /// The ``Feed``.
  public let feed: ManagedObjectID
  /// The rule.
  public let retention: Retention
  /// The reference time for ages.
  public let now: Date
  /// Articles that stay although the rule does not keep them.
  public let spared: Set<ManagedObjectID>

  /// The maximum number of articles in one transaction.
  ///
  /// Each transaction writes most pages of the indexes by feed and by story, so few should do.
  public static let batch = 25_000

  /// Creates a pruning; nothing is read yet.
  public init(
    feed: ManagedObjectID, retention: Retention, now: Date, sparing spared: Set<ManagedObjectID> = []
  ) {
    self.feed = feed
    self.retention = retention
    self.now = now
    self.spared = spared
  }

  /// The articles to delete.
  public struct Selection: Sendable {
    /// The articles.
    public fileprivate(set) var articles: [RowVersion] = []
    /// The count of articles that are kept only because they are starred.
    public fileprivate(set) var starred = 0
    /// The count of other articles that are kept only because they are ``Pruning/spared``.
    public fileprivate(set) var spared = 0
  }

  /// Returns the articles to delete now. One query reads the feed, so that other processes' changes cannot
  /// delete articles that should stay.
  ///
  /// It uses memory for a few numbers per article.
  public func selection(in context: ManagedObjectContext) throws(StoreError) -> Selection {
    var selection = Selection()
    guard !retention.isEmpty else { return selection }
    var request = FetchRequest(Article.self, where: \.feed == feed, sortedBy: Article.newestFirst)
    if retention.count == nil, let age = retention.age {
      guard age.isFinite else { return selection }
      // Ranks do not matter: articles that stay are not read, and the rest are not sorted.
      let isOld = Article.isListed(since: nil, before: now.addingTimeInterval(-age), at: now)
      request.predicate = isOld.map { \.feed == feed && $0 }
      request.sort = []
    }
    let rows = try context.rows(of: request) { [$0.timelineDate, $0.imported] }
    let dates = rows.map { Self.judgedDate(of: $0, at: now) }
    var order = Array(dates.indices)
    if !request.sort.isEmpty, dates.contains(where: \.isImport) {
      // Rows are ordered by dates that may be in the future.
      order.sort { (dates[$0].date, $1) > (dates[$1].date, $0) }
    }
    for (rank, row) in order.enumerated() {
      if !retention.keeps(rank: rank, date: dates[row].age, at: now) {
        selection.articles.append(RowVersion(id: rows[row].id, version: rows[row].version))
      }
    }
    guard !selection.articles.isEmpty else { return selection }
    let starred = Set(
      try context.fetchIDs(
        FetchRequest(Article.self, where: \.feed == feed && ArticleMark.starred.articles)))
    let count = selection.articles.count
    if !starred.isEmpty { selection.articles.removeAll { starred.contains($0.id) } }
    selection.starred = count - selection.articles.count
    if !spared.isEmpty { selection.articles.removeAll { spared.contains($0.id) } }
    selection.spared = count - selection.starred - selection.articles.count
    return selection
  }

  /// The dates that decide about an article.
  private struct JudgedDate {
    /// Determines the article's rank.
    var date: Date
    /// Determines the article's age.
    var age: Date
    /// True if the publisher's date is in the future, so that the import date is used.
    var isImport: Bool
  }

  /// Returns the date that determines an article's age.
  static func age(of article: StoredRow<Article>, at now: Date) -> Date {
    judgedDate(of: article, at: now).age
  }

  private static func judgedDate(of article: StoredRow<Article>, at now: Date) -> JudgedDate {
    let date = article.listDate(at: now)
    // No import is older than the program: the clock was wrong, so an undated article's age is unknown. It
    // counts as new.
    let isUnknown = date == article.imported && date < firstImport
    return JudgedDate(date: date, age: isUnknown ? now : date, isImport: article.timelineDate > now)
  }

  /// 1 January 2026: no import is older.
  private static let firstImport = Date(timeIntervalSince1970: 1_767_225_600)

  /// Returns a tombstone for each article. An article that is starred before the deletion stays beside its
  /// tombstone, which then has no effect: an import looks for the article first.
  ///
  /// - Parameter identities: Each article's feed and guid, and its content hash if it was moved to an
  ///   archive.
  static func tombstones(of identities: RowBatch, at now: Date) -> BatchUpsert {
    let key = Tombstone.schema
    var rows = RowBatch(
      entity: NewsModel.Place.tombstone,
      columns: [key.feed.index, key.guidHash.index, key.seen.index, key.archivedHash.index])
    rows.reserveCapacity(identities.count)
    for row in 0..<identities.count {
      guard case .text(let offset, let count) = identities.cell(row: row, column: 1) else { continue }
      let guid = identities.bytes.span.extracting(Int(offset)..<Int(offset) + Int(count))
      rows.beginRow()
      rows.append(identities.cell(row: row, column: 0))
      rows.append(integer: Int64(bitPattern: ContentHash.of(guid)))
      rows.append(integer: Int64(now.timeIntervalSince1970))
      rows.append(identities.columns.count > 2 ? identities.cell(row: row, column: 2) : .null)
    }
    return BatchUpsert(rows, unique: [key.feed.index, key.guidHash.index])
  }
}
