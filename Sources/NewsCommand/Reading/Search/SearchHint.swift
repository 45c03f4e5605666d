import ManagedContext
import NewsModel
import TextOutput
import TextSearch

/// Says what would find more than a search that has found nothing.
@MainActor
struct SearchHint {
  let library: SearchLibrary
  let expression: SearchExpression
  /// The words as the user wrote them.
  let query: [String]
  /// The options that leave articles out, such as `--since`.
  let options: [String]

  /// The most index words that are compared with a word in the search.
  private static let mostCompared = 50_000
  /// The most words that are tried.
  private static let mostTried = 8

  /// The region that a search word names.
  func region() throws -> String? {
    guard query.count > 1 else { return nil }
    return try library.stack.reading {
      for word in query.prefix(Self.mostTried) {
        let name = word.first == "@" ? String(word.dropFirst()) : word
        for spelling in [name, name.lowercased()] {
          if let region = try library.stack.source.region(named: spelling) { return region.name }
        }
      }
      return nil
    }
  }

  /// A way to find more, in a sentence.
  func text() throws -> String {
    if !options.isEmpty, try library.hasArticle(with: expression) {
      return "Others have these words: leave out \(options.joined(separator: ", "))"
    }
    if let beginning = query.lazy.flatMap({ $0.split(separator: " ") }).compactMap(beginningBeforeStar).first
    {
      return "A * counts only at the start or end of a word: try \(printable(beginning))*"
    }
    let words = Array(expression.wantedWords.prefix(Self.mostTried))
    for word in words where try !library.hasArticle(with: .word(word)) {
      let others = try suggestions(for: word)
      // The user's own spelling, not the index's.
      let written = query.first { SearchText.folded($0) == word } ?? word
      let found = "No article has \(printable(written))"
      return others.isEmpty
        ? found + ": try other words"
        : found + "; try \(others.map { printable($0) }.joined(separator: " or "))"
    }
    return words.count > 1
      ? "Each word is in some article, but none has all of them: try fewer, or OR between them"
      : "Try other words, or the beginning of one with a * after it"
  }

  /// Returns the letters before a star inside a word; nil for a word without one.
  private func beginningBeforeStar(_ word: Substring) -> Substring? {
    let letters = word[(word.lastIndex(of: ":").map(word.index(after:)) ?? word.startIndex)...].drop {
      $0 == "*"
    }
    let beginning = letters.prefix { $0 != "*" }
    return letters.dropFirst(beginning.count).contains { $0 != "*" } ? beginning : nil
  }

  /// Returns suggestions instead of a word: longer words that contain it, and the word with the closest
  /// spelling.
  private func suggestions(for word: String) throws -> [String] {
    var found: [String] = []
    if try !library.words(.beginning(word), limit: 1).isEmpty {
      found.append(word + "*")
    } else if word.count >= 3, try !library.words(.containing(word), limit: 1).isEmpty {
      found.append("*\(word)*")
    }
    let known = try library.words(.beginning(String(word.prefix(2))), limit: Self.mostCompared)
    let near = known.filter { abs($0.utf8.count - word.utf8.count) <= 3 && $0 != word }
    if let other = nearestWord(to: word, among: near), try library.hasArticle(with: .word(other)) {
      found.append(other)
    }
    return found
  }
}
