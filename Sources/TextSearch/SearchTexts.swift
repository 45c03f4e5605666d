/// The texts of a row for a search index: one for each column of the index, in UTF-8.
package struct SearchTexts {
  /// The texts of all columns, one after the other. The end of it is the text of the current column.
  package var bytes: [UInt8] = []
  package private(set) var ends: [Int] = []

  package init() {}

  /// Ends the text of a column, which has been appended to ``bytes``.
  package mutating func endColumn() {
    ends.append(bytes.count)
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  package func range(of column: Int) -> Range<Int> {
    (column == 0 ? 0 : ends[column - 1])..<ends[column]
  }

  /// The texts of the columns.
  package var strings: [String] {
    ends.indices.map { String(decoding: bytes[range(of: $0)], as: UTF8.self) }
  }
}

/// The words of a row for a search index, with a space after each of them; see ``FoldedWords``.
package struct IndexedWords {
  private var words = FoldedWords()
  private var ends: [Int] = []

  package init() {}

  /// The words of all columns.
  package var bytes: [UInt8] { words.bytes }

  /// The number of columns.
  package var columns: Int { ends.count }

  /// The place of the words of a column.
  package func range(of column: Int) -> Range<Int> {
    (column == 0 ? 0 : ends[column - 1])..<ends[column]
  }

  /// Replaces the words by those of other texts.
  ///
  /// - Parameter visit: Called with each word.
  package mutating func replace(byWordsOf texts: SearchTexts, _ visit: (ArraySlice<UInt8>) -> Void) {
    words.removeAll()
    ends.removeAll(keepingCapacity: true)
    for column in texts.ends.indices {
      let text = texts.bytes.span.extracting(texts.range(of: column))
      let indexed = text.extracting(..<SearchText.indexedCount(of: text))
      words.restart()
      while words.next(in: indexed) {
        visit(words.word)
        words.append(UInt8(ascii: " "))
      }
      ends.append(words.bytes.count)
    }
  }
}
