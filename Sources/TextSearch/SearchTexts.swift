/// A row's texts for a search index, in UTF-8: one for each index column.
package struct SearchTexts {
  /// All columns' texts, one after the other. The current column's text is at the end.
  package var bytes: [UInt8] = []
  package private(set) var ends: [Int] = []

  package init() {}

  /// Ends a column's text, which has been appended to ``bytes``.
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

  package var strings: [String] {
    ends.indices.map { String(decoding: bytes[range(of: $0)], as: UTF8.self) }
  }
}

/// A row's folded texts for a search index; see ``FoldedText``.
package struct IndexedTexts {
  private var text = FoldedText()
  private var ends: [Int] = []

  package init() {}

  /// All columns' texts.
  package var bytes: [UInt8] { text.bytes }

  package var columns: Int { ends.count }

  /// Returns the place of a column's text.
  package func range(of column: Int) -> Range<Int> {
    (column == 0 ? 0 : ends[column - 1])..<ends[column]
  }

  package mutating func replace(by texts: SearchTexts) {
    text.removeAll()
    ends.removeAll(keepingCapacity: true)
    for column in texts.ends.indices {
      let whole = texts.bytes.span.extracting(texts.range(of: column))
      text.append(whole.extracting(..<SearchText.indexedCount(of: whole)))
      ends.append(text.bytes.count)
    }
  }
}
