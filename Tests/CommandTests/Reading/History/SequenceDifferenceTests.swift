import TestSupport
import Testing

@testable import ArticleDocuments
@testable import NewsCommand

@Suite struct SequenceDifferenceTests {
  private func changes(_ old: [Int], _ new: [Int]) -> [SequenceDifference.Change] {
    SequenceDifference.changes(from: old, to: new)
  }

  /// Applies changes to the old sequence, and checks that what is between them is the same.
  private func applied(_ changes: [SequenceDifference.Change], _ old: [Int], _ new: [Int]) -> [Int]? {
    var result: [Int] = []
    var place = 0
    for change in changes {
      guard change.old.lowerBound >= place, !change.old.isEmpty || !change.new.isEmpty else { return nil }
      result += old[place..<change.old.lowerBound]
      guard result.count == change.new.lowerBound else { return nil }
      result += new[change.new]
      place = change.old.upperBound
    }
    return result + old[place...]
  }

  @Test func `the change of a short sequence is the shortest`() {
    #expect(
      changes([1, 2, 3, 4, 5], [1, 9, 3, 5]) == [
        .init(old: 1..<2, new: 1..<2), .init(old: 3..<4, new: 3..<3),
      ])
    #expect(changes([1, 2], [1, 2]).isEmpty && changes([], []).isEmpty)
    #expect(changes([], [7, 8]) == [.init(old: 0..<0, new: 0..<2)])
    #expect(changes([7, 8], []) == [.init(old: 0..<2, new: 0..<0)])
  }

  @Test(arguments: 0..<60) func `the changes make the new sequence of the old one`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let words = [3, 20, 100_000][seed % 3]
    let length = [12, 700, 3000][seed / 3 % 3]
    let old = (0..<Int.random(in: 0...length, using: &random)).map { _ in
      Int.random(in: 0..<words, using: &random)
    }
    var new = old
    for _ in 0..<Int.random(in: 0...[4, 500][seed / 9 % 2], using: &random) {
      let place = Int.random(in: 0...new.count, using: &random)
      if Bool.random(using: &random), place < new.count {
        new.removeSubrange(place..<min(new.count, place + Int.random(in: 1...5, using: &random)))
      } else {
        new.insert(Int.random(in: 0..<words, using: &random), at: place)
      }
    }
    #expect(applied(changes(old, new), old, new) == new)
  }

  @Test func `a long sequence with a changed half keeps the other half`() {
    let old = Array(0..<6000)
    let new = old.map { $0 % 3 == 0 && $0 < 3000 ? -$0 - 1 : $0 }
    let found = changes(old, new)
    #expect(applied(found, old, new) == new)
    #expect(found.reduce(0) { $0 + $1.old.count } <= 3000)
  }

  @Test func `sequences with nothing in common are one change, however long they are`() {
    let old = Array(0..<100_000)
    let new = Array(200_000..<300_000)
    #expect(changes(old, new) == [.init(old: 0..<100_000, new: 0..<100_000)])
  }

  @Test func `the work is limited for long sequences that share every second element`() {
    var random = SeededGenerator(seed: 1)
    let words = (0..<60_000).map { _ in Int.random(in: 1...5000, using: &random) }
    let old = words.flatMap { [$0, 0] }
    let new = words.shuffled(using: &random).flatMap { [$0, 0] }
    let clock = ContinuousClock()
    var found: [SequenceDifference.Change] = []
    let time = clock.measure { found = changes(old, new) }
    #expect(applied(found, old, new) == new)
    // Without the limit, it is minutes in a debug build.
    #expect(time < .seconds(60))
  }
}
