public import Foundation

/// The rule for how long the articles of a feed are kept: an article stays as long as one condition keeps it.
public struct Retention: Sendable, Equatable {
  /// The maximum age of articles that stay, in seconds; infinity keeps all, nil keeps none by its age.
  public var age: TimeInterval?
  /// The number of newest articles that stay; nil keeps none by its rank.
  public var count: Int?

  /// Creates a rule; a rule without age and count is never used.
  public init(age: TimeInterval? = nil, count: Int? = nil) {
    self.age = age
    self.count = count
  }

  /// True if the rule has no condition.
  public var isEmpty: Bool { age == nil && count == nil }

  /// Returns a rule that keeps all that either of two keeps.
  public func union(_ other: Retention) -> Retention {
    Retention(
      age: [age, other.age].compactMap { $0 }.max(), count: [count, other.count].compactMap { $0 }.max())
  }

  /// Returns whether an article stays.
  ///
  /// - Parameters:
  ///   - rank: The number of newer articles of its feed.
  ///   - date: Its date in lists: of publication, or, undated, of import.
  ///   - now: The time.
  func keeps(rank: Int, date: Date, at now: Date) -> Bool {
    if let count, rank < count { return true }
    return age.map { now.timeIntervalSince(date) <= $0 } ?? false
  }
}
