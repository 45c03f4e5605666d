internal import ManagedContext
internal import SQLStatements

// The server cannot fold a text as `TextOptions` does. For texts in ASCII it gives the same answers. The others are
// read, each once, and the condition then names the texts that match.

extension StorePredicate {
  /// True if a text condition ignores differences.
  var hasFoldedText: Bool {
    switch self {
    case .match(_, _, _, let options): !options.isEmpty
    case .compare, .among, .ids: false
    case .amongRows(_, let query), .count(let query, _, _): query.predicate?.hasFoldedText ?? false
    case .all(let parts), .any(let parts): parts.contains { $0.hasFoldedText }
    case .not(let part): part.hasFoldedText
    }
  }

  /// Returns the predicate for an entity's rows with the texts that match each folded condition.
  ///
  /// - Parameter texts: Returns a column's texts that are not in ASCII.
  func namingFoldedText(
    _ entity: EntityIndex, _ texts: (EntityIndex, _ attribute: Int) throws(StoreError) -> [String]
  ) throws(StoreError) -> StorePredicate {
    guard hasFoldedText else { return self }
    switch self {
    case .match(let attribute, let match, let text, let options):
      let search = TextMatch(match, text, options)
      let found = try texts(entity, attribute).filter { search.matches($0) }
      return .any([self, .among(attribute, found.map { .text($0) })])
    case .compare, .among, .ids: return self
    case .amongRows(let attribute, let query):
      return .amongRows(attribute, of: try query.namingFoldedText(texts))
    case .count(let query, let comparison, let number):
      return .count(of: try query.namingFoldedText(texts), comparison, number)
    case .all(let parts):
      return .all(
        try parts.map { (part) throws(StoreError) in try part.namingFoldedText(entity, texts) })
    case .any(let parts):
      return .any(
        try parts.map { (part) throws(StoreError) in try part.namingFoldedText(entity, texts) })
    case .not(let part): return .not(try part.namingFoldedText(entity, texts))
    }
  }
}

extension StoreQuery {
  fileprivate func namingFoldedText(
    _ texts: (EntityIndex, _ attribute: Int) throws(StoreError) -> [String]
  ) throws(StoreError) -> StoreQuery {
    var query = self
    query.predicate = try predicate?.namingFoldedText(entity, texts)
    return query
  }

  /// Returns the query with the texts that its conditions match, read over a connection.
  func namingFoldedText(
    _ model: ManagedObjectModel, _ run: (Statement) throws(StoreError) -> QueryResult
  ) throws(StoreError) -> StoreQuery {
    try namingFoldedText { (entity, attribute) throws(StoreError) in
      let column = model[entity].column(attribute)
      let result = try run(
        Statement("SELECT DISTINCT \(column) FROM \(model[entity].table) WHERE NOT \(isASCII(column))"))
      return (0..<result.count).compactMap { result.text($0, 0) }
    }
  }
}

extension BatchChange {
  /// The condition that chooses the batch's rows; nil for a batch with rows of its own.
  var predicate: StorePredicate? {
    switch self {
    case .update(let update): update.predicate
    case .delete(let deletion): deletion.predicate
    case .upsert, .edit: nil
    }
  }

  /// Returns the batch with the texts that its condition matches, read over a connection.
  func namingFoldedText(
    _ model: ManagedObjectModel, _ run: (Statement) throws(StoreError) -> QueryResult
  ) throws(StoreError) -> BatchChange {
    func named(_ entity: EntityIndex) throws(StoreError) -> StorePredicate? {
      try StoreQuery(entity: entity, predicate: predicate).namingFoldedText(model, run).predicate
    }
    guard predicate?.hasFoldedText == true else { return self }
    switch self {
    case .update(var update):
      update.predicate = try named(update.entity)
      return .update(update)
    case .delete(var deletion):
      deletion.predicate = try named(deletion.entity)
      return .delete(deletion)
    case .upsert, .edit: return self
    }
  }
}

/// Returns the condition that a text is in ASCII.
private func isASCII(_ column: String) -> String { "(octet_length(\(column)) = char_length(\(column)))" }

extension StatementBuilder {
  mutating func append(
    _ column: String, _ match: StorePredicate.Match, _ part: String, _ options: TextOptions
  ) {
    let isPattern = !options.isEmpty || match != .part && match != .prefix
    let wanted = isPattern ? match.serverPattern(String(decoding: options.folded(part), as: UTF8.self)) : part
    guard let place = place(of: .text(wanted), .text) else { return text += Self.dialect.constant(false) }
    guard isPattern else {
      return text +=
        match == .part ? Self.dialect.contains(column, place) : "starts_with(\(column), \(place))"
    }
    let folded = options.contains(.caseInsensitive) ? "lower(\(column))" : column
    text += "\(options.isEmpty ? "" : "\(isASCII(column)) AND ")\(folded) LIKE \(place)"
  }
}

extension StorePredicate.Match {
  /// Returns a `LIKE` pattern of the server for a text (postgresql.org/docs/15/functions-matching.html).
  fileprivate func serverPattern(_ text: String) -> String {
    var pattern: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "*") where self == .pattern: pattern.append(UInt8(ascii: "%"))
      case UInt8(ascii: "?") where self == .pattern: pattern.append(UInt8(ascii: "_"))
      case UInt8(ascii: "\\") where self == .pattern: Self.append(rest.popFirst() ?? byte, to: &pattern)
      default: Self.append(byte, to: &pattern)
      }
    }
    let literal = String(decoding: pattern, as: UTF8.self)
    return switch self {
    case .prefix: literal + "%"
    case .suffix: "%" + literal
    case .part: "%" + literal + "%"
    case .whole, .pattern: literal
    }
  }

  private static func append(_ byte: UInt8, to pattern: inout [UInt8]) {
    if [UInt8(ascii: "%"), UInt8(ascii: "_"), UInt8(ascii: "\\")].contains(byte) {
      pattern.append(UInt8(ascii: "\\"))
    }
    pattern.append(byte)
  }
}
