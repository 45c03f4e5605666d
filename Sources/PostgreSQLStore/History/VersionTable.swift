internal import Foundation
internal import ManagedContext

/// The SQL of the table with the versions of an entity's objects (``ManagedContext/VersionEntity``).
///
/// A trigger inserts the rows, so that other programs' changes make versions too. The next save merges changes, and adds the
/// transaction (``VersionKeeping``).
struct VersionTable {
  let versions: VersionEntity
  let owner: EntityDescription
  /// The names of the tables, and of the column with the object's key, as SQL.
  let (ownerTable, table, object): (String, String, String)

  init(_ versions: VersionEntity, in model: ManagedObjectModel) {
    self.versions = versions
    owner = model[versions.owner]
    ownerTable = owner.table
    table = quoted(VersionEntity.name(of: owner.name))
    object = quoted(VersionEntity.object(of: owner.name))
  }

  /// The tables of all entities with versions.
  static func all(of model: ManagedObjectModel) -> [VersionTable] {
    model.versionEntities.map { VersionTable($0, in: model) }
  }

  // MARK: Triggers

  /// The names of the triggers.
  var triggerNames: [String] { ["update", "delete"].map { "\(owner.name)_version_\($0)" } }

  /// The statements that create the triggers.
  var triggers: [String] {
    let (update, delete) = (triggerNames[0], triggerNames[1])
    let names = versions.attributes.map { owner.attributes[$0].name }
    let isChanged = { (name: String) in "OLD.\(quoted(name)) IS DISTINCT FROM NEW.\(quoted(name))" }
    return [
      """
      CREATE FUNCTION \(quoted(update))() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN \(insertion(isChanged)); \
      RETURN NULL; END $body$
      """,
      """
      CREATE TRIGGER \(quoted(update)) AFTER UPDATE ON \(ownerTable) FOR EACH ROW \
      WHEN (\(names.map(isChanged).joined(separator: " OR "))) EXECUTE FUNCTION \(quoted(update))()
      """,
      """
      CREATE FUNCTION \(quoted(delete))() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN \
      DELETE FROM \(table) WHERE \(object) = OLD.id; RETURN NULL; END $body$
      """,
      """
      CREATE TRIGGER \(quoted(delete)) AFTER DELETE ON \(ownerTable) FOR EACH ROW EXECUTE FUNCTION \(quoted(delete))()
      """,
    ]
  }

  /// The statement that inserts a version with the old values.
  private func insertion(_ isChanged: (String) -> String) -> String {
    let names = versions.attributes.map { owner.attributes[$0].name }
    let changed = names.map { "CASE WHEN \(isChanged($0)) THEN ',\"\($0)\"' ELSE '' END" }
    let old = names.map { "CASE WHEN \(isChanged($0)) THEN OLD.\(quoted($0)) END" }
    // A save increments the row's version. Another program does not, so the note describes an earlier change.
    let note = versions.note.map {
      "CASE WHEN OLD.version IS DISTINCT FROM NEW.version THEN NEW.\(owner.column($0)) END"
    }
    let columns = ["version", object, "number", "replaced", "changed", "note", "merged"] + names.map(quoted)
    let values =
      [
        "1", "OLD.id", "(SELECT coalesce(max(number), 0) + 1 FROM \(table) WHERE \(object) = OLD.id)",
        "floor(extract(epoch FROM clock_timestamp()))",
        "'[' || substr(\(changed.joined(separator: " || ")), 2) || ']'",
        note ?? "NULL", "0",
      ] + old
    return
      "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
  }

  // MARK: Values

  /// The names of the fixed columns of a ``VersionRow``.
  static let header = "id, number, replaced, changed, note, token, merged"

  /// The statement that yields the versions that no save has completed yet.
  var unfinished: Statement {
    Statement(
      "SELECT \(Self.header), \(object) FROM \(table) WHERE token IS NULL ORDER BY \(object), number")
  }

  /// The statement that yields a row if another program has added a version.
  var hasUnfinished: Statement { Statement("SELECT 1 FROM \(table) WHERE token IS NULL LIMIT 1") }

  /// Returns the rows of a result that also has the key of the object, by that key and in their order.
  func rowsByObject(_ result: QueryResult) -> [Int64: [VersionRow]] {
    var rows: [Int64: [VersionRow]] = [:]
    for row in 0..<result.count {
      guard let object = result.integer(row, 7) else { continue }
      rows[object, default: []].append(VersionRow(result, row, of: self))
    }
    return rows
  }

  /// Returns whether a version has an old value of an attribute, as SQL.
  func has(_ attribute: Int) -> String { "strpos(changed, '\"\(owner.attributes[attribute].name)\"') > 0" }
}

extension VersionTable {
  /// Returns the statements that remove a version: the one before it is then followed by the values after it.
  func merging(_ removed: Int64, _ attributes: AttributeSet, into last: VersionRow) -> [Statement] {
    let added = attributes.subtracting(last.change.attributes)
    let settings = versions.attributes.filter { added.contains(AttributeSet(index: $0)) }
      .map { owner.column($0) }.map { "\($0) = removed.\($0)" }
    let names = versions.names(of: last.change.attributes.union(attributes), in: owner)
    return [
      Statement(
        """
        UPDATE \(table) AS kept SET \((settings + ["changed = $1", "merged = kept.merged + 1"]).joined(separator: ", ")) \
        FROM \(table) AS removed WHERE kept.id = $2 AND removed.id = $3
        """, .text(names), .integer(last.key), .integer(removed)),
      Statement("DELETE FROM \(table) WHERE id = $1", .integer(removed)),
    ]
  }
}

/// A row of a table of versions, without values.
struct VersionRow {
  let key: Int64
  let number: Int64
  var change: ObjectVersion.Change
  let token: Int64?
  let merged: Int

  /// Reads a row that begins with the columns of ``VersionTable/header``.
  init(_ result: QueryResult, _ row: Int, of table: VersionTable) {
    key = result.integer(row, 0) ?? 0
    number = result.integer(row, 1) ?? 0
    // Other programs may have written any number; the last one is in the year 9999.
    let seconds = min(max(0, result.real(row, 2) ?? 0), 253_402_300_799)
    change = ObjectVersion.Change(
      attributes: table.owner.attributes(named: result.bytes(row, 3) ?? []),
      date: Date(timeIntervalSince1970: seconds),
      note: result.integer(row, 4).map(Int.init))
    token = result.integer(row, 5)
    merged = Int(result.integer(row, 6) ?? 0)
  }

  var version: ObjectVersion {
    ObjectVersion(number: Int(number), change: change, transaction: token, mergedChanges: merged)
  }
}
