import ManagedContext
import Sequences

/// The differences between two sequences, whose elements are compared by number.
///
/// The result is the shortest one for short sequences and for few differences (Myers, "An O(ND) Difference
/// Algorithm", 1986). Other sequences are divided at runs that occur once in both; a part without such runs
/// is one change. The number of comparisons is limited: the part beyond the limit is also one change.
package enum SequenceDifference {
  /// Replaced elements and their replacements; one range may be empty.
  package struct Change: Equatable {
    package var old: Range<Int>
    package var new: Range<Int>
  }

  /// Returns the changes from one sequence to another, in order. At least one element is between two of them.
  static func changes(from old: [Int], to new: [Int]) -> [Change] {
    var search = Search(old: old, new: new)
    search.compare(old.indices, new.indices, depth: 0)
    return search.changes
  }

  /// The element count up to which the shortest result is searched for.
  private static let shortLength = 512
  /// The count of inserted and deleted elements up to which it is searched for in longer sequences.
  private static let fewEdits = 200
  /// The lengths of runs that divide sequences.
  private static let runLengths = [4, 1]
  /// The most times that a part is divided again.
  private static let mostDivisions = 8
  /// The most comparisons. Looking up a run takes as long as several comparisons.
  private static let mostWork = 30_000_000
  private static let workOfRun = 20

  private struct Search {
    let old: [Int]
    let new: [Int]
    private(set) var changes: [Change] = []
    /// The count of comparisons that are left.
    private var work = mostWork

    init(old: [Int], new: [Int]) {
      (self.old, self.new) = (old, new)
    }

    mutating func compare(_ whole: Range<Int>, _ other: Range<Int>, depth: Int) {
      let (a, b) = withoutCommonEnds(whole, other)
      if a.isEmpty || b.isEmpty { return add(a, b) }
      let length = a.count + b.count
      if let edits = shortest(a, b, limit: length <= shortLength ? length : fewEdits) {
        for edit in edits { add(edit.old, edit.new) }
        return
      }
      let runs = depth < mostDivisions && work > 0 ? commonRuns(a, b) : []
      var (x, y) = (a.lowerBound, b.lowerBound)
      for run in runs where run.old >= x && run.new >= y {
        compare(x..<run.old, y..<run.new, depth: depth + 1)
        (x, y) = (run.old + run.length, run.new + run.length)
      }
      if runs.isEmpty { add(a, b) } else { compare(x..<a.upperBound, y..<b.upperBound, depth: depth + 1) }
    }

    private mutating func add(_ a: Range<Int>, _ b: Range<Int>) {
      guard !a.isEmpty || !b.isEmpty else { return }
      if let last = changes.last, last.old.upperBound == a.lowerBound, last.new.upperBound == b.lowerBound {
        changes[changes.count - 1] = Change(
          old: last.old.lowerBound..<a.upperBound, new: last.new.lowerBound..<b.upperBound)
      } else {
        changes.append(Change(old: a, new: b))
      }
    }

    private func withoutCommonEnds(_ a: Range<Int>, _ b: Range<Int>) -> (Range<Int>, Range<Int>) {
      let most = min(a.count, b.count)
      var start = 0
      while start < most, old[a.lowerBound + start] == new[b.lowerBound + start] { start += 1 }
      var end = 0
      while end < most - start, old[a.upperBound - 1 - end] == new[b.upperBound - 1 - end] { end += 1 }
      return (
        (a.lowerBound + start)..<(a.upperBound - end), (b.lowerBound + start)..<(b.upperBound - end)
      )
    }

    /// Returns the fewest insertions and deletions; nil if there are more than a limit.
    private mutating func shortest(_ a: Range<Int>, _ b: Range<Int>, limit: Int) -> [Change]? {
      // The farthest places in `a` on each diagonal after 0, 1, 2… edits. Diagonal -d + 2i is at index i.
      var reached: [[Int]] = []
      for edits in 0...limit where work > 0 {
        work -= edits + 1
        var row = [Int](repeating: 0, count: edits + 1)
        for index in 0...edits {
          var x = edits == 0 ? 0 : Self.start(reached[edits - 1], index, edits).x
          var y = x - (2 * index - edits)
          let start = x
          while x < a.count, y < b.count, old[a.lowerBound + x] == new[b.lowerBound + y] {
            (x, y) = (x + 1, y + 1)
          }
          work -= x - start
          row[index] = x
          if x >= a.count, y >= b.count { return path(reached, edits: edits, a, b) }
        }
        reached.append(row)
      }
      return nil
    }

    /// Returns the place after an edit, and whether the edit is an insertion.
    private static func start(_ before: [Int], _ index: Int, _ edits: Int) -> (x: Int, isInsertion: Bool) {
      let isInsertion = index == 0 || index < edits && before[index - 1] < before[index]
      return (isInsertion ? before[index] : before[index - 1] + 1, isInsertion)
    }

    /// Returns the edits that lead to the ends of both ranges.
    private func path(_ reached: [[Int]], edits: Int, _ a: Range<Int>, _ b: Range<Int>) -> [Change] {
      var path: [Change] = []
      var (x, y) = (a.count, b.count)
      for number in stride(from: edits, to: 0, by: -1) {
        let diagonal = x - y
        let start = Self.start(reached[number - 1], (diagonal + number) / 2, number)
        (x, y) = start.isInsertion ? (start.x, start.x - diagonal - 1) : (start.x - 1, start.x - diagonal)
        let (place, other) = (a.lowerBound + x, b.lowerBound + y)
        path.append(
          start.isInsertion
            ? Change(old: place..<place, new: other..<(other + 1))
            : Change(old: place..<(place + 1), new: other..<other))
      }
      return path.reversed()
    }

    // MARK: Common runs

    private struct Run {
      var old: Int
      var new: Int
      let length: Int
    }

    /// Returns runs that occur once in both ranges, as many as have the same order in both.
    private mutating func commonRuns(_ a: Range<Int>, _ b: Range<Int>) -> [Run] {
      for length in runLengths where work > 0 {
        work -= (a.count + b.count) * workOfRun
        let runs = uniqueRuns(a, b, length: length)
        if !runs.isEmpty { return longestIncrease(in: runs.map(\.old)).map { runs[$0] } }
      }
      return []
    }

    private func uniqueRuns(_ a: Range<Int>, _ b: Range<Int>, length: Int) -> [Run] {
      guard a.count >= length, b.count >= length else { return [] }
      /// Marks for places: no occurrence, and several occurrences.
      let (none, several) = (-1, -2)
      var places: [Int: (old: Int, new: Int)] = [:]
      places.reserveCapacity(a.count)
      for place in a.lowerBound...(a.upperBound - length) {
        let key = key(old, place, length)
        places[key] = (places[key] == nil ? place : several, none)
      }
      for place in b.lowerBound...(b.upperBound - length) {
        let key = key(new, place, length)
        guard let known = places[key] else { continue }
        places[key] = (known.old, known.new == none ? place : several)
      }
      let runs = places.values.filter { $0.old >= 0 && $0.new >= 0 }
        .map { Run(old: $0.old, new: $0.new, length: length) }
      return runs.filter { run in
        (0..<length).allSatisfy { old[run.old + $0] == new[run.new + $0] }
      }.sorted { $0.new < $1.new }
    }

    private func key(_ sequence: [Int], _ place: Int, _ length: Int) -> Int {
      var key = 0
      for offset in 0..<length { key = (key ^ sequence[place + offset]) &* 0x5851_F42D_4C95_7F2D }
      return key ^ key >> 29
    }
  }
}
