internal import GRDB
package import ManagedContext

extension SearchIndex {
  /// The hits of a search in a row: the whole first column, and a snippet of another column around the hits.
  package struct Highlights: Sendable {
    package let title: SearchHighlight
    /// The snippet; nil if all hits are in the first column.
    package let snippet: SearchHighlight?
  }

  private static let wordsOfSnippet = 24

  /// Finds the words of a search in texts that ``SearchSource/texts`` produced.
  ///
  /// The index does not contain the texts. A temporary index of these few texts, in memory, finds the hits by exactly
  /// the same rules.
  package static func highlights(
    of expression: SearchExpression, in texts: [[String]], columns: [String]
  ) throws(StoreError) -> [Highlights?] {
    try StoreFile.describingErrors(path: "the snippets") { () throws(any Error) in
      let database = try DatabaseQueue()
      return try database.writeWithoutTransaction { db in
        try db.execute(
          sql:
            "CREATE VIRTUAL TABLE words USING fts5(\(columns.joined(separator: ", ")), tokenize='\(tokenizer)')"
        )
        let places = columns.map { _ in ", ?" }.joined()
        let add = try db.makeStatement(
          sql: "INSERT INTO words (rowid, \(columns.joined(separator: ", "))) VALUES (?\(places))")
        for (place, texts) in texts.enumerated() {
          try add.execute(
            arguments: StatementArguments(
              [place as any DatabaseValueConvertible]
                + texts.map { SearchText.collapsed(SearchText.indexed($0)) }))
        }
        var found = [Highlights?](repeating: nil, count: texts.count)
        let marks = "char(1), char(2)"
        let rows = try Row.fetchCursor(
          db,
          sql: """
            SELECT rowid, highlight(words, 0, \(marks)), snippet(words, 1, \(marks), '…', \(wordsOfSnippet)),
              snippet(words, -1, \(marks), '…', \(wordsOfSnippet)) FROM words WHERE words MATCH ?
            """, arguments: [expression.text])
        while let row = try rows.next() {
          let (place, title, text, any): (Int, String?, String?, String?) = (row[0], row[1], row[2], row[3])
          let head = SearchHighlight(marked: title ?? "")
          let body = SearchHighlight(marked: text ?? "")
          let rest = SearchHighlight(marked: any ?? "")
          let snippet = body.hasHit ? body : head.hasHit || !rest.hasHit ? nil : rest
          if found.indices.contains(place) { found[place] = Highlights(title: head, snippet: snippet) }
        }
        return found
      }
    }
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
