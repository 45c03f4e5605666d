import ManagedContext
import NewsModel

/// The marks of articles whose saves have not ended. A mark refers to the row of its article, which must exist.
struct MarkedArticles {
  private struct Save {
    let ticket: SaveTicket
    /// The numbers of all articles of the save.
    let numbers: [Int64]
    let marked: [(number: Int64, feed: ManagedObjectID, guid: String, marks: Set<ArticleMark>)]
  }

  /// The number of saves that may wait.
  private static let mostSaves = 4

  private var saves: [Save] = []

  /// Adds the marks of the articles of a save.
  mutating func add(_ rows: TableRows, _ ticket: SaveTicket) {
    let marked = rows.markedArticles
    if !marked.isEmpty { saves.append(Save(ticket: ticket, numbers: rows.numbers, marked: marked)) }
  }

  /// Saves the marks of articles that are saved; of all if `isLast`, and otherwise while too many wait.
  ///
  /// - Returns: The tickets of the marks.
  mutating func settle(in context: BackgroundContext, isLast: Bool) throws(StoreError) -> [SaveTicket] {
    var tickets: [SaveTicket] = []
    while saves.count > (isLast ? 0 : Self.mostSaves) {
      let save = saves.removeFirst()
      guard case .success(let result) = save.ticket.wait() else { continue }
      let ticket = try context.performNow { (context) throws(StoreError) in
        defer { context.reset() }
        let ids = try Self.ids(of: save, result.changes.inserted, in: context)
        return try Self.save(zip(save.marked, ids).map { ($0.marks, $1) }, in: context)
      }
      if let ticket { tickets.append(ticket) }
    }
    return tickets
  }

  /// Returns the IDs of the marked articles; nil for an article that does not exist.
  private static func ids(
    of save: Save, _ inserted: ManagedObjectIDSet, in context: ManagedObjectContext
  ) throws(StoreError) -> [ManagedObjectID?] {
    let store = context.parent.writtenStoreNumber
    let id = { (number: Int64) in ManagedObjectID(entity: NewsModel.Place.article, store: store, key: number)
    }
    // If exactly the numbers of the lines were inserted, each row has its own.
    if inserted.count(of: NewsModel.Place.article) == save.numbers.count,
      save.numbers.allSatisfy({ inserted.contains(id($0)) })
    {
      return save.marked.map { id($0.number) }
    }
    return try ids(of: save.marked.map { ($0.feed, $0.guid) }, in: context)
  }

  /// Marks articles by their feeds and guids. Articles that do not exist are skipped.
  ///
  /// - Returns: The ticket of the save; nil if there is nothing to save.
  static func save(
    _ marked: [(feed: ManagedObjectID, guid: String, marks: Set<ArticleMark>)],
    in context: ManagedObjectContext
  ) throws(StoreError) -> SaveTicket? {
    let ids = try ids(of: marked.map { ($0.feed, $0.guid) }, in: context)
    return try save(zip(marked, ids).map { ($0.marks, $1) }, in: context)
  }

  private static func save(
    _ marked: [(marks: Set<ArticleMark>, id: ManagedObjectID?)], in context: ManagedObjectContext
  ) throws(StoreError) -> SaveTicket? {
    for (mark, entity) in [(ArticleMark.read, NewsModel.Place.readMark), (.starred, NewsModel.Place.star)] {
      var rows = RowBatch(entity: entity, columns: [0])
      for (marks, id) in marked where marks.contains(mark) {
        guard let id else { continue }
        rows.beginRow()
        rows.append(.reference(id))
      }
      if rows.count > 0 { context.insert(BatchUpsert(rows, unique: [0], changeMark: 0)) }
    }
    return try context.push(after: nil)
  }

  /// Returns the IDs of articles; nil for an article that does not exist.
  static func ids(
    of articles: [(feed: ManagedObjectID, guid: String)], in context: ManagedObjectContext
  ) throws(StoreError) -> [ManagedObjectID?] {
    var found: [ManagedObjectID: [[UInt8]: ManagedObjectID]] = [:]
    for (feed, articles) in Dictionary(grouping: articles, by: \.feed) {
      let request = FetchRequest(Article.self, where: \.feed == feed && .among(\.guid, articles.map(\.guid)))
      for article in try context.fetch(request) {
        found[feed, default: [:]][Array(article.guid.utf8)] = article.id
      }
    }
    return articles.map { found[$0.feed]?[Array($0.guid.utf8)] }
  }
}
