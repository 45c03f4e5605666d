package import ManagedContext

/// What an index has of the rows of an entity.
package struct SearchSource: Sendable {
  /// The entity whose rows are found.
  package let entity: EntityIndex
  /// The attribute by whose value rows can be told apart in a search, a reference.
  package let group: String
  /// The attribute with the date of a row.
  package let date: String
  /// The attributes that texts are made of.
  package let attributes: [String]
  /// The columns of the index, each with the weight of a hit in it.
  package let columns: [(name: String, weight: Double)]
  /// Changes whenever texts are made otherwise: an index of another version is thrown away.
  package let version: Int
  /// Makes a text for each column of the values of ``attributes``.
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

/// What is asked of an index.
package struct SearchRequest: Sendable {
  package var expression: SearchExpression
  /// The keys of the groups to search; nil for all.
  package var groups: [Int64]?
  /// Seconds since 1970; nil for any.
  package var since: Double?
  package var until: Double?
  package var limit: Int
  /// As many of the matches that were indexed last are ranked, so that a word of most rows costs no more.
  package var candidates = 10_000

  package init(_ expression: SearchExpression, limit: Int) {
    (self.expression, self.limit) = (expression, limit)
  }
}

/// Where the words of a search are in a text.
package struct SearchHighlight: Sendable, Equatable {
  /// The parts of a text in turn, each with whether it is a hit.
  package let parts: [(text: String, isHit: Bool)]

  package static func == (one: Self, other: Self) -> Bool {
    one.parts.elementsEqual(other.parts) { $0 == $1 }
  }

  /// Whether there is a hit.
  package var hasHit: Bool { parts.contains { $0.isHit } }

  /// The text with each hit as `mark` returns it.
  package func text(_ mark: (String) -> String) -> String {
    parts.map { $0.isHit ? mark($0.text) : $0.text }.joined()
  }

  /// Reads what the index marked.
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

  /// Controls, which texts in the index do not have.
  static let begin: Character = "\u{1}"
  static let end: Character = "\u{2}"
}
