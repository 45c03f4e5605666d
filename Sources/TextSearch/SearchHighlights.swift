/// A row's search hits: the whole first column, and a snippet from another column around the hits.
package struct SearchHighlights: Sendable {
  package let title: SearchHighlight
  /// The snippet; nil if all hits are in the first column.
  package let snippet: SearchHighlight?

  package init(title: SearchHighlight, snippet: SearchHighlight?) {
    (self.title, self.snippet) = (title, snippet)
  }
}

/// A text's search hits.
package struct SearchHighlight: Sendable, Equatable {
  /// The text's parts in order, each with a flag for a hit.
  package let parts: [(text: String, isHit: Bool)]

  package static func == (one: Self, other: Self) -> Bool {
    one.parts.elementsEqual(other.parts) { $0 == $1 }
  }

  /// True if the text contains a hit.
  package var hasHit: Bool { parts.contains { $0.isHit } }

  /// Returns the text, with each hit replaced by the result of `mark`.
  package func text(_ mark: (String) -> String) -> String {
    parts.map { $0.isHit ? mark($0.text) : $0.text }.joined()
  }

  /// Parses a text in which the index has marked the hits.
  package init(marked: String) {
    var parts: [(String, Bool)] = []
    var isHit = false
    for part in marked.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == Self.begin || $0 == Self.end })
    {
      if !part.isEmpty { parts.append((String(part), isHit)) }
      isHit.toggle()
    }
    self.parts = parts
  }

  /// Finds the passage with the most hits in a text in which the index has marked them; nil without a hit.
  ///
  /// - Parameter words: The maximum word count in the passage.
  package init?(aroundHitsOf marked: String, words: Int) {
    guard let passage = HitPassage(marked, words: words) else { return nil }
    parts = passage.parts
  }

  /// Control characters around a hit; indexed texts do not contain them.
  static let begin: Character = "\u{1}"
  static let end: Character = "\u{2}"
}
