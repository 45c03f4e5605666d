package struct SearchRequest: Sendable {
  package var expression: SearchExpression
  /// The groups' keys; nil searches all groups.
  package var groups: [Int64]?
  /// The earliest date, in seconds since 1970; nil for no limit.
  package var since: Double?
  package var until: Double?
  package var limit: Int
  /// The maximum count of ranked matches, most recently indexed first. It bounds the cost for frequent words.
  package var candidates = 10_000

  package init(_ expression: SearchExpression, limit: Int) {
    (self.expression, self.limit) = (expression, limit)
  }
}

/// A row that matches a search.
package struct SearchHit: Sendable {
  package let key: Int64
  /// The rank; lower is better. Scores from several indexes are roughly comparable.
  package let score: Double
  /// The date, in seconds since 1970.
  package let date: Double

  package init(key: Int64, score: Double, date: Double) {
    (self.key, self.score, self.date) = (key, score, date)
  }

  /// Returns whether the hit is listed before another one.
  package func precedes(_ other: SearchHit) -> Bool { (score, other.date) < (other.score, date) }
}
