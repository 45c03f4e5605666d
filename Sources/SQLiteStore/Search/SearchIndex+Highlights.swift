internal import GRDB
package import ManagedContext
package import TextSearch

extension SearchIndex {
  private static let wordsOfSnippet = 24

  /// Finds the words of a search in texts that ``SearchSource/texts`` produced.
  ///
  /// The index does not contain the texts. A temporary index of these few texts, in memory, finds the hits by exactly
  /// the same rules.
  package static func highlights(
    of expression: SearchExpression, in texts: [[String]], columns: [String]
  ) throws(StoreError) -> [SearchHighlights?] {
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
        var found = [SearchHighlights?](repeating: nil, count: texts.count)
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
          if found.indices.contains(place) { found[place] = SearchHighlights(title: head, snippet: snippet) }
        }
        return found
      }
    }
  }
}
