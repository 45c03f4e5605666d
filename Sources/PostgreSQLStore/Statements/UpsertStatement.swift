internal import ManagedContext

/// The input of a statement: the arrays of a batch as a table with the columns `c0`, `c1`, …
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

/// The statement that writes the rows of a batch, which are passed as one array for each column.
struct UpsertStatement {
  private(set) var statement: Statement

  /// Returns a statement that inserts the rows of a range, or updates the rows with the same unique attributes. It yields the key
  /// of each written row, and whether it was inserted.
  ///
  /// Existing rows are updated first, so that they take no keys of new ones. What another process inserts meanwhile is updated by
  /// the insertion (postgresql.org/docs/15/sql-insert.html).
  init(_ batch: BatchUpsert, rows range: Range<Int>, _ model: ManagedObjectModel) {
    let entity = model[batch.rows.entity]
    var input = ArrayInput(model)
    let rows = batch.rows.subset(range)
    for (place, index) in rows.columns.enumerated() {
      let type = entity.serverType(index)
      input.add(type, "c\(place)") { $0.append(column: place, of: rows, type) }
    }
    if let exclusion = batch.exclusion {
      input.add(.integer, "excluded_by") { $0.append(exclusion.values[range]) }
    }
    let upsert = Upsert(batch, model)
    input.builder.append("WITH input AS MATERIALIZED (SELECT * FROM \(input.table))")
    if !batch.unique.isEmpty { input.builder.append(", updated AS (\(upsert.update))") }
    input.builder.append(", inserted AS (\(upsert.insert)) ")
    if !batch.unique.isEmpty { input.builder.append("SELECT id, 0 FROM updated UNION ALL ") }
    // A row that was just inserted has no earlier state.
    input.builder.append("SELECT id, is_new FROM inserted")
    statement = input.builder.statement
  }

  /// Returns a statement that writes an edit, and yields the keys of the rows that had the expected versions.
  static func edit(_ batch: BatchEdit, _ model: ManagedObjectModel) -> Statement {
    let entity = model[batch.rows.entity]
    var input = ArrayInput(model)
    input.add(.integer, "key") { $0.append(batch.rows.keys) }
    input.add(.integer, "old_version") { $0.append(batch.rows.versions) }
    for (place, index) in batch.rows.columns.enumerated() {
      let type = entity.serverType(index)
      input.add(type, "c\(place)") { $0.append(column: place, of: batch.rows, type) }
    }
    let settings = batch.rows.columns.enumerated().map {
      "\(entity.column($0.element)) = input.c\($0.offset)"
    }
    input.builder.append(
      """
      UPDATE \(entity.table) AS row SET \((settings + ["version = version + 1"]).joined(separator: ", ")) \
      FROM \(input.table) WHERE row.id = input.key AND row.version = input.old_version RETURNING row.id
      """)
    return input.builder.statement
  }
}

/// The parts of the statement for a ``BatchUpsert``.
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

  /// The condition that a row of the table is the same as one of the input.
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

  /// True if existing rows stay as they are: the mark of a change is the same in a row with the same unique attributes.
  var leavesRows: Bool { batch.changeMark.map(batch.unique.contains) ?? false }

  private func isChanged(_ source: (Int) -> String) -> String? {
    batch.changeMark.map { "row.\(entity.column($0)) IS DISTINCT FROM \(source($0))" }
  }

  var update: String {
    let conditions = [isSame, isChanged(input)].compactMap(\.self).joined(separator: " AND ")
    return """
      UPDATE \(entity.table) AS row SET \(settings(from: input)) FROM input WHERE \(conditions) \
      RETURNING row.id, input.place
      """
  }

  /// The conditions for the insertion of a row of the input.
  private var conditions: String {
    var conditions: [String] = []
    if !batch.unique.isEmpty {
      conditions.append("NOT EXISTS (SELECT 1 FROM \(entity.table) AS row WHERE \(isSame))")
    }
    if let exclusion = batch.exclusion { conditions.append("NOT EXISTS (\(excluding(exclusion)))") }
    return conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
  }

  /// Returns the statement for the rows of several change sets.
  ///
  /// It yields the key and the place of each updated row (0) and of each row that was missing (1), and the number of inserted rows
  /// (2). There are more missing rows than inserted ones if another writer has inserted some at the same time.
  ///
  /// Where existing rows stay as they are, such rows count as existing. Nothing is locked then, and rows are inserted in one order by
  /// all processes, so that they do not wait for each other in a circle.
  ///
  /// - Parameters:
  ///   - table: The input as a table.
  ///   - keys: An array with keys for the first of the missing rows.
  func grouped(from table: String, keys: String) -> String {
    let updated = batch.unique.isEmpty || leavesRows ? "" : ", updated AS (\(update))"
    let key = """
      coalesce((\(keys)::bigint[])[row_number() OVER (ORDER BY input.place)], \
      nextval((SELECT \(Tables.sequence(of: entity)))))
      """
    return """
      WITH input AS MATERIALIZED (SELECT * FROM \(table))\(updated), \
      missing AS MATERIALIZED (SELECT input.*, \(key) AS key FROM input\(conditions)), \
      inserted AS (\(insert(from: "missing AS input", key: "input.key", where: "", order: order))) \(results)
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

  var insert: String { insert(from: "input", key: nil, where: conditions) }

  private func insert(
    from source: String, key: String?, where conditions: String, order: String = "input.place"
  ) -> String {
    // Attributes without a column in the batch start with their default, as in other inserts.
    let missing = entity.attributes.indices.filter {
      !batch.rows.columns.contains($0) && !entity.attributes[$0].defaultValue.isNull
    }
    var names = batch.rows.columns.map(entity.column) + missing.map(entity.column) + ["version"]
    var values =
      batch.rows.columns.indices.map { "input.c\($0)" }
      + missing.map { entity.attributes[$0].defaultValue.expression } + ["1"]
    if let key {
      names.append("id")
      values.append(key)
    }
    var text =
      """
      INSERT INTO \(entity.table) AS row (\(names.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) \
      FROM \(source)\(conditions)
      """
    text += " ORDER BY \(order)"
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

  /// The marks of another entity that exclude a row of the input.
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

extension RowBatch {
  /// Returns the rows of a range; the arena is shared.
  fileprivate func subset(_ range: Range<Int>) -> RowBatch {
    if range == 0..<count { return self }
    var part = RowBatch(entity: entity, columns: columns, bytes: bytes)
    for row in range {
      part.beginRow(key: keys[row], version: versions[row])
      for column in columns.indices { part.append(cell(row: row, column: column)) }
    }
    return part
  }
}

extension AttributeValue {
  /// The value as an SQL expression.
  fileprivate var expression: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): "'\(number)'::double precision"
    case .text(let text): literal(text)
    case .bytes(let bytes):
      "decode('\(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())', 'hex')"
    case .reference(let id): String(id.key)
    }
  }
}
