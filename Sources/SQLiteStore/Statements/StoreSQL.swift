internal import ManagedContext
internal import SQLStatements

/// Translates queries and changes into SQL. Every value is a parameter and never part of the text.
struct StoreSQL: Sendable {
  let model: ManagedObjectModel
  /// The statement texts that were built before.
  let texts = StatementTexts()
  /// The beginning of the SELECT statement with all attributes, for each entity. Building this text would
  /// take longer than fetching a single object.
  private let selections: [String]
  /// The attributes that the history keeps when a row is deleted, for each entity.
  let deletedAttributes: [[Int]]

  init(model: ManagedObjectModel) {
    self.model = model
    deletedAttributes = model.entities.map(\.deletedAttributes)
    selections = model.entities.map { FileStatement.selection($0, Array($0.attributes.indices)) }
  }

  func columns(of query: StoreQuery) -> [Int] {
    query.columns ?? Array(model[query.entity].attributes.indices)
  }

  /// Returns a statement that yields key, version and the requested columns; version 0 without columns. A keyless
  /// query has the columns alone.
  ///
  /// - Parameter byOrder: True to scan the rows in their sort order, without an index on references.
  func select(_ query: StoreQuery, byOrder: Bool = false) -> FileStatement {
    let beginning =
      query.columns.map {
        FileStatement.selection(model[query.entity], $0, isKeyless: query.isKeyless)
      } ?? selections[Int(query.entity)]
    var statement = FileStatement(model, beginning)
    statement.isByOrder = byOrder
    statement.appendFilter(query)
    return statement
  }

  /// Returns a statement with these parameters: a key (or null), a value for each attribute, and the version.
  func insert(_ index: EntityIndex) -> String {
    let entity = model[index]
    let names = ["id"] + entity.attributes.indices.map(entity.column) + ["version"]
    let marks = names.map { _ in "?" }
    return """
      INSERT INTO \(entity.table) (\(names.joined(separator: ", "))) \
      VALUES (\(marks.joined(separator: ", ")))
      """
  }

  /// Returns a statement with these parameters: a value for each column, the key, and the version if
  /// compared.
  func update(_ index: EntityIndex, _ columns: [Int], _ comparesVersion: Bool) -> String {
    let entity = model[index]
    let settings = columns.map { "\(entity.column($0)) = ?" } + ["version = version + 1"]
    return """
      UPDATE \(entity.table) SET \(settings.joined(separator: ", ")) \
      WHERE id = ?\(comparesVersion ? " AND version = ?" : "")
      """
  }

  /// Returns a statement that inserts a batch row, or updates the same unique attributes' row
  /// (sqlite.org/lang_upsert.html).
  ///
  /// - Parameter leavesExisting: True to leave that row as it is.
  func upsert(_ batch: BatchUpsert, leavesExisting: Bool = false) -> String {
    let entity = model[batch.rows.entity]
    let names = batch.rows.columns.map(entity.column)
    let left = Set(batch.unique + batch.kept)
    var settings = batch.rows.columns.filter { !left.contains($0) }
      .map { "\(entity.column($0)) = excluded.\(entity.column($0))" }
    settings.append("version = version + 1")
    if let counter = batch.editCounter {
      settings.append("\(entity.column(counter)) = \(entity.column(counter)) + 1")
    }
    // Attributes without a column in the batch start with their default, as in other inserts.
    let missing = entity.attributes.enumerated().filter {
      !batch.rows.columns.contains($0.offset) && !$0.element.defaultValue.isNull
    }
    let columns = names + missing.map { entity.column($0.offset) } + ["version"]
    let defaults = missing.map { $0.element.defaultValue.sqlExpression(.sqlite) }
    let values = names.map { _ in "?" } + defaults + ["1"]
    var text = "INSERT INTO \(entity.table) (\(columns.joined(separator: ", "))) "
    if let exclusion = batch.exclusion {
      text += "SELECT \(values.joined(separator: ", ")) WHERE \(isAllowed(exclusion, batch))"
    } else {
      text += "VALUES (\(values.joined(separator: ", ")))"
    }
    if batch.unique.isEmpty { return text }
    text += " ON CONFLICT (\(batch.unique.map(entity.column).joined(separator: ", "))) DO "
    if leavesExisting { return text + "NOTHING" }
    text += "UPDATE SET \(settings.joined(separator: ", "))"
    if let mark = batch.changeMark {
      text += " WHERE \(entity.column(mark)) IS NOT excluded.\(entity.column(mark))"
    }
    return text
  }

  /// Returns the condition for writing a row that marks of another entity may exclude. The row's cells are
  /// the first parameters, followed by the value that is compared with the marks.
  private func isAllowed(_ exclusion: BatchUpsert.Exclusion, _ batch: BatchUpsert) -> String {
    let (marks, rows) = (model[exclusion.entity], model[batch.rows.entity])
    let place = { (attribute: Int) in "?\((batch.rows.columns.firstIndex(of: attribute) ?? 0) + 1)" }
    let same =
      ["\(marks.column(exclusion.attribute)) = ?\(batch.rows.columns.count + 1)"]
      + exclusion.shared.map { "\(marks.column($0.mark)) = \(place($0.row))" }
    let known = batch.unique.map { "\(rows.column($0)) IS \(place($0))" }
    return "NOT EXISTS (SELECT 1 FROM \(marks.table) WHERE \(same.joined(separator: " AND "))) "
      + "OR EXISTS (SELECT 1 FROM \(rows.table) WHERE \(known.joined(separator: " AND ")))"
  }
}
