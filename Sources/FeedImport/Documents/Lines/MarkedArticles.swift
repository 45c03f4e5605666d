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
    for mark in ArticleMark.allCases {
      let articles = marked.filter { $0.marks.contains(mark) }.compactMap { ids[Array($0.id.utf8)] }
      if !articles.isEmpty { DataSource(context).set(mark, of: articles) }
    }
    return try context.push(after: nil)
  }
}
