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

/// The folded texts of a row for a search index; see ``FoldedText``.
package struct IndexedTexts {
  private var text = FoldedText()
  private var ends: [Int] = []

  package init() {}

  /// The texts of all columns.
  package var bytes: [UInt8] { text.bytes }

  /// The number of columns.
  package var columns: Int { ends.count }

  /// The place of the text of a column.
  package func range(of column: Int) -> Range<Int> {
    (column == 0 ? 0 : ends[column - 1])..<ends[column]
  }

  /// Replaces the texts.
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
