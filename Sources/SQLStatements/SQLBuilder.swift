public import ManagedContext

/// An SQL statement under construction. Every value is a parameter and never part of the text.
///
/// The requirements cover the SQL that differs between databases.
public protocol SQLBuilder {
  static var dialect: SQLDialect { get }

  init(_ model: ManagedObjectModel, _ text: String)

  var model: ManagedObjectModel { get }
  var text: String { get set }
  /// True if indexes on references must not be used, so that rows are read in another index's order.
  var isByOrder: Bool { get set }

  /// Adds a value as a parameter.
  ///
  /// - Returns: Its placeholder in the text; nil for a value that an attribute of the type cannot have.
  mutating func place(of value: AttributeValue, _ type: AttributeType) -> String?

  /// Adds a number as a parameter, and returns its placeholder in the text.
  mutating func place(_ number: Int64) -> String

  /// Returns the condition that an attribute has a value.
  static func isEqual(_ attribute: Int, _ place: String, _ entity: EntityDescription) -> String

  /// Appends the condition that a column contains a text.
  mutating func append(
    _ column: String, _ match: StorePredicate.Match, _ part: String, _ options: TextOptions)

  /// Appends the condition that an attribute has any of the given values, all not null.
  mutating func append(_ attribute: Int, among values: [AttributeValue], _ entity: EntityDescription)

  mutating func append(keys: [Int64])

  /// Appends the condition that rows have the given versions.
  mutating func append(versions: [RowVersion])

  mutating func appendLimit(_ query: StoreQuery)
}

// MARK: - Statements

extension SQLBuilder {
  /// Returns the start of a statement that yields key, version and some columns, or 0 as version without
  /// columns.
  ///
  /// - Parameter isKeyless: True for the columns alone.
  public static func selection(
    _ entity: EntityDescription, _ columns: [Int], isKeyless: Bool = false
  ) -> String {
    // Keys alone can come from an index, which has no versions.
    let keys = isKeyless ? [] : ["id", columns.isEmpty ? "0" : "version"]
    let names = keys + columns.map(entity.column)
    return "SELECT \(names.joined(separator: ", ")) FROM \(entity.table)"
  }

  /// Returns a statement that counts the rows.
  public static func count(_ query: StoreQuery, _ model: ManagedObjectModel) -> Self {
    let table = model[query.entity].table
    if query.limit == nil && query.offset == 0 {
      var builder = Self(model, "SELECT count(*) FROM \(table)")
      builder.appendCondition(query.predicate, of: query.entity)
      return builder
    }
    var builder = Self(model, "SELECT count(*) FROM (SELECT 1 FROM \(table)")
    builder.appendFilter(query)
    builder.text += ") AS rows"
    return builder
  }

  /// Returns a statement that sets values in all matching rows, and yields their keys.
  public static func updateAll(_ batch: BatchUpdate, _ model: ManagedObjectModel) -> Self {
    let entity = model[batch.entity]
    var builder = Self(model, "UPDATE \(entity.table) SET ")
    for (index, value) in batch.values {
      let place = builder.place(of: value, entity.attributes[index].type) ?? "NULL"
      builder.text += "\(entity.column(index)) = \(place), "
    }
    builder.text += "version = version + 1"
    builder.appendCondition(batch.predicate, of: batch.entity)
    builder.text += " RETURNING id"
    return builder
  }

  /// Returns a statement that deletes a row and yields its key. With attributes, it also yields the version
  /// and their values.
  ///
  /// - Parameter version: The version that the row must have; nil for any.
  public static func delete(
    _ id: ManagedObjectID, version: Int64?, returning columns: [Int], _ model: ManagedObjectModel
  ) -> Self {
    var builder = Self(model, "DELETE FROM \(model[id.entity].table) WHERE id = ")
    builder.text += builder.place(id.key)
    if let version {
      builder.text += " AND version = "
      builder.text += builder.place(version)
    }
    builder.appendReturning(columns, of: id.entity)
    return builder
  }

  /// Returns a statement that deletes all matching rows, with the columns of
  /// ``delete(_:version:returning:_:)``.
  public static func deleteAll(
    _ batch: BatchDelete, returning columns: [Int], _ model: ManagedObjectModel
  ) -> Self {
    var builder = Self(model, "DELETE FROM \(model[batch.entity].table)")
    if let chosen = batch.chosen {
      let ids = StorePredicate.ids(chosen.map(\.id))
      builder.appendCondition(.all([ids] + (batch.predicate.map { [$0] } ?? [])), of: batch.entity)
      builder.text += " AND "
      builder.append(versions: chosen)
    } else {
      builder.appendCondition(batch.predicate, of: batch.entity)
    }
    builder.appendReturning(columns, of: batch.entity)
    return builder
  }

  private mutating func appendReturning(_ columns: [Int], of entity: EntityIndex) {
    let names = columns.map(model[entity].column)
    text += " RETURNING " + (names.isEmpty ? ["id"] : ["id", "version"] + names).joined(separator: ", ")
  }
}

// MARK: - Parts

extension SQLBuilder {
  /// Appends a query's condition, order and limit.
  public mutating func appendFilter(_ query: StoreQuery) {
    appendCondition(query.predicate, of: query.entity)
    text += " ORDER BY "
    for criterion in query.sort {
      if let counted = criterion.counted {
        append(countOf: counted, in: query.entity)
      } else {
        text += criterion.attribute.map { column($0, through: criterion.through, of: query.entity) } ?? "id"
      }
      text += criterion.isAscending ? Self.dialect.ascending : " DESC NULLS LAST"
      // A second term for the key would keep SQLite from reading rows in index order.
      if criterion.isByKey { return appendLimit(query) }
      text += ", "
    }
    text += "id"
    appendLimit(query)
  }

  /// Appends the number of references to a row in a query's first column.
  private mutating func append(countOf query: StoreQuery, in entity: EntityIndex) {
    let other = model[query.entity]
    // Names for the columns, because both tables may be the same.
    let columns = zip(query.columns ?? [], ["owner", "other"]).map { "\(other.column($0)) AS \($1)" }
    let isOnce = columns.count > 1
    text += "(SELECT count(\(isOnce ? "DISTINCT other" : "*")) FROM "
    text += "(SELECT \(columns.joined(separator: ", ")) FROM \(other.table)"
    let isOuterByOrder = isByOrder
    isByOrder = false
    appendCondition(query.predicate, of: query.entity)
    isByOrder = isOuterByOrder
    text += ") AS \"counted rows\" WHERE owner = \(model[entity].table).id)"
  }

  /// Returns an attribute's column, or a subquery for an attribute of the object that a relationship leads to.
  func column(_ attribute: Int, through relationship: Int?, of place: EntityIndex) -> String {
    let entity = model[place]
    guard let relationship, let other = model.destination(of: relationship, in: place) else {
      return entity.column(attribute)
    }
    // A relationship may lead to the same entity. No table has a name with a blank.
    let place = "\"related object\""
    return "(SELECT \(place).\(model[other].column(attribute)) FROM \(model[other].table) AS \(place) "
      + "WHERE \(place).id = \(entity.table).\(entity.column(relationship)))"
  }

  mutating func appendCondition(_ predicate: StorePredicate?, of entity: EntityIndex) {
    guard let predicate else { return }
    // Without a condition, SQLite looks values up in the other table's index; with one, it would copy the
    // rows first.
    if case .all(let parts) = predicate, parts.isEmpty { return }
    text += " WHERE "
    append(predicate, entity)
  }

  private mutating func append(_ predicate: StorePredicate, _ place: EntityIndex) {
    let entity = model[place]
    switch predicate {
    case .compare(let attribute, .equal, .null): text += "\(entity.column(attribute)) IS NULL"
    // Without a parameter, an index on the rows with a value can be used.
    case .compare(let attribute, .notEqual, .null): text += "\(entity.column(attribute)) IS NOT NULL"
    case .compare(let attribute, let comparison, .text(let text))
    where Self.dialect == .postgresql && text.utf8.contains(0) && comparison != .equal
      && comparison != .notEqual:
      // U+0000 is before all characters that the server's texts have, so such a text is directly after the part
      // before it.
      let part = AttributeValue.text(String(text.unicodeScalars.prefix { $0.value != 0 }))
      let isBefore = comparison == .less || comparison == .lessOrEqual
      append(.compare(attribute, isBefore ? .lessOrEqual : .greater, part), place)
    case .compare(let attribute, let comparison, let value):
      guard let wanted = self.place(of: value, entity.attributes[attribute].type) else {
        return text += Self.dialect.constant(comparison == .notEqual)
      }
      text += Self.condition(attribute, comparison, wanted, entity)
    case .match(let attribute, let match, let part, let options):
      append(entity.column(attribute), match, part, options)
    case .among(let attribute, let values):
      let present = values.filter { !$0.isNull }
      append(attribute, among: present, entity)
      if present.count < values.count { text += " OR \(entity.column(attribute)) IS NULL" }
    case .amongRows(let attribute, let query):
      append(attribute.map(entity.column) ?? "id", of: entity, amongRows: query)
    case .not(.amongRows(nil, let query)): append("id", of: entity, amongRows: query, isNegated: true)
    case .count(let query, let comparison, let number): append(count: query, of: entity, comparison, number)
    case .ids(let ids): append(keys: ids.filter { $0.entity == place }.map(\.key))
    case .all(let parts): append(parts[...], place, joinedBy: " AND ", isTrueIfEmpty: true)
    case .any(let parts): append(parts[...], place, joinedBy: " OR ", isTrueIfEmpty: false)
    case .not(let part):
      // True even if the part is null, and simpler for SQLite's parser than NOT coalesce(…).
      text += "("
      append(part, place)
      text += ") IS NOT TRUE"
    }
  }

  private static func condition(
    _ attribute: Int, _ comparison: StorePredicate.Comparison, _ place: String, _ entity: EntityDescription
  ) -> String {
    comparison == .equal
      ? isEqual(attribute, place, entity) : condition(entity.column(attribute), comparison, place)
  }

  private static func condition(
    _ column: String, _ comparison: StorePredicate.Comparison, _ place: String
  ) -> String {
    switch comparison {
    case .equal: "\(column) = \(place)"
    case .notEqual: "\(column) \(dialect.isDifferent) \(place)"
    case .less: "\(column) < \(place)"
    case .lessOrEqual: "\(column) <= \(place)"
    case .greater: "\(column) > \(place)"
    case .greaterOrEqual: "\(column) >= \(place)"
    }
  }

  /// Appends the condition that a number of a query's rows refer to the row. Rows without such a reference are
  /// in no group, so the condition for them excludes the other groups.
  private mutating func append(
    count query: StoreQuery, of entity: EntityDescription, _ comparison: StorePredicate.Comparison,
    _ number: Int
  ) {
    let holdsForNone = comparison.holds(0, number)
    append("id", of: entity, amongRows: query, isNegated: holdsForNone) { builder, column in
      builder.text += " GROUP BY \(column) HAVING "
      let number = builder.place(Int64(number))
      let condition = Self.condition("count(*)", comparison, number)
      builder.text += holdsForNone ? "NOT (\(condition))" : condition
    }
  }

  /// Appends the condition that a column has, or with `isNegated` has not, a value from a query's rows.
  private mutating func append(
    _ column: String, of entity: EntityDescription, amongRows query: StoreQuery, isNegated: Bool = false,
    grouping: (inout Self, _ wanted: String) -> Void = { _, _ in }
  ) {
    // Without an index, PostgreSQL would read a large list of values again for each row. SQLite would do that with
    // the other form.
    let isJoined = isNegated && Self.dialect == .postgresql
    let other = model[query.entity]
    let wanted = query.columns?.first.map(other.column) ?? "id"
    // With a unary plus, SQLite uses no index for the column (sqlite.org/optoverview.html).
    text +=
      isJoined
      ? "NOT EXISTS (SELECT 1 FROM (" : "\(isNegated ? "(" : "")\(isByOrder ? "+" : "")\(column) IN ("
    text += "SELECT \(wanted) FROM \(other.table)"
    let isOuterByOrder = isByOrder
    isByOrder = false
    appendCondition(query.predicate, of: query.entity)
    isByOrder = isOuterByOrder
    grouping(&self, wanted)
    text +=
      isJoined
      ? ") AS \"found rows\"(found) WHERE \"found rows\".found = \(entity.table).\(column))"
      : isNegated ? ")) IS NOT TRUE" : ")"
  }

  /// Appends the parts as a balanced tree. SQLite rejects an expression that is more than 1,000 levels deep,
  /// and its parser needs one level for each term in a chain. In PostgreSQL, the stack size limits the depth.
  private mutating func append(
    _ parts: ArraySlice<StorePredicate>, _ place: EntityIndex, joinedBy word: String, isTrueIfEmpty: Bool
  ) {
    guard let first = parts.first else { return text += Self.dialect.constant(isTrueIfEmpty) }
    text += "("
    if parts.count == 1 {
      append(first, place)
    } else {
      let middle = parts.startIndex + parts.count / 2
      append(parts[..<middle], place, joinedBy: word, isTrueIfEmpty: isTrueIfEmpty)
      text += word
      append(parts[middle...], place, joinedBy: word, isTrueIfEmpty: isTrueIfEmpty)
    }
    text += ")"
  }
}
