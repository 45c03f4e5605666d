import ArticleDocuments
import ManagedContext
import NewsModel
import SQLiteStore
import TextOutput

extension ArticleHistory {
  /// - Throws: ``CommandFailure`` with status 66 for a version that the article does not have.
  func check(_ number: Int) throws {
    guard !numbers.contains(number) else { return }
    let range =
      numbers.count == 1 ? "only version \(current)" : "versions \(numbers.lowerBound) to \(current)"
    throw CommandFailure(.noInput, "article \(article) has \(range), not \(number)")
  }
}

extension NewsStack {
  /// Returns an article by its number.
  ///
  /// - Throws: ``CommandFailure`` with status 66 if it does not exist.
  func existingArticle(_ number: ArticleNumber) throws -> StoredRow<Article> {
    if let article = try article(number) { return article }
    throw CommandFailure(.noInput, number.missing)
  }

  func history(of article: StoredRow<Article>, _ number: ArticleNumber) throws -> ArticleHistory {
    let former = try reading { try coordinator.versions(of: article.id) }
    return ArticleHistory(number, former, of: article)
  }

  /// Reports that another program has removed what keeps articles' old values.
  func warnOfMissingVersions() throws {
    guard let fault = try reading({ try store.historyFault() }) else { return }
    Output.error.warn(
      "\(printable(location.name)): \(fault): changes since then are missing here; \(location.adviceForRepair)"
    )
  }

  /// Returns a version's values, in the order of ``Article/versioned``.
  func values(_ version: Int, of article: StoredRow<Article>) throws -> [AttributeValue] {
    try reading { try coordinator.values(ofVersion: version, of: article.id) }
  }
}
