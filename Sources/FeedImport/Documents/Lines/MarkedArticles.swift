import ManagedContext
import NewsModel

/// Saves imported articles' marks. A mark refers to its article's row, which must exist.
enum MarkedArticles {
  /// Marks a feed's articles by guid. Missing articles are skipped.
  ///
  /// - Returns: The save's ticket; nil if there is nothing to save.
  static func save(
    _ marked: [(id: String, marks: Set<ArticleMark>)], of feed: ManagedObjectID,
    in context: ManagedObjectContext
  ) throws(StoreError) -> SaveTicket? {
    let request = FetchRequest(Article.self, where: \.feed == feed && .among(\.guid, marked.map(\.id)))
    let found = try context.fetch(request).map { (Array($0.guid.utf8), $0.id) }
    let ids = Dictionary(found) { first, _ in first }
    for (mark, entity) in [(ArticleMark.read, NewsModel.Place.readMark), (.starred, NewsModel.Place.star)] {
      var rows = RowBatch(entity: entity, columns: [0])
      for article in marked where article.marks.contains(mark) {
        guard let id = ids[Array(article.id.utf8)] else { continue }
        rows.beginRow()
        rows.append(.reference(id))
      }
      if rows.count > 0 { context.insert(BatchUpsert(rows, unique: [0], changeMark: 0)) }
    }
    return try context.push(after: nil)
  }
}
