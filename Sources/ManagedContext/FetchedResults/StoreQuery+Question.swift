extension StoreQuery {
  /// Returns the complete query as text: equal only for equal queries, and the same in every run of a
  /// program.
  ///
  /// All IDs in the query must belong to one store.
  func question(_ model: ManagedObjectModel) -> String {
    let order = sort.map { criterion in
      if let counted = criterion.counted {
        return "count \(counted.question(model))" + (criterion.isAscending ? "+" : "-")
      }
      let path = [criterion.through, criterion.attribute].compactMap { $0.map(String.init) }
      return (path.isEmpty ? "key" : path.joined(separator: ".")) + (criterion.isAscending ? "+" : "-")
    }
    let parts = [
      model[entity].name.debugDescription, predicate?.question(model) ?? "all",
      order.joined(separator: ","), "\(offset)", limit.map(String.init) ?? "all",
      columns.map { "\($0)" } ?? "all",
    ]
    return "{\(parts.joined(separator: " "))}"
  }
}

extension StorePredicate {
  fileprivate func question(_ model: ManagedObjectModel) -> String {
    switch self {
    case .compare(let attribute, let comparison, let value):
      "(\(attribute) \(comparison) \(value.question))"
    case .match(let attribute, let match, let text, let options):
      "(\(attribute) \(match) \(options.rawValue) \(text.utf8Question))"
    case .among(let attribute, let values):
      "(\(attribute) among [\(values.map(\.question).joined(separator: ","))])"
    case .amongRows(let attribute, let query):
      "(\(attribute.map(String.init) ?? "row") among \(query.question(model)))"
    case .count(let query, let comparison, let number):
      "(count \(query.question(model)) \(comparison) \(number))"
    case .ids(let ids):
      "(ids [\(ids.map { AttributeValue.reference($0).question }.joined(separator: ","))])"
    case .all(let parts): "(all \(parts.map { $0.question(model) }.joined()))"
    case .any(let parts): "(any \(parts.map { $0.question(model) }.joined()))"
    case .not(let part): "(not \(part.question(model)))"
    }
  }
}

extension AttributeValue {
  fileprivate var question: String {
    switch self {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .real(let number): "real \(number.bitPattern)"
    case .date(let seconds): "date \(seconds.bitPattern)"
    case .text(let text): text.utf8Question
    case .bytes(let bytes): "\(bytes)"
    case .reference(let id): "\(id.entity)/\(id.key)"
    }
  }
}

extension String {
  /// The text, preceded by its length in UTF-8 bytes, so that its end is unambiguous.
  fileprivate var utf8Question: String { "\(utf8.count):\(self)" }
}
