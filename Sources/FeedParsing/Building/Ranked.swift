/// A value with the rank of its source: the lower rank wins, then the first value.
struct Ranked<Value> {
  private(set) var value: Value?
  private(set) var rank = UInt8.max

  /// Returns whether a source of this rank is better.
  func wants(_ rank: UInt8) -> Bool { rank < self.rank }

  /// Sets the value if its source is better. If `isLast`, the last of equal sources wins.
  mutating func set(_ value: Value?, rank: UInt8, isLast: Bool = false) {
    guard let value, wants(rank) || (isLast && rank == self.rank) else { return }
    self.value = value
    self.rank = rank
  }
}
