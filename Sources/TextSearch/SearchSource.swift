public import ManagedContext

/// An index definition: the entity, its attributes, and the index columns.
public struct SearchSource: Sendable {
  /// The indexed entity.
  public let entity: EntityIndex
  /// A reference attribute; a search can be restricted to rows with certain values.
  public let group: String
  /// The attribute with the row's date. Of equal hits, the later one comes first.
  public let date: String
  /// The attributes that make up the texts.
  public let attributes: [String]
  /// The index columns, each with the weight of a hit in it.
  public let columns: [(name: String, weight: Double)]
  /// The version of the texts. It must change with `texts`; an index with another version is replaced.
  public let version: Int
  /// Makes the texts from the attributes' values.
  public let texts: any SearchedTexts

  /// Describes an index whose columns are made from the attributes by `texts`.
  public init(
    entity: EntityIndex, group: String, date: String, attributes: [String],
    columns: [(name: String, weight: Double)], version: Int,
    texts: any SearchedTexts
  ) {
    (self.entity, self.group, self.date, self.attributes) = (entity, group, date, attributes)
    (self.columns, self.version, self.texts) = (columns, version, texts)
  }
}

extension SearchSource {
  /// Describes an index whose columns are attributes with plain text.
  public init(
    entity: EntityIndex, group: String, date: String, columns: [(name: String, weight: Double)], version: Int
  ) {
    self.init(
      entity: entity, group: group, date: date, attributes: columns.map(\.name), columns: columns,
      version: version, texts: PlainTexts(count: columns.count))
  }

  /// Each attribute's text as it is.
  private struct PlainTexts: SearchedTexts {
    let count: Int

    func append(_ row: borrowing some TextRow & ~Copyable, from first: Int, to texts: inout SearchTexts) {
      for column in first..<first + count {
        row.withText(column) { text in
          if let text { unsafe text.withUnsafeBufferPointer { unsafe texts.bytes.append(contentsOf: $0) } }
        }
        texts.endColumn()
      }
    }
  }
}

/// Makes the indexed texts from rows.
public protocol SearchedTexts: Sendable {
  /// Appends a text for each index column.
  ///
  /// - Parameters:
  ///   - row: A row of the entity.
  ///   - first: The place in the row where the values for ``SearchSource/attributes`` begin.
  ///   - texts: Receives the texts; ``SearchTexts/endColumn()`` follows each.
  func append(_ row: borrowing some TextRow & ~Copyable, from first: Int, to texts: inout SearchTexts)
}

/// A result row. Its texts are read in place.
public protocol TextRow: ~Copyable {
  /// Calls `body` with a text's UTF-8; nil if the value is not a text.
  func withText(_ column: Int, _ body: (Span<UInt8>?) -> Void)
}

extension SearchSource {
  /// Returns the keys of rows that a transaction has inserted, deleted or changed in the index.
  public func changedKeys(by changes: ContextChanges, _ model: ManagedObjectModel) -> Set<Int64> {
    let written = writtenAttributes(model)
    var keys: Set<Int64> = []
    for id in changes.inserted where id.entity == entity { keys.insert(id.key) }
    for (id, attributes) in changes.updated where id.entity == entity && !attributes.isDisjoint(with: written)
    {
      keys.insert(id.key)
    }
    for id in changes.deleted where id.entity == entity { keys.insert(id.key) }
    return keys
  }

  /// The attributes that affect the index.
  private func writtenAttributes(_ model: ManagedObjectModel) -> AttributeSet {
    let names = Set(attributes + [group, date])
    return model[entity].attributes.enumerated().reduce(into: []) { set, attribute in
      if names.contains(attribute.element.name) { set.formUnion(AttributeSet(index: attribute.offset)) }
    }
  }
}
