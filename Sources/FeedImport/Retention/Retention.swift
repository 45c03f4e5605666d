public import Foundation

/// How long the articles of a feed are kept: an article stays for as long as one of the rules keeps it.
public struct Retention: Sendable, Equatable {
  /// Articles that are at most so many seconds old stay; infinity keeps all, nil keeps none by its age.
  public var age: TimeInterval?
  /// So many of the feed's newest articles stay; nil keeps none by its place.
  public var count: Int?

  /// Makes a rule; without age and count it says nothing, and is never asked.
  public init(age: TimeInterval? = nil, count: Int? = nil) {
    self.age = age
    self.count = count
  }

  /// Whether nothing is said.
  public var isEmpty: Bool { age == nil && count == nil }

  /// What keeps all that either of two keeps.
  public func union(_ other: Retention) -> Retention {
    Retention(
      age: [age, other.age].compactMap { $0 }.max(), count: [count, other.count].compactMap { $0 }.max())
  }

  /// Whether an article stays.
  ///
  /// - Parameters:
  ///   - rank: How many articles of its feed are newer.
  ///   - date: When it was published, or, undated, imported: by which it stands in a list.
  ///   - now: The time.
  func keeps(rank: Int, date: Date, at now: Date) -> Bool {
    if let count, rank < count { return true }
    return age.map { now.timeIntervalSince(date) <= $0 } ?? false
  }
}
