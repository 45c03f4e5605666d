package import ManagedContext

/// The definition of an index: the entity, its attributes, and the columns of the index.
package struct SearchSource: Sendable {
  /// The entity of the indexed rows.
  package let entity: EntityIndex
  /// A reference attribute; a search can be restricted to the rows with certain values of it.
  package let group: String
  /// The attribute that contains the date of a row.
  package let date: String
  /// The attributes that the texts are made of.
  package let attributes: [String]
  /// The columns of the index, each with the weight of a hit in it.
  package let columns: [(name: String, weight: Double)]
  /// The version of the texts. It must change whenever `texts` changes; an index of another version is replaced.
  package let version: Int
  package let texts: any SearchedTexts

  package init(
    entity: EntityIndex, group: String, date: String, attributes: [String],
    columns: [(name: String, weight: Double)], version: Int,
    texts: any SearchedTexts
  ) {
    (self.entity, self.group, self.date, self.attributes) = (entity, group, date, attributes)
    (self.columns, self.version, self.texts) = (columns, version, texts)
  }
}

/// The texts that are made of rows.
package protocol SearchedTexts: Sendable {
  /// Appends a text for each column of the index.
  ///
  /// - Parameter first: The index of the first of the values of ``SearchSource/attributes`` in the row.
  func append(_ row: borrowing some TextRow & ~Copyable, from first: Int, to texts: inout SearchTexts)
}

/// A row of a query, whose texts are read in place.
package protocol TextRow: ~Copyable {
  /// Calls `body` with the UTF-8 of a text; nil if the value is not a text.
  func withText(_ column: Int, _ body: (Span<UInt8>?) -> Void)
}

extension SearchSource {
  /// Returns the keys of the rows that a transaction has inserted or deleted, or whose entry in the index it has changed.
  package func changedKeys(by changes: ContextChanges, _ model: ManagedObjectModel) -> Set<Int64> {
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
