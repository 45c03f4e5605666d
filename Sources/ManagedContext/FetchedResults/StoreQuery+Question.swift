extension StoreQuery {
  /// The question as text, in full: equal for equal questions alone, in every run of a program. All IDs
  /// in it are of one store.
  func question(_ model: ManagedObjectModel) -> String {
    let order = sort.map { "\($0.attribute.map(String.init) ?? "key")\($0.isAscending ? "+" : "-")" }
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
    case .match(let attribute, let match, let text): "(\(attribute) \(match) \(text.utf8Question))"
    case .among(let attribute, let values):
      "(\(attribute) among [\(values.map(\.question).joined(separator: ","))])"
    case .amongRows(let attribute, let query):
      "(\(attribute.map(String.init) ?? "row") among \(query.question(model)))"
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
    case .text(let text): text.utf8Question
    case .bytes(let bytes): "\(bytes)"
    case .reference(let id): "\(id.entity)/\(id.key)"
    }
  }
}

extension String {
  /// The text with its length before it: what follows is not mistaken for a part of it.
  fileprivate var utf8Question: String { "\(utf8.count):\(self)" }
}
