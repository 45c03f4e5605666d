package import Foundation
package import ManagedContext
package import NewsModel

/// An article's versions. Its current values are the last one.
package struct ArticleHistory {
  /// The number that commands use for the article.
  package let article: ArticleNumber
  /// The former versions, oldest first.
  package let former: [ObjectVersion]
  /// The edit count, including edits from before versions were kept.
  package let edits: Int
  private let imported: Date

  package init(_ number: ArticleNumber, _ former: [ObjectVersion], of article: StoredRow<Article>) {
    (self.article, self.former) = (number, former)
    (edits, imported) = (article.edits, article.imported)
  }

  /// The current version's number.
  package var current: Int { (former.last?.number ?? 0) + 1 }

  /// The numbers of all versions.
  package var numbers: ClosedRange<Int> { (former.first?.number ?? current)...current }

  /// Returns the time from which a version is known: when a change made it, or at the first import.
  package func seen(_ number: Int) -> Date {
    former.last { $0.number < number }.map(\.change.date) ?? imported
  }

  /// Returns the time at which a version was replaced; nil for the current one.
  package func replaced(_ number: Int) -> Date? {
    former.first { $0.number >= number }?.change.date
  }

  /// Counts the edits that led to a version: all but the later ones. Changes by other programs do not count.
  package func edits(before number: Int) -> Int {
    let later = former.filter { version in
      version.number >= number && version.change.note.map { ChangeKinds(rawValue: $0).isEdit } ?? false
    }
    return max(0, edits - later.reduce(0) { $0 + 1 + $1.mergedChanges })
  }

  /// Returns the number of the version that was current at a time; nil before the first import.
  package func number(at date: Date) -> Int? {
    guard date >= imported.addingTimeInterval(-1) else { return nil }
    return former.first { $0.change.date > date }?.number ?? current
  }
}
