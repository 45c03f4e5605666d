/// A row's texts for a search index, in UTF-8: one for each index column.
public struct SearchTexts: Sendable {
  /// All columns' texts, one after the other. The current column's text is at the end.
  public var bytes: [UInt8] = []
  /// The end of each column's text in ``bytes``.
  public private(set) var ends: [Int] = []

  /// Creates a row without columns.
  public init() {}

  /// Ends a column's text, which has been appended to ``bytes``.
  public mutating func endColumn() {
    ends.append(bytes.count)
  }

  /// Removes all columns, and keeps their memory.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  /// Returns the place of a column's text in ``bytes``.
  public func range(of column: Int) -> Range<Int> {
    (column == 0 ? 0 : ends[column - 1])..<ends[column]
  }

  /// Each column's text.
  public var strings: [String] {
    ends.indices.map { String(decoding: bytes[range(of: $0)], as: UTF8.self) }
  }
}

/// A row's folded texts for a search index; see ``FoldedText``.
public struct IndexedTexts: Sendable {
  private var text = FoldedText()
  private var ends: [Int] = []

  /// Creates a row without columns.
  public init() {}

  /// All columns' texts.
  public var bytes: [UInt8] { text.bytes }

  /// The count of columns.
  public var columns: Int { ends.count }

  /// Returns the place of a column's text.
  public func range(of column: Int) -> Range<Int> {
    (column == 0 ? 0 : ends[column - 1])..<ends[column]
  }

  /// Takes the texts of another row.
  public mutating func replace(by texts: SearchTexts) {
    text.removeAll()
    ends.removeAll(keepingCapacity: true)
    for column in texts.ends.indices {
      let whole = texts.bytes.span.extracting(texts.range(of: column))
      text.append(whole.extracting(..<SearchText.indexedCount(of: whole)))
      ends.append(text.bytes.count)
    }
  }
}
