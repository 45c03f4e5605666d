package import ManagedContext

extension PostgreSQLStore {
  /// Returns whether another program has changed objects with SQL since the last save, so that the history does not contain
  /// these changes yet. Only changes of ``ManagedContext/HistoryOptions/oldValues`` are found.
  package func hasUnrecordedChanges() throws(StoreError) -> Bool {
    let tables = VersionTable.all(of: model).map(\.table)
    return try read { (connection) throws(ServerError) in
      for table in tables {
        let found = Statement("SELECT EXISTS (SELECT 1 FROM \(table) WHERE token IS NULL)::int")
        if try connection.run(found).isTrue(0, 0) { return true }
      }
      return false
    }
  }

  /// Records the changes that other programs have made with SQL since the last save. Nothing is written without such changes.
  package func recordChangesOfOthers() throws(StoreError) {
    guard try hasUnrecordedChanges() else { return }
    // Each write records them.
    for result in write([ChangeSet(mergePolicy: .error)]) { _ = try result.get() }
  }

  /// Returns the reason why the tables do not keep all changes: a trigger that another program has removed or disabled; nil if they
  /// do.
  package func historyFault() throws(StoreError) -> String? {
    let triggers = VersionTable.all(of: model).flatMap(\.triggerNames)
    guard !triggers.isEmpty else { return nil }
    let found = Statement(
      """
      SELECT name FROM unnest(ARRAY[\(triggers.map(literal).joined(separator: ", "))]::text[]) AS name WHERE NOT EXISTS \
      (SELECT 1 FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid WHERE tgname = name AND tgenabled <> 'D' \
      AND pg_table_is_visible(tgrelid)) LIMIT 1
      """)
    let missing = try read { (connection) throws(ServerError) in
      let rows = try connection.run(found)
      return rows.count > 0 ? rows.text(0, 0) : nil
    }
    return missing.map { "the trigger \($0), which keeps old values, is missing or disabled" }
  }
}
