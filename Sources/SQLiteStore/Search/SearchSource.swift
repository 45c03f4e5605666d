package import ManagedContext

/// The definition of an index: the entity, its attributes, and the columns of the index.
package struct SearchSource: Sendable {
  /// The entity of the indexed rows.
  package let entity: EntityIndex
  /// A reference attribute; a search can be restricted to the rows with certain values of it.
  package let group: String
  /// The attribute that contains the date of a row.
  package let date: String
  /// The attributes that the texts are made of.
  package let attributes: [String]
  /// The columns of the index, each with the weight of a hit in it.
  package let columns: [(name: String, weight: Double)]
  /// The version of the texts. It must change whenever `texts` changes; an index of another version is replaced.
  package let version: Int
  /// Returns a text for each column, from the values of ``attributes``.
  package let texts: @Sendable ([String?]) -> [String]

  package init(
    entity: EntityIndex, group: String, date: String, attributes: [String],
    columns: [(name: String, weight: Double)], version: Int,
    texts: @escaping @Sendable ([String?]) -> [String]
  ) {
    (self.entity, self.group, self.date, self.attributes) = (entity, group, date, attributes)
    (self.columns, self.version, self.texts) = (columns, version, texts)
  }
}

/// A request to a search index.
package struct SearchRequest: Sendable {
  package var expression: SearchExpression
  /// The keys of the groups to search; nil for all.
  package var groups: [Int64]?
  /// The earliest date, in seconds since 1970; nil for no limit.
  package var since: Double?
  package var until: Double?
  package var limit: Int
  /// The maximum number of matches that are ranked, most recently indexed first. It bounds the cost of a word that
  /// occurs in most rows.
  package var candidates = 10_000

  package init(_ expression: SearchExpression, limit: Int) {
    (self.expression, self.limit) = (expression, limit)
  }
}

/// The hits of a search in a text.
package struct SearchHighlight: Sendable, Equatable {
  /// The parts of the text in order, each with a flag for a hit.
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
  init(marked: String) {
    var parts: [(String, Bool)] = []
    var isHit = false
    for part in marked.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == Self.begin || $0 == Self.end })
    {
      if !part.isEmpty { parts.append((SearchText.joined(String(part)), isHit)) }
      isHit.toggle()
    }
    self.parts = parts
  }

  /// Control characters around a hit; indexed texts do not contain them.
  static let begin: Character = "\u{1}"
  static let end: Character = "\u{2}"
}
