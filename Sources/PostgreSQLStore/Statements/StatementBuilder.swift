internal import ManagedContext

/// Translates queries and predicates into SQL. Every value is a parameter and never part of the text.
struct StatementBuilder {
  let model: ManagedObjectModel
  private(set) var text: String
  private(set) var parameters = Parameters()

  init(_ model: ManagedObjectModel, _ text: String = "") {
    (self.model, self.text) = (model, text)
  }

  var statement: Statement { Statement(text, parameters) }

  // MARK: Statements

  /// Returns a statement that yields each row's key and version, followed by the requested columns. Without any, the version
  /// is 0.
  static func select(_ query: StoreQuery, _ model: ManagedObjectModel) -> Statement {
    let entity = model[query.entity]
    let columns = query.columns ?? Array(entity.attributes.indices)
    let names = ["id", columns.isEmpty ? "0::bigint" : "version"] + columns.map(entity.column)
    var builder = StatementBuilder(model, "SELECT \(names.joined(separator: ", ")) FROM \(entity.table)")
    builder.appendFilter(query)
    return builder.statement
  }

  static func count(_ query: StoreQuery, _ model: ManagedObjectModel) -> Statement {
    let table = model[query.entity].table
    if query.limit == nil && query.offset == 0 {
      var builder = StatementBuilder(model, "SELECT count(*) FROM \(table)")
      builder.appendCondition(query.predicate, of: query.entity)
      return builder.statement
    }
    var builder = StatementBuilder(model, "SELECT count(*) FROM (SELECT 1 FROM \(table)")
    builder.appendFilter(query)
    builder.append(") AS rows")
    return builder.statement
  }

  /// Returns the keys of rows that match, in order.
  static func keys(
    of entity: EntityIndex, where predicate: StorePredicate?, _ model: ManagedObjectModel
  ) -> Statement {
    select(StoreQuery(entity: entity, predicate: predicate, columns: []), model)
  }

  /// Returns a statement that sets values in all rows that match, and yields their keys.
  static func updateAll(_ batch: BatchUpdate, _ model: ManagedObjectModel) -> Statement {
    let entity = model[batch.entity]
    var builder = StatementBuilder(model, "UPDATE \(entity.table) SET ")
    for (index, value) in batch.values {
      let place = builder.place(of: value, entity.attributes[index].type) ?? "NULL"
      builder.append("\(entity.column(index)) = \(place), ")
    }
    builder.append("version = version + 1")
    builder.appendCondition(batch.predicate, of: batch.entity)
    builder.append(" RETURNING id")
    return builder.statement
  }

  /// Returns a statement that deletes all rows that match, and yields the key and the version of each, and the values of some
  /// attributes.
  static func deleteAll(
    _ batch: BatchDelete, returning columns: [Int], _ model: ManagedObjectModel
  ) -> Statement {
    let entity = model[batch.entity]
    var builder = StatementBuilder(model, "DELETE FROM \(entity.table)")
    if let chosen = batch.chosen {
      builder.appendCondition(
        .all([.ids(chosen.map(\.id))] + (batch.predicate.map { [$0] } ?? [])), of: batch.entity)
      let keys = builder.place { $0.append(chosen.map(\.id.key)) }
      let versions = builder.place { $0.append(chosen.map(\.version)) }
      builder.append(" AND (id, version) IN (SELECT * FROM unnest(\(keys), \(versions)))")
    } else {
      builder.appendCondition(batch.predicate, of: batch.entity)
    }
    let names = ["id", "version"] + columns.map(entity.column)
    builder.append(" RETURNING \(names.joined(separator: ", "))")
    return builder.statement
  }

  // MARK: Parts

  mutating func append(_ part: String) { text += part }

  /// Adds a parameter, and returns its place in the text.
  mutating func place(_ body: (inout Parameters) -> Void) -> String {
    body(&parameters)
    return "$\(parameters.count)"
  }

  /// Adds a value as a parameter.
  ///
  /// - Returns: Its place in the text; nil for a value that an attribute of the type cannot have.
  mutating func place(of value: AttributeValue, _ type: AttributeType) -> String? {
    switch (value, ServerType(type)) {
    case (.null, let type): place { $0.appendNull(type) }
    case (.integer(let number), .integer): place { $0.append(number) }
    case (.reference(let id), .integer): place { $0.append(id.key) }
    case (.integer(let number), .real): place { $0.append(Double(number)) }
    // A number with a fraction is compared with whole ones.
    case (.real(let number), .integer), (.real(let number), .real): place { $0.append(number) }
    case (.text(let text), .text) where !text.utf8.contains(0): place { $0.append(text) }
    case (.bytes(let content), .bytes): place { $0.append(content, .bytes) }
    default: nil
    }
  }

  private mutating func appendFilter(_ query: StoreQuery) {
    appendCondition(query.predicate, of: query.entity)
    let entity = model[query.entity]
    let order = query.sort.map { criterion in
      let column = criterion.attribute.map(entity.column) ?? "id"
      return column + (criterion.isAscending ? " ASC NULLS FIRST" : " DESC NULLS LAST")
    }
    let hasKey = query.sort.contains { $0.attribute == nil }
    append(" ORDER BY " + (hasKey ? order : order + ["id"]).joined(separator: ", "))
    // As a part of the text: the plan for any number reads far too many rows.
    if let limit = query.limit { append(" LIMIT \(max(0, limit))") }
    if query.offset > 0 { append(" OFFSET \(query.offset)") }
  }

  mutating func appendCondition(_ predicate: StorePredicate?, of entity: EntityIndex) {
    guard let predicate else { return }
    if case .all(let parts) = predicate, parts.isEmpty { return }
    append(" WHERE ")
    append(predicate, entity)
  }

  private mutating func append(_ predicate: StorePredicate, _ place: EntityIndex) {
    let entity = model[place]
    switch predicate {
    case .compare(let attribute, .equal, .null): append("\(entity.column(attribute)) IS NULL")
    case .compare(let attribute, .notEqual, .null): append("\(entity.column(attribute)) IS NOT NULL")
    case .compare(let attribute, let comparison, let value):
      guard let wanted = self.place(of: value, entity.attributes[attribute].type) else {
        return append(comparison == .notEqual ? "TRUE" : "FALSE")
      }
      append(Self.comparison(attribute, comparison, wanted, entity))
    case .match(let attribute, let match, let part):
      guard let wanted = self.place(of: .text(part), .text) else { return append("FALSE") }
      let column = entity.column(attribute)
      append(match == .part ? "strpos(\(column), \(wanted)) > 0" : "starts_with(\(column), \(wanted))")
    case .among(let attribute, let values): append(attribute, among: values, entity)
    case .amongRows(let attribute, let query):
      let other = model[query.entity]
      let wanted = query.columns?.first.map(other.column) ?? "id"
      append("\(attribute.map(entity.column) ?? "id") IN (SELECT \(wanted) FROM \(other.table)")
      appendCondition(query.predicate, of: query.entity)
      append(")")
    case .ids(let ids):
      let keys = ids.filter { $0.entity == place }.map(\.key)
      let wanted = self.place { $0.append(keys) }
      append("id = ANY (\(wanted))")
    case .all(let parts): append(parts, place, joinedBy: " AND ", empty: "TRUE")
    case .any(let parts): append(parts, place, joinedBy: " OR ", empty: "FALSE")
    case .not(let part):
      append("(")
      append(part, place)
      // True even if the part is null.
      append(") IS NOT TRUE")
    }
  }

  private static func comparison(
    _ attribute: Int, _ comparison: StorePredicate.Comparison, _ wanted: String, _ entity: EntityDescription
  ) -> String {
    let column = entity.column(attribute)
    return switch comparison {
    case .equal: entity.isSame(attribute, column, as: wanted)
    case .notEqual: "\(column) IS DISTINCT FROM \(wanted)"
    case .less: "\(column) < \(wanted)"
    case .lessOrEqual: "\(column) <= \(wanted)"
    case .greater: "\(column) > \(wanted)"
    case .greaterOrEqual: "\(column) >= \(wanted)"
    }
  }

  private mutating func append(_ attribute: Int, among values: [AttributeValue], _ entity: EntityDescription)
  {
    let type = entity.serverType(attribute)
    let present = values.filter { value in
      if case .text(let text) = value { return type == .text && !text.utf8.contains(0) }
      return !value.isNull
    }
    let column = entity.column(attribute)
    let wanted = place { $0.append(present, of: type) }
    append("(")
    if type == .text, entity.isUnique(attribute) {
      append(
        "md5(\(column))::uuid = ANY (ARRAY(SELECT md5(value)::uuid FROM unnest(\(wanted)) AS value)) AND ")
    }
    append("\(column) = ANY (\(wanted)))")
    if values.contains(where: \.isNull) { append(" OR \(column) IS NULL") }
  }

  private mutating func append(
    _ parts: [StorePredicate], _ place: EntityIndex, joinedBy word: String, empty: String
  ) {
    append(parts[...], place, joinedBy: word, empty: empty)
  }

  /// Appends the parts as a balanced tree: the server limits the depth of an expression by the size of its stack.
  private mutating func append(
    _ parts: ArraySlice<StorePredicate>, _ place: EntityIndex, joinedBy word: String, empty: String
  ) {
    guard let first = parts.first else { return append(empty) }
    append("(")
    if parts.count == 1 {
      append(first, place)
    } else {
      let middle = parts.startIndex + parts.count / 2
      append(parts[..<middle], place, joinedBy: word, empty: empty)
      append(word)
      append(parts[middle...], place, joinedBy: word, empty: empty)
    }
    append(")")
  }
}
