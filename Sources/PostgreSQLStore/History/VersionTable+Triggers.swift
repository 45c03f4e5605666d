internal import SQLStatements

extension VersionTable {
  var triggerNames: [String] { [updateTrigger, deleteTrigger] }

  var triggers: [String] {
    let (update, delete) = (quoted(updateTrigger), quoted(deleteTrigger))
    return [
      """
      CREATE FUNCTION \(update)() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN \(insertion); RETURN NULL; END $body$
      """,
      """
      CREATE TRIGGER \(update) AFTER UPDATE ON \(ownerTable) FOR EACH ROW WHEN (\(isChanged)) EXECUTE FUNCTION \(update)()
      """,
      """
      CREATE FUNCTION \(delete)() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN \(deletion); RETURN NULL; END $body$
      """,
      "CREATE TRIGGER \(delete) AFTER DELETE ON \(ownerTable) FOR EACH ROW EXECUTE FUNCTION \(delete)()",
    ]
  }

  /// Returns the versions in a result that also has their object keys.
  func versions(in result: QueryResult) -> [Int64: [VersionRow]] {
    var versions = VersionsByObject(of: self)
    for row in 0..<result.count { versions.add(ResultRow(result: result, row: row)) }
    return versions.rows
  }
}
