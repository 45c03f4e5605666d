public import ManagedContext

/// The SQL for the table with an entity's object versions (``ManagedContext/VersionEntity``).
///
/// A trigger inserts the rows, so that other programs' changes make versions too. The next save merges
/// changes and adds the transaction (``VersionKeeping``).
public struct VersionTable: Sendable {
  public let versions: VersionEntity
  public let owner: EntityDescription
  /// The names of the tables and of the column with the object's key, as SQL.
  public let (ownerTable, table, object): (String, String, String)
  private let dialect: SQLDialect

  public init(_ versions: VersionEntity, in model: ManagedObjectModel, _ dialect: SQLDialect) {
    self.versions = versions
    self.dialect = dialect
    owner = model[versions.owner]
    ownerTable = owner.table
    table = quoted(VersionEntity.name(of: owner.name))
    object = quoted(VersionEntity.object(of: owner.name))
  }

  /// Returns the tables for all entities with versions.
  public static func all(of model: ManagedObjectModel, _ dialect: SQLDialect) -> [VersionTable] {
    model.versionEntities.map { VersionTable($0, in: model, dialect) }
  }

  // MARK: Triggers

  /// The names of the triggers that run after an object is updated, and after one is deleted.
  public static func triggers(of owner: String) -> [String] {
    ["\(owner)_version_update", "\(owner)_version_delete"]
  }

  /// The trigger that runs after an object is updated.
  public var updateTrigger: String { Self.triggers(of: owner.name)[0] }
  /// The trigger that runs after an object is deleted.
  public var deleteTrigger: String { Self.triggers(of: owner.name)[1] }

  private func isChanged(_ attribute: Int) -> String {
    "old.\(owner.column(attribute)) \(dialect.isDifferent) new.\(owner.column(attribute))"
  }

  /// The condition that an update replaces a value.
  public var isChanged: String { versions.attributes.map(isChanged).joined(separator: " OR ") }

  /// The trigger's statement that inserts a version with the old values.
  public var insertion: String {
    let changed = versions.attributes.map {
      "CASE WHEN \(isChanged($0)) THEN ',\"\(owner.attributes[$0].name)\"' ELSE '' END"
    }
    let old = versions.attributes.map { "CASE WHEN \(isChanged($0)) THEN old.\(owner.column($0)) END" }
    // A save increments the row's version. Another program does not, so the note describes an earlier change.
    let note = versions.note.map {
      "CASE WHEN old.version \(dialect.isDifferent) new.version THEN new.\(owner.column($0)) END"
    }
    let columns =
      ["version", object, "number", "replaced", "changed", "note", "merged"]
      + versions.attributes.map(owner.column)
    let values =
      [
        "1", "old.id", "(SELECT coalesce(max(number), 0) + 1 FROM \(table) WHERE \(object) = old.id)",
        dialect.now,
        "'[' || substr(\(changed.joined(separator: " || ")), 2) || ']'", note ?? "NULL", "0",
      ] + old
    return
      "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
  }

  /// The trigger's statement that deletes a deleted object's versions.
  public var deletion: String { "DELETE FROM \(table) WHERE \(object) = old.id" }

  // MARK: Statements

  /// The fixed columns that make a ``VersionRow``.
  public static let header = "id, number, replaced, changed, note, token, merged"
  /// The column count of ``header``.
  public static let headerCount = 7

  /// The statement that yields the versions not yet completed by a save, with their object keys.
  public var unfinished: String {
    "SELECT \(Self.header), \(object) FROM \(table) WHERE token IS NULL ORDER BY \(object), number"
  }

  /// The statement that yields a row if another program has added a version.
  public var hasUnfinished: String { "SELECT 1 FROM \(table) WHERE token IS NULL LIMIT 1" }

  /// Returns the condition that a version has an old value for an attribute.
  func has(_ attribute: Int) -> String {
    dialect.contains("changed", "'\"\(owner.attributes[attribute].name)\"'")
  }

  /// Returns the statements that remove a version: the previous one is then followed by the values after it.
  public func merging(
    _ row: VersionRow, into last: VersionRow
  ) -> [(text: String, values: [SQLValue])] {
    let added = row.change.attributes.subtracting(last.change.attributes)
    let settings = versions.attributes.filter { added.contains(AttributeSet(index: $0)) }
      .map { "\(owner.column($0)) = removed.\(owner.column($0))" }
    let names = versions.names(of: last.change.attributes.union(row.change.attributes), in: owner)
    return [
      (
        """
        UPDATE \(table) AS kept SET \((settings + ["changed = $1", "merged = kept.merged + 1"]).joined(separator: ", ")) \
        FROM \(table) AS removed WHERE kept.id = $2 AND removed.id = $3
        """, [.text(names), .integer(last.key), .integer(row.key)]
      ),
      ("DELETE FROM \(table) WHERE id = $1", [.integer(row.key)]),
    ]
  }
}
