import TestSupport
import Testing
import TextSearch

/// The text around the hits of a search.
@Suite struct HitPassageTests {
  /// Returns the passage with its hits in brackets.
  private func passage(_ text: String, words: Int) -> String? {
    let marked = text.replacing("[", with: "\u{1}").replacing("]", with: "\u{2}")
    return SearchHighlight(aroundHitsOf: marked, words: words)?.text { "[\($0)]" }
  }

  @Test(arguments: [
    ("no hit at all", nil), ("[one] two three four", "[one] two three four"),
    ("a b c d e f g [h]", "…e f g [h]"), ("a b c d [e] f g h i", "…d [e] f g…"),
    // Different words count more than many.
    ("[x] [x] [x] a b c d [y] [x] e", "…d [y] [x] e"),
    // A sentence from its beginning.
    ("a b c d e f. G [h] i j k", "…G [h] i j…"), ("東京都の[知事]が話した", "…の[知事]が…"),
    ("[a long phrase with too many words] b", "[a long phrase with too many words]…"),
  ])
  func `it has the most different hits that fit`(text: String, expected: String?) {
    #expect(passage(text, words: 4) == expected)
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `no other passage has more different hits`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let words = (0..<60).map { _ in String("abcdefgh".randomElement(using: &generator) ?? "a") }
    let wanted = Set(["a", "b", "c", "d"].prefix(Int.random(in: 1...4, using: &generator)))
    let text = words.map { wanted.contains($0) ? "[\($0)]" : $0 }.joined(separator: " ")
    let count = Int.random(in: 1...12, using: &generator)
    let best = words.indices.map { Set(words[$0...].prefix(count)).intersection(wanted).count }.max()
    guard let found = passage(text, words: count) else { return #expect(best == 0) }
    let shown = found.filter { !"[]…".contains($0) }.split(separator: " ").map(String.init)
    #expect(shown.count <= count && Set(shown).intersection(wanted).count == best, "\(text): \(found)")
    #expect(words.joined(separator: " ").contains(shown.joined(separator: " ")))
  }

  @Test(.timeLimit(.minutes(1))) func `time does not grow with the square of the hits`() {
    let found = passage(String(repeating: "[hit] ", count: 200_000), words: 24)
    #expect(found?.split(separator: " ").count == 24)
  }
}
