internal import ManagedContext
internal import SQLStatements

// The server cannot fold a text as `TextOptions` does. For texts in ASCII it gives the same answers. The others are
// read, and the condition then names the rows that match.

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

  /// Returns the rows with texts in a column that are not in ASCII and match.
  typealias Search = (EntityIndex, _ attribute: Int, TextMatch) throws(StoreError) -> [ManagedObjectID]

  /// Returns the predicate for an entity's rows with the rows that match each folded condition.
  func namingFoldedText(_ entity: EntityIndex, _ texts: Search) throws(StoreError) -> StorePredicate {
    guard hasFoldedText else { return self }
    switch self {
    case .match(let attribute, let match, let text, let options):
      return .any([self, .ids(try texts(entity, attribute, TextMatch(match, text, options)))])
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
  fileprivate func namingFoldedText(_ texts: StorePredicate.Search) throws(StoreError) -> StoreQuery {
    var query = self
    query.predicate = try predicate?.namingFoldedText(entity, texts)
    return query
  }

  /// The number of texts that are in memory at once.
  private static var textsRead: Int { 200 }

  /// Returns the query with the rows that its text conditions match, read over a connection.
  func namingFoldedText(
    _ model: ManagedObjectModel, _ run: (Statement) throws(StoreError) -> QueryResult
  ) throws(StoreError) -> StoreQuery {
    try namingFoldedText { (entity, attribute, search) throws(StoreError) in
      let column = model[entity].column(attribute)
      var found: [ManagedObjectID] = []
      var last = Int64.min
      while true {
        let result = try run(
          Statement(
            "SELECT id, \(column) FROM \(model[entity].table) WHERE id > $1 AND NOT \(isASCII(column)) "
              + "ORDER BY id LIMIT \(Self.textsRead)", .integer(last)))
        for row in 0..<result.count {
          guard let key = result.integer(row, 0), let text = result.text(row, 1) else { continue }
          last = key
          if search.matches(text) { found.append(ManagedObjectID(entity: entity, store: .none, key: key)) }
        }
        if result.count < Self.textsRead { return found }
      }
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

  /// Returns the batch with the rows that its text condition matches, read over a connection.
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
