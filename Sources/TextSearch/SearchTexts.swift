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

  /// Replaces the texts by those of a row, in the form in which the index has them.
  package mutating func replace(byIndexed texts: SearchTexts) {
    removeAll()
    for column in texts.ends.indices {
      SearchText.append(indexed: texts.bytes.span.extracting(texts.range(of: column)), to: &bytes)
      endColumn()
    }
  }
}

extension SearchTexts {
  /// The texts of the columns.
  package var strings: [String] {
    ends.indices.map { String(decoding: bytes[range(of: $0)], as: UTF8.self) }
  }
}
