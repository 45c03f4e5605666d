/// A row's search hits: the whole first column, and a snippet from another column around the hits.
public struct SearchHighlights: Sendable {
  /// The whole text of the first column.
  public let title: SearchHighlight
  /// The snippet; nil if all hits are in the first column.
  public let snippet: SearchHighlight?

  /// Creates a value.
  public init(title: SearchHighlight, snippet: SearchHighlight?) {
    (self.title, self.snippet) = (title, snippet)
  }
}

/// A text's search hits.
public struct SearchHighlight: Sendable, Equatable {
  /// The text's parts in order, each with a flag for a hit.
  public let parts: [(text: String, isHit: Bool)]

  /// Returns whether two texts have the same parts.
  public static func == (one: Self, other: Self) -> Bool {
    one.parts.elementsEqual(other.parts) { $0 == $1 }
  }

  /// True if the text contains a hit.
  public var hasHit: Bool { parts.contains { $0.isHit } }

  /// Returns the text, with each hit replaced by the result of `mark`.
  public func text(_ mark: (String) -> String) -> String {
    parts.map { $0.isHit ? mark($0.text) : $0.text }.joined()
  }

  /// Parses a text in which the index has marked the hits.
  public init(marked: String) {
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
  /// - Parameters:
  ///   - marked: The text, with control characters around its hits.
  ///   - words: The maximum word count in the passage.
  public init?(aroundHitsOf marked: String, words: Int) {
    guard let passage = HitPassage(marked, words: words) else { return nil }
    parts = passage.parts
  }

  /// Control characters around a hit; indexed texts do not contain them.
  static let begin: Character = "\u{1}"
  static let end: Character = "\u{2}"
}
