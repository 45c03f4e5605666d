/// The passage with the most hits in a text, found in linear time.
struct HitPassage {
  private(set) var parts: [(text: String, isHit: Bool)] = []

  private var bytes: [UInt8] = []
  private var hits: [Range<Int>] = []
  private var words: [Range<Int>] = []

  /// The maximum byte count before the first hit and after the last one: a word may be very long.
  private static let mostAround = 1000

  /// - Parameters:
  ///   - marked: A text with marks around its hits.
  ///   - count: The maximum word count in the passage.
  init?(_ marked: String, words count: Int) {
    readHits(of: marked)
    guard !hits.isEmpty else { return nil }
    var folded = FoldedText(keepsPlaces: true)
    folded.append(bytes.span)
    var names: [Range<Int>] = []
    folded.bytes.span.forEachFoldedWord { word, _ in
      names.append(word)
      words.append(folded.place(of: word))
    }
    let places = wordsOfHits()
    guard !places.isEmpty else { return nil }
    let found = Self.densest(places, within: count) { folded.bytes[names[$0]] }
    let (first, last) = (places[found.lowerBound].lowerBound, places[found.upperBound].upperBound - 1)
    cut(
      from: start(first, last, count), count,
      around: hits[found.lowerBound].lowerBound..<hits[found.upperBound].upperBound)
  }

  private mutating func readHits(of marked: String) {
    var begin = 0
    for byte in marked.utf8 {
      switch byte {
      case 1: begin = bytes.count
      case 2: hits.append(begin..<bytes.count)
      default: bytes.append(byte)
      }
    }
  }

  /// Returns the words in each hit; a hit without a word is left out.
  private mutating func wordsOfHits() -> [Range<Int>] {
    var (found, kept, word) = ([Range<Int>](), [Range<Int>](), 0)
    for hit in hits {
      while word < words.count, words[word].upperBound <= hit.lowerBound { word += 1 }
      let first = word
      while word < words.count, words[word].lowerBound < hit.upperBound { word += 1 }
      guard word > first else { continue }
      found.append(first..<word)
      kept.append(hit)
    }
    hits = kept
    return found
  }

  /// Returns the first range of hits with the best score within a word limit: different words count more than
  /// many.
  ///
  /// - Parameter name: Returns a word in the form in which it is compared.
  private static func densest(
    _ places: [Range<Int>], within count: Int, _ name: (Int) -> ArraySlice<UInt8>
  ) -> ClosedRange<Int> {
    var (best, bestScore) = (0...0, 0)
    var names: [ArraySlice<UInt8>: Int] = [:]
    var end = 0
    for start in places.indices {
      while end < places.count, end <= start || places[end].upperBound <= places[start].lowerBound + count {
        names[name(places[end].lowerBound), default: 0] += 1
        end += 1
      }
      let score = names.count * 1000 + end - start
      if score > bestScore { (best, bestScore) = (start...end - 1, score) }
      let first = name(places[start].lowerBound)
      names[first] = names[first].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
    return best
  }

  /// Returns the passage's first word: the beginning of a sentence, if it fits, or else with hits in the
  /// middle.
  private func start(_ first: Int, _ last: Int, _ count: Int) -> Int {
    let least = max(0, last - count + 1)
    if least == 0 { return 0 }
    if least <= first, let sentence = (least...first).last(where: beginsSentence) { return sentence }
    let middle = max(0, first - max(0, count - (last - first + 1)) / 2)
    return max(0, min(middle, words.count - count))
  }

  private func beginsSentence(_ word: Int) -> Bool {
    guard word > 0 else { return true }
    return bytes[words[word - 1].upperBound..<words[word].lowerBound].contains { ".:!?".utf8.contains($0) }
  }

  private mutating func cut(from start: Int, _ count: Int, around hits: Range<Int>) {
    let end = min(words.count, start + count)
    var lower = max(start == 0 ? 0 : words[start].lowerBound, hits.lowerBound - Self.mostAround)
    var upper = min(
      end == words.count ? bytes.count : words[end - 1].upperBound, hits.upperBound + Self.mostAround)
    while lower > 0, bytes[lower] & 0xC0 == 0x80 { lower -= 1 }
    while upper < bytes.count, bytes[upper] & 0xC0 == 0x80 { upper += 1 }
    var place = lower
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    if lower > 0 { parts.append(("…", false)) }
    for hit in self.hits where hit.lowerBound >= lower && hit.lowerBound < upper {
      if hit.lowerBound > place { parts.append((text(place..<hit.lowerBound), false)) }
      parts.append((text(hit), true))
      place = hit.upperBound
    }
    if place < upper { parts.append((text(place..<upper), false)) }
    if max(place, upper) < bytes.count { parts.append(("…", false)) }
  }
}
