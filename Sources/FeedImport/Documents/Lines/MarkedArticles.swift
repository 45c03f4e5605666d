import ManagedContext
import NewsModel

/// Saves imported articles' marks. A mark refers to its article's row, which must exist.
enum MarkedArticles {
  /// Marks articles by feed and guid. Missing articles are skipped.
  ///
  /// - Returns: The save's ticket; nil if there is nothing to save.
  static func save(
    _ marked: [(feed: ManagedObjectID, guid: String, marks: Set<ArticleMark>)],
    in context: ManagedObjectContext
  ) throws(StoreError) -> SaveTicket? {
    let ids = try ids(of: marked.map { ($0.feed, $0.guid) }, in: context)
    for (mark, entity) in [(ArticleMark.read, NewsModel.Place.readMark), (.starred, NewsModel.Place.star)] {
      var rows = RowBatch(entity: entity, columns: [0])
      for (article, id) in zip(marked, ids) where article.marks.contains(mark) {
        guard let id else { continue }
        rows.beginRow()
        rows.append(.reference(id))
      }
      if rows.count > 0 { context.insert(BatchUpsert(rows, unique: [0], changeMark: 0)) }
    }
    return try context.push(after: nil)
  }

  /// Returns the articles' IDs; nil for a missing article.
  private static func ids(
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
