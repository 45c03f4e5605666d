/// A question for a ``WordIndex``.
public struct SearchRequest: Sendable {
  /// The words.
  public var expression: SearchExpression
  /// The groups' keys; nil searches all groups.
  public var groups: [Int64]?
  /// The earliest date, in seconds since 1970; nil for no limit.
  public var since: Double?
  /// The latest date, in seconds since 1970; nil for no limit.
  public var until: Double?
  /// The maximum count of hits.
  public var limit: Int
  /// The maximum count of ranked matches, most recently indexed first. It bounds the cost for frequent words.
  public var candidates = 10_000

  /// Asks for the best hits in all groups, of any date.
  public init(_ expression: SearchExpression, limit: Int) {
    (self.expression, self.limit) = (expression, limit)
  }
}

/// A row that matches a search.
public struct SearchHit: Sendable {
  /// The row's key.
  public let key: Int64
  /// The rank; lower is better. Scores from several indexes are roughly comparable.
  public let score: Double
  /// The date, in seconds since 1970.
  public let date: Double

  /// Creates a value.
  public init(key: Int64, score: Double, date: Double) {
    (self.key, self.score, self.date) = (key, score, date)
  }

  /// Returns whether the hit is listed before another one.
  public func precedes(_ other: SearchHit) -> Bool { (score, other.date) < (other.score, date) }
}
