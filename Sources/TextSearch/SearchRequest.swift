/// A request to a search index.
package struct SearchRequest: Sendable {
  package var expression: SearchExpression
  /// The keys of the groups to search; nil for all.
  package var groups: [Int64]?
  /// The earliest date, in seconds since 1970; nil for no limit.
  package var since: Double?
  package var until: Double?
  package var limit: Int
  /// The maximum number of matches that are ranked, most recently indexed first. It bounds the cost of a word that
  /// occurs in most rows.
  package var candidates = 10_000

  package init(_ expression: SearchExpression, limit: Int) {
    (self.expression, self.limit) = (expression, limit)
  }
}

/// A row that was found.
package struct SearchHit: Sendable {
  package let key: Int64
  /// The smaller, the better. Scores of several indexes are about comparable.
  package let score: Double
  /// In seconds since 1970.
  package let date: Double

  package init(key: Int64, score: Double, date: Double) {
    (self.key, self.score, self.date) = (key, score, date)
  }

  /// Returns whether the hit is listed before another one.
  package func precedes(_ other: SearchHit) -> Bool { (score, other.date) < (other.score, date) }
}
