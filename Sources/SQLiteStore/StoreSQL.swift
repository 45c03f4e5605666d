internal import Foundation
internal import GRDB
internal import ManagedContext

/// Translates questions and changes into SQL; every value is an argument, never a part of the text.
struct StoreSQL: Sendable {
  let model: ManagedObjectModel

  func columns(of query: StoreQuery) -> [Int] {
    query.columns ?? Array(model[query.entity].attributes.indices)
  }

  /// Gives each row's key and version, then the wanted columns.
  func select(_ query: StoreQuery) -> (String, [DatabaseValue]) {
    let entity = model[query.entity]
    let names = columns(of: query).map { quoted(entity.attributes[$0].name) }
    var builder = SQLBuilder(model: model)
    builder.text = "SELECT \((["id", "version"] + names).joined(separator: ", ")) FROM \(quoted(entity.name))"
    builder.appendFilter(query)
    return (builder.text, builder.arguments)
  }

  func count(_ query: StoreQuery) -> (String, [DatabaseValue]) {
    var builder = SQLBuilder(model: model)
    if query.limit == nil && query.offset == 0 {
      builder.text = "SELECT count(*) FROM \(quoted(model[query.entity].name))"
      builder.appendCondition(query)
    } else {
      builder.text = "SELECT count(*) FROM (SELECT 1 FROM \(quoted(model[query.entity].name))"
      builder.appendFilter(query)
      builder.text += ")"
    }
    return (builder.text, builder.arguments)
  }

  func insert(_ entity: EntityDescription) -> String {
    let names = entity.attributes.map { quoted($0.name) }.joined(separator: ", ")
    let marks = entity.attributes.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO \(quoted(entity.name)) (\(names), version) VALUES (\(marks), 1)"
  }

  func update(_ entity: EntityDescription, columns: [Int]) -> String {
    let settings = columns.map { "\(quoted(entity.attributes[$0].name)) = ?" }.joined(separator: ", ")
    return "UPDATE \(quoted(entity.name)) SET \(settings), version = version + 1 WHERE id = ?"
  }

  /// Inserts a row of a batch, or updates the one with the same unique attributes (sqlite.org/lang_upsert.html).
  func upsert(_ batch: BatchUpsert) -> String {
    let entity = model[batch.rows.entity]
    let name = { (index: Int) in quoted(entity.attributes[index].name) }
    let names = batch.rows.columns.map(name)
    let left = Set(batch.unique + batch.kept)
    var settings = batch.rows.columns.filter { !left.contains($0) }
      .map { "\(name($0)) = excluded.\(name($0))" }
    settings.append("version = version + 1")
    if let counter = batch.editCounter { settings.append("\(name(counter)) = \(name(counter)) + 1") }
    var text = """
      INSERT INTO \(quoted(entity.name)) (\(names.joined(separator: ", ")), version) \
      VALUES (\(names.map { _ in "?" }.joined(separator: ", ")), 1) \
      ON CONFLICT (\(batch.unique.map(name).joined(separator: ", "))) DO UPDATE SET \
      \(settings.joined(separator: ", "))
      """
    if let mark = batch.changeMark { text += " WHERE \(name(mark)) IS NOT excluded.\(name(mark))" }
    return text
  }
}

/// Puts a statement together, text and arguments side by side.
private struct SQLBuilder {
  let model: ManagedObjectModel
  var text = ""
  var arguments: [DatabaseValue] = []

  init(model: ManagedObjectModel) {
    self.model = model
  }

  mutating func appendFilter(_ query: StoreQuery) {
    appendCondition(query)
    let entity = model[query.entity]
    let order = query.sort.map { criterion in
      let column = criterion.attribute.map { quoted(entity.attributes[$0].name) } ?? "id"
      return column + (criterion.isAscending ? " ASC" : " DESC NULLS LAST")
    }
    text += " ORDER BY " + (order + ["id"]).joined(separator: ", ")
    if query.limit != nil || query.offset > 0 {
      text += " LIMIT \(query.limit ?? -1) OFFSET \(query.offset)"
    }
  }

  mutating func appendCondition(_ query: StoreQuery) {
    guard let predicate = query.predicate else { return }
    text += " WHERE "
    append(predicate, model[query.entity])
  }

  private mutating func append(_ predicate: FetchPredicate, _ entity: EntityDescription) {
    switch predicate {
    case .compare(let attribute, let comparison, let value):
      text += "\(quoted(entity.attributes[attribute].name)) \(sign(comparison)) ?"
      arguments.append(value.databaseValue)
    case .among(let attribute, let values):
      text += "\(quoted(entity.attributes[attribute].name)) IN ("
      text += values.map { _ in "?" }.joined(separator: ", ") + ")"
      arguments += values.map(\.databaseValue)
    case .amongRows(let attribute, let query):
      let other = model[query.entity]
      let column = query.columns?.first.map { quoted(other.attributes[$0].name) } ?? "id"
      let subject = attribute.map { quoted(entity.attributes[$0].name) } ?? "id"
      text += "\(subject) IN (SELECT \(column) FROM \(quoted(other.name))"
      appendCondition(query)
      text += ")"
    case .keys(let keys):
      // Numbers of our own, written out: a statement has at most 32,766 arguments.
      text += keys.count == 1 ? "id = ?" : "id IN (\(keys.map(String.init).joined(separator: ",")))"
      if keys.count == 1 { arguments.append(keys[0].databaseValue) }
    case .all(let parts): append(parts, entity, joinedBy: " AND ", empty: "1")
    case .any(let parts): append(parts, entity, joinedBy: " OR ", empty: "0")
    case .not(let part):
      text += "NOT coalesce("
      append(part, entity)
      text += ", 0)"
    }
  }

  private mutating func append(
    _ parts: [FetchPredicate], _ entity: EntityDescription, joinedBy word: String, empty: String
  ) {
    if parts.isEmpty { text += empty }
    for (number, part) in parts.enumerated() {
      if number > 0 { text += word }
      text += "("
      append(part, entity)
      text += ")"
    }
  }

  private func sign(_ comparison: FetchPredicate.Comparison) -> String {
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

extension AttributeValue {
  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let value): value.databaseValue
    case .real(let value): value.databaseValue
    case .text(let value): value.databaseValue
    case .bytes(let value): Data(value).databaseValue
    case .reference(let id): id.key.databaseValue
    }
  }
}
