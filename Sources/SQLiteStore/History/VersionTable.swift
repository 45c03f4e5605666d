internal import ManagedContext

/// The SQL of the table with the versions of an entity's objects (``ManagedContext/VersionEntity``).
///
/// A trigger inserts the rows, so that other programs' changes make versions too. The next save merges
/// changes, and adds the transaction (``VersionKeeping``).
struct VersionTable {
  let versions: VersionEntity
  let owner: EntityDescription
  /// The names of the tables, and of the column with the object's key, as SQL.
  let (ownerTable, table, object): (String, String, String)

  init(_ versions: VersionEntity, in model: ManagedObjectModel) {
    self.versions = versions
    owner = model[versions.owner]
    ownerTable = quoted(owner.name)
    table = quoted(VersionEntity.name(of: owner.name))
    object = quoted(VersionEntity.object(of: owner.name))
  }

  /// The tables of all entities with versions.
  static func all(of model: ManagedObjectModel) -> [VersionTable] {
    model.versionEntities.map { VersionTable($0, in: model) }
  }

  // MARK: Triggers

  /// The triggers, by name.
  var triggers: [(name: String, sql: String)] {
    [(updateTrigger, makeUpdateTrigger), (deleteTrigger, makeDeleteTrigger)]
  }

  private var updateTrigger: String { "\(owner.name)_version_update" }
  private var deleteTrigger: String { "\(owner.name)_version_delete" }

  private var makeUpdateTrigger: String {
    let names = versions.attributes.map { owner.attributes[$0].name }
    let isChanged = { (name: String) in "old.\(quoted(name)) IS NOT new.\(quoted(name))" }
    let changed = names.map { "CASE WHEN \(isChanged($0)) THEN ',\"\($0)\"' ELSE '' END" }
    let old = names.map { "CASE WHEN \(isChanged($0)) THEN old.\(quoted($0)) END" }
    // A save increments the row's version. Another program does not, so the note describes an earlier change.
    let note = versions.note.map {
      "CASE WHEN old.version IS NOT new.version THEN new.\(quoted(owner.attributes[$0].name)) END"
    }
    let columns = ["version", object, "number", "replaced", "changed", "note", "merged"] + names.map(quoted)
    let values =
      [
        "1", "old.id", "(SELECT coalesce(max(number), 0) + 1 FROM \(table) WHERE \(object) = old.id)",
        "CAST(strftime('%s', 'now') AS INTEGER)",
        "'[' || substr(\(changed.joined(separator: " || ")), 2) || ']'",
        note ?? "NULL", "0",
      ] + old
    return """
      CREATE TRIGGER \(quoted(updateTrigger)) AFTER UPDATE ON \(ownerTable) \
      WHEN \(names.map(isChanged).joined(separator: " OR ")) \
      BEGIN INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", "))); END
      """
  }

  private var makeDeleteTrigger: String {
    """
    CREATE TRIGGER \(quoted(deleteTrigger)) AFTER DELETE ON \(ownerTable) \
    BEGIN DELETE FROM \(table) WHERE \(object) = old.id; END
    """
  }

  // MARK: Values

  /// The names of the fixed columns that a ``VersionRow`` has.
  static let header = "id, number, replaced, changed, note, token, merged"
  /// The number of columns of ``header``.
  static let headerCount = 7

  /// Returns whether a version has an old value of an attribute, as SQL.
  func has(_ attribute: Int) -> String { "instr(changed, '\"\(owner.attributes[attribute].name)\"') > 0" }

  /// Returns the attributes whose names are in a JSON array, as the trigger writes it.
  func attributes(named json: [UInt8]) -> AttributeSet { owner.attributes(named: json) }

  /// Returns the JSON array of the names of attributes.
  func names(of attributes: AttributeSet) -> String { versions.names(of: attributes, in: owner) }
}
