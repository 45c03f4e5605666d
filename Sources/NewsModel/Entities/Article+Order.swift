public import Foundation
public import ManagedContext

/// The order of articles, and the dates that select them.
extension Article {
  /// The newest articles first. Articles with the same date keep the order of their document.
  public static let newestFirst: [FetchSort<Article>] = [
    .descending(\.timelineDate), .descending(\.sequence), .newestFirst,
  ]

  /// Returns the ``timelineDate`` for an article with these dates, in seconds since 1970.
  package static func timelineDate(published: Int64?, modified: Int64?, imported: Int64) -> Int64 {
    published ?? modified ?? imported
  }

  /// The articles with a `listDate(at:)` in a time span.
  ///
  /// - Parameters:
  ///   - since: The first moment; nil for no limit.
  ///   - before: The moment after the last one; nil for no limit.
  ///   - now: The reader's clock; nil if no article has a ``timelineDate`` after it.
  public static func isListed(since: Date?, before: Date?, at now: Date?) -> FetchPredicate<Article>? {
    var predicate: FetchPredicate<Article>?
    if let since {
      // The first condition alone lets SQLite use the index.
      predicate = \Article.timelineDate >= since
      if let now { predicate = predicate.map { $0 && (\.timelineDate <= now || \.imported >= since) } }
    }
    if let before {
      var isBefore = \Article.timelineDate < before
      if let now { isBefore = isBefore || (\.timelineDate > now && \.imported < before) }
      predicate = predicate.map { $0 && isBefore } ?? isBefore
    }
    return predicate
  }

  /// The articles that were imported at a date or later. Import dates are whole seconds, so the second of
  /// `date` is included.
  static func wasImported(since date: Date) -> FetchPredicate<Article> {
    \.imported >= Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
  }
}

extension EntityValues where Object == Article {
  /// The date that a list shows and sorts by: ``Article/timelineDate``, or the import date while that is in the
  /// future.
  ///
  /// - Parameter now: The reader's clock. The importer's clock may have been wrong.
  public func listDate(at now: Date) -> Date {
    self[Article.schema.timelineDate] <= now
      ? self[Article.schema.timelineDate] : min(self[Article.schema.imported], now)
  }
}
