import Foundation
import ManagedContext
import NewsModel
import SQLiteStore
import TextOutput

/// An article's versions. Its current values are the last one.
struct ArticleHistory {
  /// The number that commands use for the article.
  let article: ArticleNumber
  /// The former versions, oldest first.
  let former: [ObjectVersion]
  /// The edit count, including edits from before versions were kept.
  let edits: Int
  private let imported: Date

  init(_ number: ArticleNumber, _ former: [ObjectVersion], of article: Article) {
    (self.article, self.former) = (number, former)
    (edits, imported) = (article.edits, article.imported)
  }

  /// The current version's number.
  var current: Int { (former.last?.number ?? 0) + 1 }

  /// Returns the time from which a version is known: when a change made it, or at the first import.
  func seen(_ number: Int) -> Date {
    former.last { $0.number < number }.map(\.change.date) ?? imported
  }

  /// Returns the time at which a version was replaced; nil for the current one.
  func replaced(_ number: Int) -> Date? {
    former.first { $0.number >= number }?.change.date
  }

  /// Counts the edits that led to a version: all but the later ones. Changes by other programs do not count.
  func edits(before number: Int) -> Int {
    let later = former.filter { version in
      version.number >= number && version.change.note.map { ChangeKinds(rawValue: $0).isEdit } ?? false
    }
    return max(0, edits - later.reduce(0) { $0 + 1 + $1.mergedChanges })
  }

  /// Returns the number of the version that was current at a time; nil before the first import.
  func number(at date: Date) -> Int? {
    guard date >= imported.addingTimeInterval(-1) else { return nil }
    return former.first { $0.change.date > date }?.number ?? current
  }

  /// - Throws: ``CommandFailure`` with status 66 for a version that the article does not have.
  func check(_ number: Int) throws {
    let first = former.first?.number ?? current
    guard !(first...current).contains(number) else { return }
    let range = first == current ? "only version \(current)" : "versions \(first) to \(current)"
    throw CommandFailure(.noInput, "article \(article) has \(range), not \(number)")
  }
}

extension NewsStack {
  /// Returns an article by its number.
  ///
  /// - Throws: ``CommandFailure`` with status 66 if it does not exist.
  func existingArticle(_ number: ArticleNumber) throws -> Article {
    if let article = try article(number) { return article }
    throw CommandFailure(.noInput, try reading { try source.noArticle(number) })
  }

  func history(of article: Article, _ number: ArticleNumber) throws -> ArticleHistory {
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
  func values(_ version: Int, of article: Article) throws -> [AttributeValue] {
    try reading { try coordinator.values(ofVersion: version, of: article.id) }
  }
}
