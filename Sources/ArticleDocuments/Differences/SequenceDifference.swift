import Sequences

/// The differences between two sequences, whose elements are compared by number.
///
/// The result for short sequences is the shortest one. Long sequences are divided at the elements that occur
/// once in both; a part that is still long is one change.
enum SequenceDifference {
  /// Replaced elements and their replacements; one range may be empty.
  struct Change: Equatable {
    let old: Range<Int>
    let new: Range<Int>
  }

  /// The count of old and new elements up to which the shortest result is searched for: the search may take
  /// the square of it in time and memory.
  private static let shortLength = 2048

  /// Returns the changes from one sequence to another, in order. At least one element is between two of them.
  static func changes(from old: [Int], to new: [Int]) -> [Change] {
    guard old.count + new.count > shortLength else { return Self.changes(from: old[...], to: new[...]) }
    var changes: [Change] = []
    var (x, y) = (0, 0)
    for place in commonPlaces(old, new) + [(old.count, new.count)] {
      changes += Self.changes(from: old[x..<place.old], to: new[y..<place.new])
      (x, y) = (place.old + 1, place.new + 1)
    }
    return changes
  }

  private static func changes(from whole: ArraySlice<Int>, to other: ArraySlice<Int>) -> [Change] {
    var (old, new) = (whole, other)
    while let first = old.first, first == new.first { (old, new) = (old.dropFirst(), new.dropFirst()) }
    while let last = old.last, last == new.last { (old, new) = (old.dropLast(), new.dropLast()) }
    if old.isEmpty && new.isEmpty { return [] }
    guard old.count + new.count <= shortLength else { return [Change(old: old.indices, new: new.indices)] }
    var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): removed.insert(old.startIndex + offset)
      case .insert(let offset, _, _): inserted.insert(new.startIndex + offset)
      }
    }
    var changes: [Change] = []
    var (x, y) = (old.startIndex, new.startIndex)
    while x < old.endIndex || y < new.endIndex {
      let start = (x: x, y: y)
      while removed.contains(x) { x += 1 }
      while inserted.contains(y) { y += 1 }
      if start == (x, y) {
        (x, y) = (x + 1, y + 1)
      } else {
        changes.append(Change(old: start.x..<x, new: start.y..<y))
      }
    }
    return changes
  }

  /// Returns the places of the numbers that occur once in both sequences, as many as have the same order in
  /// both.
  private static func commonPlaces(_ old: [Int], _ new: [Int]) -> [(old: Int, new: Int)] {
    let others = singlePlaces(new)
    let places = singlePlaces(old).compactMap { number, place in
      others[number].map { (old: place, new: $0) }
    }.sorted { $0.new < $1.new }
    return longestIncrease(in: places.map(\.old)).map { places[$0] }
  }

  /// Returns the places of the numbers that occur once.
  private static func singlePlaces(_ numbers: [Int]) -> [Int: Int] {
    Dictionary(grouping: numbers.indices) { numbers[$0] }.compactMapValues { $0.count == 1 ? $0[0] : nil }
  }
}
