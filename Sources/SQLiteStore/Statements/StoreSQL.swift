internal import Foundation
internal import ManagedContext

/// Translates queries and changes into SQL. Every value is a parameter and never part of the text.
struct StoreSQL: Sendable {
  let model: ManagedObjectModel
  /// The statement texts that were built before.
  let texts = StatementTexts()
  /// The beginning of the SELECT statement with all attributes, for each entity. Building this text would take longer
  /// than fetching a single object.
  private let selections: [String]
  /// The attributes whose values the history keeps when a row is deleted, for each entity.
  let deletedAttributes: [[Int]]

  init(model: ManagedObjectModel) {
    self.model = model
    deletedAttributes = model.entities.map(\.deletedAttributes)
    selections = model.entities.map { Self.selection($0, Array($0.attributes.indices)) }
  }

  private static func selection(_ entity: EntityDescription, _ columns: [Int]) -> String {
    let names = columns.map { quoted(entity.attributes[$0].name) }
    // Keys alone can come from an index, which has no versions.
    return
      "SELECT \((["id", columns.isEmpty ? "0" : "version"] + names).joined(separator: ", ")) FROM \(quoted(entity.name))"
  }

  func columns(of query: StoreQuery) -> [Int] {
    query.columns ?? Array(model[query.entity].attributes.indices)
  }

  /// Returns a statement that yields each row's key and version, followed by the requested columns. Without any, the
  /// version is 0.
  ///
  /// - Parameter byOrder: True to scan the rows in their sort order, without an index of the references.
  func select(_ query: StoreQuery, byOrder: Bool = false) -> SQLBuilder {
    var builder = SQLBuilder(model: model)
    builder.isByOrder = byOrder
    builder.text =
      query.columns.map { Self.selection(model[query.entity], $0) } ?? selections[Int(query.entity)]
    builder.appendFilter(query)
    return builder
  }

  func count(_ query: StoreQuery) -> SQLBuilder {
    var builder = SQLBuilder(model: model)
    if query.limit == nil && query.offset == 0 {
      builder.text = "SELECT count(*) FROM \(quoted(model[query.entity].name))"
      builder.appendCondition(query)
    } else {
      builder.text = "SELECT count(*) FROM (SELECT 1 FROM \(quoted(model[query.entity].name))"
      builder.appendFilter(query)
      builder.text += ")"
    }
    return builder
  }

  /// Returns a statement with these parameters: a key (or null), a value for each attribute, and the version.
  func insert(_ index: EntityIndex) -> String {
    let entity = model[index]
    let names = ["id"] + entity.attributes.map { quoted($0.name) } + ["version"]
    let marks = names.map { _ in "?" }
    return """
      INSERT INTO \(quoted(entity.name)) (\(names.joined(separator: ", "))) \
      VALUES (\(marks.joined(separator: ", ")))
      """
  }

  /// Returns a statement with these parameters: a value for each column, the key, and the version if it is compared.
  func update(_ index: EntityIndex, _ columns: [Int], _ comparesVersion: Bool) -> String {
    let entity = model[index]
    let settings = columns.map { "\(quoted(entity.attributes[$0].name)) = ?" } + ["version = version + 1"]
    return """
      UPDATE \(quoted(entity.name)) SET \(settings.joined(separator: ", ")) \
      WHERE id = ?\(comparesVersion ? " AND version = ?" : "")
      """
  }

  /// Returns a statement that yields the keys of the updated rows.
  func updateAll(_ batch: BatchUpdate) -> SQLBuilder {
    let entity = model[batch.entity]
    var builder = SQLBuilder(model: model)
    let settings = batch.values.map { "\(quoted(entity.attributes[$0.index].name)) = ?" }
    builder.text = """
      UPDATE \(quoted(entity.name)) SET \((settings + ["version = version + 1"]).joined(separator: ", "))
      """
    for (_, value) in batch.values { builder.parameters.append(value) }
    builder.appendCondition(StoreQuery(entity: batch.entity, predicate: batch.predicate))
    builder.text += " RETURNING id"
    return builder
  }

  /// Returns a statement that deletes a row and yields its key, its version and the values of some attributes.
  ///
  /// - Parameter version: The version that the row must have; nil for any.
  func delete(_ id: ManagedObjectID, version: Int64?, returning columns: [Int]) -> SQLBuilder {
    var builder = SQLBuilder(model: model)
    builder.text = "DELETE FROM \(quoted(model[id.entity].name)) WHERE id = ?"
    builder.parameters.append(integer: id.key)
    if let version {
      builder.text += " AND version = ?"
      builder.parameters.append(integer: version)
    }
    builder.appendReturning(columns, of: id.entity)
    return builder
  }

  /// Returns a statement that yields the keys of the deleted rows. With attributes, it yields the rows' versions and the
  /// values of these attributes, too.
  func deleteAll(_ batch: BatchDelete, returning columns: [Int]) -> SQLBuilder {
    var builder = SQLBuilder(model: model)
    builder.text = "DELETE FROM \(quoted(model[batch.entity].name))"
    guard let chosen = batch.chosen else {
      builder.appendCondition(StoreQuery(entity: batch.entity, predicate: batch.predicate))
      builder.appendReturning(columns, of: batch.entity)
      return builder
    }
    let ids = StorePredicate.ids(chosen.map(\.id))
    let predicate = StorePredicate.all([ids] + (batch.predicate.map { [$0] } ?? []))
    builder.appendCondition(StoreQuery(entity: batch.entity, predicate: predicate))
    builder.text += " AND (id, version) IN (SELECT CAST(key AS INTEGER), value FROM json_each(?))"
    builder.parameters.append(
      text: "{" + chosen.map { "\"\($0.id.key)\":\($0.version)" }.joined(separator: ",") + "}")
    builder.appendReturning(columns, of: batch.entity)
    return builder
  }

  /// Returns a statement that inserts a row of a batch, or updates the row with the same unique attributes
  /// (sqlite.org/lang_upsert.html).
  ///
  /// - Parameter leavesExisting: True to leave that row as it is.
  func upsert(_ batch: BatchUpsert, leavesExisting: Bool = false) -> String {
    let entity = model[batch.rows.entity]
    let name = { (index: Int) in quoted(entity.attributes[index].name) }
    let names = batch.rows.columns.map(name)
    let left = Set(batch.unique + batch.kept)
    var settings = batch.rows.columns.filter { !left.contains($0) }
      .map { "\(name($0)) = excluded.\(name($0))" }
    settings.append("version = version + 1")
    if let counter = batch.editCounter { settings.append("\(name(counter)) = \(name(counter)) + 1") }
    // Attributes without a column in the batch start with their default, as in other inserts.
    let missing = entity.attributes.enumerated().filter {
      !batch.rows.columns.contains($0.offset) && !$0.element.defaultValue.isNull
    }
    let columns = names + missing.map { quoted($0.element.name) } + ["version"]
    let values = names.map { _ in "?" } + missing.map(\.element.defaultValue.sqlExpression) + ["1"]
    var text = "INSERT INTO \(quoted(entity.name)) (\(columns.joined(separator: ", "))) "
    if let exclusion = batch.exclusion {
      text += "SELECT \(values.joined(separator: ", ")) WHERE \(isAllowed(exclusion, batch))"
    } else {
      text += "VALUES (\(values.joined(separator: ", ")))"
    }
    if batch.unique.isEmpty { return text }
    text += " ON CONFLICT (\(batch.unique.map(name).joined(separator: ", "))) DO "
    if leavesExisting { return text + "NOTHING" }
    text += "UPDATE SET \(settings.joined(separator: ", "))"
    if let mark = batch.changeMark { text += " WHERE \(name(mark)) IS NOT excluded.\(name(mark))" }
    return text
  }

  /// Returns the condition for writing a row that marks of another entity may exclude. The row's cells are the first
  /// parameters, followed by the value that is compared with the marks.
  private func isAllowed(_ exclusion: BatchUpsert.Exclusion, _ batch: BatchUpsert) -> String {
    let (marks, rows) = (model[exclusion.entity], model[batch.rows.entity])
    let place = { (attribute: Int) in "?\((batch.rows.columns.firstIndex(of: attribute) ?? 0) + 1)" }
    let same =
      ["\(quoted(marks.attributes[exclusion.attribute].name)) = ?\(batch.rows.columns.count + 1)"]
      + exclusion.shared.map { "\(quoted(marks.attributes[$0.mark].name)) = \(place($0.row))" }
    let known = batch.unique.map { "\(quoted(rows.attributes[$0].name)) IS \(place($0))" }
    return "NOT EXISTS (SELECT 1 FROM \(quoted(marks.name)) WHERE \(same.joined(separator: " AND "))) "
      + "OR EXISTS (SELECT 1 FROM \(quoted(rows.name)) WHERE \(known.joined(separator: " AND ")))"
  }
}

/// Builds a statement: its text together with its parameters.
struct SQLBuilder {
  let model: ManagedObjectModel
  fileprivate(set) var text = ""
  /// The values of the parameters, as cells without rows.
  fileprivate(set) var parameters = RowBatch(entity: 0, columns: [])
  /// True if indexes of references must not be used.
  fileprivate var isByOrder = false

  fileprivate mutating func appendFilter(_ query: StoreQuery) {
    appendCondition(query)
    let entity = model[query.entity]
    let order = query.sort.map { criterion in
      let column = criterion.attribute.map { quoted(entity.attributes[$0].name) } ?? "id"
      return column + (criterion.isAscending ? " ASC" : " DESC NULLS LAST")
    }
    // A second term for the key would keep SQLite from reading rows in the order of an index.
    let hasKey = query.sort.contains { $0.attribute == nil }
    text += " ORDER BY " + (hasKey ? order : order + ["id"]).joined(separator: ", ")
    if query.limit != nil || query.offset > 0 {
      text += " LIMIT \(query.limit ?? -1) OFFSET \(query.offset)"
    }
  }

  fileprivate mutating func appendReturning(_ columns: [Int], of entity: EntityIndex) {
    let names = columns.map { quoted(model[entity].attributes[$0].name) }
    text += " RETURNING " + (names.isEmpty ? ["id"] : ["id", "version"] + names).joined(separator: ", ")
  }

  fileprivate mutating func appendCondition(_ query: StoreQuery) {
    guard let predicate = query.predicate else { return }
    // Without a condition, SQLite looks each value up in an index of the other table; a condition would make it copy
    // the rows first.
    if case .all(let parts) = predicate, parts.isEmpty { return }
    text += " WHERE "
    append(predicate, query.entity)
  }

  private mutating func append(_ predicate: StorePredicate, _ place: EntityIndex) {
    let column = { [model] (index: Int) in quoted(model[place].attributes[index].name) }
    switch predicate {
    case .compare(let attribute, .equal, .null): text += "\(column(attribute)) IS NULL"
    // Not a parameter, so that SQLite can use an index of the rows that have a value.
    case .compare(let attribute, .notEqual, .null): text += "\(column(attribute)) IS NOT NULL"
    case .compare(let attribute, let comparison, let value):
      text += "\(column(attribute)) \(sign(comparison)) ?"
      parameters.append(value)
    case .match(let attribute, .part, let part):
      text += "instr(\(column(attribute)), ?) > 0"
      parameters.append(text: part)
    case .match(let attribute, .prefix, let prefix):
      // A range of text, so that an index can be used; text is compared byte by byte.
      text += "\(column(attribute)) >= ?"
      parameters.append(text: prefix)
      if let end = prefix.endOfPrefixRange {
        text += " AND \(column(attribute)) < ?"
        parameters.append(text: end)
      } else {
        text += " AND typeof(\(column(attribute))) = 'text'"
      }
    case .among(let attribute, let values):
      let present = values.filter { !$0.isNull }
      text += "\(column(attribute)) IN "
      appendList(present)
      if present.count < values.count { text += " OR \(column(attribute)) IS NULL" }
    case .amongRows(let attribute, let query):
      let other = model[query.entity]
      let wanted = query.columns?.first.map { quoted(other.attributes[$0].name) } ?? "id"
      // A unary plus turns the column into an expression, so that SQLite uses no index for it
      // (sqlite.org/optoverview.html).
      text += "\(isByOrder ? "+" : "")\(attribute.map(column) ?? "id") IN "
      text += "(SELECT \(wanted) FROM \(quoted(other.name))"
      let isOuterByOrder = isByOrder
      isByOrder = false
      appendCondition(query)
      isByOrder = isOuterByOrder
      text += ")"
    case .ids(let ids):
      let keys = ids.lazy.filter { $0.entity == place }.map(\.key)
      if let key = keys.first, keys.dropFirst().isEmpty {
        text += "id = ?"
        parameters.append(integer: key)
      } else {
        text += "id IN "
        appendList(keys.map { .integer($0) })
      }
    case .all(let parts): append(parts, place, joinedBy: " AND ", empty: "1")
    case .any(let parts): append(parts, place, joinedBy: " OR ", empty: "0")
    case .not(let part):
      // True even if the part is null, and simpler for SQLite's parser than NOT coalesce(…).
      text += "("
      append(part, place)
      text += ") IS NOT TRUE"
    }
  }

  /// Appends a list of values. Numbers, or more than a few values, are passed as one parameter, because a statement
  /// takes at most 32,766 parameters (sqlite.org/json1.html#jeach).
  private mutating func appendList(_ values: [AttributeValue]) {
    if let array = values.jsonArray, values.count > 8 {
      text += "(SELECT value FROM json_each(?))"
      parameters.append(text: array)
    } else {
      // Repeated values do not change the list. Without the padding, SQLite would prepare a new statement for each
      // length.
      let padding = values.last.map { Array(repeating: $0, count: max(0, 8 - values.count)) } ?? []
      let list = values.count > 1 ? values + padding : values
      text += "(" + list.map { _ in "?" }.joined(separator: ", ") + ")"
      for value in list { parameters.append(value) }
    }
  }

  private mutating func append(
    _ parts: [StorePredicate], _ place: EntityIndex, joinedBy word: String, empty: String
  ) {
    append(parts[...], place, joinedBy: word, empty: empty)
  }

  /// Appends the parts as a balanced tree. SQLite rejects an expression that is more than 1,000 levels deep, and its
  /// parser needs one level for each term of a chain.
  private mutating func append(
    _ parts: ArraySlice<StorePredicate>, _ place: EntityIndex, joinedBy word: String, empty: String
  ) {
    guard let first = parts.first else { return text += empty }
    text += "("
    if parts.count == 1 {
      append(first, place)
    } else {
      let middle = parts.startIndex + parts.count / 2
      append(parts[..<middle], place, joinedBy: word, empty: empty)
      text += word
      append(parts[middle...], place, joinedBy: word, empty: empty)
    }
    text += ")"
  }

  private func sign(_ comparison: StorePredicate.Comparison) -> String {
    switch comparison {
    case .equal: "IS"
    case .notEqual: "IS NOT"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}

extension [AttributeValue] {
  /// The values as a JSON array; nil if JSON cannot represent one of them exactly.
  fileprivate var jsonArray: String? {
    var array = [UInt8(ascii: "[")]
    for value in self {
      if array.count > 1 { array.append(UInt8(ascii: ",")) }
      switch value {
      case .integer(let number): array.append(decimal: number)
      case .reference(let id): array.append(decimal: id.key)
      case .text(let text):
        guard !text.utf8.contains(0), let quoted = text.jsonQuoted else { return nil }
        array += quoted
      case .null, .real, .bytes: return nil
      }
    }
    array.append(UInt8(ascii: "]"))
    return String(decoding: array, as: UTF8.self)
  }
}

extension String {
  fileprivate var jsonQuoted: Data? { try? JSONEncoder().encode(self) }

  /// The smallest text that is greater than every text with this prefix; nil if no such text exists.
  var endOfPrefixRange: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      // Surrogates are not scalars, so U+E000 follows U+D7FF.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let successor = Unicode.Scalar(next) else { continue }
      return String(String.UnicodeScalarView(scalars + [successor]))
    }
    return nil
  }
}
