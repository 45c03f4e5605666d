public import Foundation

/// The rule for how long a feed's articles are kept: an article stays as long as one condition keeps it.
public struct Retention: Sendable, Equatable {
  /// The maximum age in seconds; infinity keeps all articles, nil keeps none by age.
  public var age: TimeInterval?
  /// The number of newest articles that stay; nil keeps none by rank.
  public var count: Int?

  /// Creates a rule; a rule without age and count is never used.
  public init(age: TimeInterval? = nil, count: Int? = nil) {
    self.age = age
    self.count = count
  }

  /// True if the rule has no condition.
  public var isEmpty: Bool { age == nil && count == nil }

  /// Returns a rule that keeps everything that either rule keeps.
  public func union(_ other: Retention) -> Retention {
    Retention(
      age: [age, other.age].compactMap { $0 }.max(), count: [count, other.count].compactMap { $0 }.max())
  }

  /// Returns whether an article stays.
  ///
  /// - Parameters:
  ///   - rank: How many articles in its feed are newer.
  ///   - date: The article's date in lists: publication, or import if undated.
  func keeps(rank: Int, date: Date, at now: Date) -> Bool {
    if let count, rank < count { return true }
    return age.map { now.timeIntervalSince(date) <= $0 } ?? false
  }
}
