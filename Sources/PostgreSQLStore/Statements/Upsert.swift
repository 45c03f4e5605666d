internal import ManagedContext
internal import SQLStatements

/// A statement's input: a batch's arrays as a table with the columns `c0`, `c1`, …
struct ArrayInput {
  var builder: StatementBuilder
  private var sources: [String] = []
  private(set) var names: [String] = []

  init(_ model: ManagedObjectModel) { builder = StatementBuilder(model) }

  mutating func add(_ type: ServerType, _ name: String, _ body: (inout Parameters) -> Void) {
    sources.append("\(builder.place(body))::\(type.array.name)")
    names.append(name)
  }

  /// The table, as SQL.
  var table: String {
    "unnest(\(sources.joined(separator: ", "))) WITH ORDINALITY AS input(\(names.joined(separator: ", ")), place)"
  }
}

/// The statement parts for a ``BatchUpsert``.
struct Upsert {
  private let batch: BatchUpsert
  private let entity: EntityDescription
  private let model: ManagedObjectModel

  init(_ batch: BatchUpsert, _ model: ManagedObjectModel) {
    (self.batch, self.model) = (batch, model)
    entity = model[batch.rows.entity]
  }

  private func input(_ attribute: Int) -> String {
    batch.rows.columns.firstIndex(of: attribute).map { "input.c\($0)" } ?? "NULL"
  }

  /// The condition that a table row equals an input row.
  private var isSame: String {
    batch.unique.map { entity.isSame($0, "row.\(entity.column($0))", as: input($0)) }.joined(
      separator: " AND ")
  }

  private func settings(from source: (Int) -> String) -> String {
    let left = Set(batch.unique + batch.kept + [batch.editCounter].compactMap(\.self))
    var settings = batch.rows.columns.filter { !left.contains($0) }.map {
      "\(entity.column($0)) = \(source($0))"
    }
    settings.append("version = row.version + 1")
    if let counter = batch.editCounter {
      settings.append("\(entity.column(counter)) = row.\(entity.column(counter)) + 1")
    }
    return settings.joined(separator: ", ")
  }

  /// True if existing rows stay as they are, because the change mark is a unique attribute.
  private var leavesRows: Bool { batch.changeMark.map(batch.unique.contains) ?? false }

  private func isChanged(_ source: (Int) -> String) -> String? {
    batch.changeMark.map { "row.\(entity.column($0)) IS DISTINCT FROM \(source($0))" }
  }

  private var update: String {
    let conditions = [isSame, isChanged(input)].compactMap(\.self).joined(separator: " AND ")
    return """
      UPDATE \(entity.table) AS row SET \(settings(from: input)) FROM input WHERE \(conditions) \
      RETURNING row.id, input.place
      """
  }

  /// The conditions for inserting an input row.
  private var conditions: String {
    var conditions: [String] = []
    if !batch.unique.isEmpty {
      conditions.append("NOT EXISTS (SELECT 1 FROM \(entity.table) AS row WHERE \(isSame))")
    }
    if let exclusion = batch.exclusion { conditions.append("NOT EXISTS (\(excluding(exclusion)))") }
    return conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
  }

  /// Returns the statement for rows from several change sets.
  ///
  /// It yields the key and place of each updated row (0) and each missing row (1), and the count of inserted
  /// rows (2). There are more missing than inserted rows if another writer has inserted some at the same
  /// time.
  ///
  /// If existing rows stay as they are, such rows count as existing. Nothing is locked then. All processes
  /// insert rows in the same order, so that they do not deadlock.
  ///
  /// - Parameters:
  ///   - table: The input as a table.
  ///   - keys: An array with keys for the first missing rows.
  func grouped(from table: String, keys: String) -> String {
    let updated = batch.unique.isEmpty || leavesRows ? "" : ", updated AS (\(update))"
    let key = """
      coalesce((\(keys)::bigint[])[row_number() OVER (ORDER BY input.place)], \
      nextval((SELECT \(Tables.sequence(of: entity)))))
      """
    return """
      WITH input AS MATERIALIZED (SELECT * FROM \(table))\(updated), \
      missing AS MATERIALIZED (SELECT input.*, \(key) AS key FROM input\(conditions)), \
      inserted AS (\(insertion)) \(results)
      """
  }

  private var results: String {
    if leavesRows {
      return """
        SELECT id, 1, place FROM inserted JOIN missing ON key = id UNION ALL SELECT count(*), 3, 0 FROM missing
        """
    }
    return """
      \(batch.unique.isEmpty ? "" : "SELECT id, 0, place FROM updated UNION ALL ")\
      SELECT key, 1, place FROM missing UNION ALL SELECT count(*), 2, 0 FROM inserted WHERE is_new = 1
      """
  }

  /// The order in which rows are inserted.
  private var order: String {
    leavesRows ? batch.unique.map(input).joined(separator: ", ") : "input.place"
  }

  private var insertion: String {
    // Attributes without a column in the batch start with their default, as in other inserts.
    let missing = entity.attributes.indices.filter {
      !batch.rows.columns.contains($0) && !entity.attributes[$0].defaultValue.isNull
    }
    let names = (batch.rows.columns + missing).map(entity.column) + ["version", "id"]
    let values =
      batch.rows.columns.indices.map { "input.c\($0)" }
      + missing.map { entity.attributes[$0].defaultValue.sqlExpression(.postgresql) } + ["1", "input.key"]
    var text =
      """
      INSERT INTO \(entity.table) AS row (\(names.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) \
      FROM missing AS input ORDER BY \(order)
      """
    if !batch.unique.isEmpty {
      let source = { (attribute: Int) in "excluded.\(entity.column(attribute))" }
      let target = batch.unique.map(entity.indexExpression).joined(separator: ", ")
      text += " ON CONFLICT (\(target)) DO "
      if leavesRows {
        text += "NOTHING"
      } else {
        text += "UPDATE SET \(settings(from: source))"
        if let isChanged = isChanged(source) { text += " WHERE \(isChanged)" }
      }
    }
    return text + " RETURNING row.id, (row.xmax = 0)::int AS is_new"
  }

  /// Returns a query for another entity's marks that exclude an input row.
  private func excluding(_ exclusion: BatchUpsert.Exclusion) -> String {
    let marks = model[exclusion.entity]
    let same =
      [
        marks.isSame(
          exclusion.attribute, "mark.\(marks.column(exclusion.attribute))", as: "input.excluded_by")
      ]
      + exclusion.shared.map { marks.isSame($0.mark, "mark.\(marks.column($0.mark))", as: input($0.row)) }
    return "SELECT 1 FROM \(marks.table) AS mark WHERE \(same.joined(separator: " AND "))"
  }
}
