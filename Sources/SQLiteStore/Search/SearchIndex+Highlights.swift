internal import GRDB
internal import GRDBSQLite
public import ManagedContext
public import TextSearch

extension SearchIndex {
  private static let wordsOfSnippet = 24

  /// Finds a search's words in texts that `SearchSource.texts` produced.
  ///
  /// The index does not contain the texts. A temporary index in memory finds the hits by the same rules.
  public static func highlights(
    of expression: SearchExpression, in texts: [[String]], columns: [String]
  ) throws(StoreError) -> [SearchHighlights?] {
    let expression = expression.replacingParts { words($0, in: texts) }
    return try StoreFile.describingErrors(path: "the snippets") { () throws(any Error) in
      let database = try DatabaseQueue()
      return try database.writeWithoutTransaction { db in
        db.add(tokenizer: FoldingTokenizer.self)
        let tokenizer = FoldingTokenizer.tokenizerDescriptor().components.joined(separator: " ")
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
                + texts.map { SearchText.collapsed($0) }))
        }
        var found = [SearchHighlights?](repeating: nil, count: texts.count)
        let marks = "char(1), char(2)"
        // The time that FTS5's snippet() takes grows with the square of the hits.
        let marked = columns.indices.map { "highlight(words, \($0), \(marks))" }.joined(separator: ", ")
        let rows = try Row.fetchCursor(
          db, sql: "SELECT rowid, \(marked) FROM words WHERE words MATCH ?", arguments: [expression.text])
        while let row = try rows.next() {
          let place: Int = row[0]
          let head = SearchHighlight(marked: row[1] as String? ?? "")
          // Hits in the text come first. Other columns are shown if the title also lacks hits.
          var snippet: SearchHighlight?
          for column in columns.indices.dropFirst() where snippet == nil && (column == 1 || !head.hasHit) {
            snippet = SearchHighlight(aroundHitsOf: row[1 + column] as String? ?? "", words: wordsOfSnippet)
          }
          if found.indices.contains(place) { found[place] = SearchHighlights(title: head, snippet: snippet) }
        }
        return found
      }
    }
  }

  /// Returns the words in texts that a pattern matches.
  private static func words(_ pattern: WordPattern, in texts: [[String]]) -> [String] {
    var found: Set<String> = []
    for text in texts.joined() {
      var list = WordList()
      list.append(wordsOf: Array(text.utf8).span)
      for word in 0..<list.count where pattern.matches(list.bytes[list.range(of: word)]) {
        found.insert(String(decoding: list.bytes[list.range(of: word)], as: UTF8.self))
      }
    }
    return found.sorted()
  }
}

/// Splits displayed texts into words as the index does; see ``FoldedText``.
private final class FoldingTokenizer: FTS5CustomTokenizer {
  static let name = "folding"

  init(db: Database, arguments: [String]) {}

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?,
    nText: CInt,
    tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    guard let text = unsafe pText else { return SQLITE_OK }
    return unsafe text.withMemoryRebound(to: UInt8.self, capacity: Int(nText)) { bytes in
      let text = unsafe Span(_unsafeStart: bytes, count: Int(nText))
      var folded = FoldedText(keepsPlaces: true)
      folded.append(text)
      var code = SQLITE_OK
      folded.bytes.span.forEachFoldedWord { word, _ in
        guard code == SQLITE_OK else { return }
        let place = folded.place(of: word)
        code = unsafe folded.bytes[word].withUnsafeBytes { word in
          unsafe tokenCallback(
            context, 0, word.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(word.count),
            CInt(place.lowerBound), CInt(place.upperBound))
        }
      }
      return code
    }
  }
}
