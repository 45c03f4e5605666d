public import ManagedContext
internal import SQLStatements

extension PostgreSQLStore {
  /// Returns whether another program has changed objects with SQL since the last save. The history does not
  /// contain these changes yet. Only changes in ``HistoryOptions/oldValues`` are found.
  public func hasUnrecordedChanges() throws(StoreError) -> Bool {
    try read { (connection) throws(ServerError) in
      try ServerError.ofConnection {
        try versionTables.contains { try VersionKeeping($0, on: connection).hasUnfinished() }
      }
    }
  }

  /// Records the changes that other programs have made with SQL since the last save, if there are any.
  public func recordChangesOfOthers() throws(StoreError) {
    guard try hasUnrecordedChanges() else { return }
    // Each write records them.
    for result in write([ChangeSet(mergePolicy: .error)]) { _ = try result.get() }
  }

  /// Records the changes that other programs made with SQL, as a transaction without an author and a process.
  func adoptChangesOfOthers(_ transaction: ServerTransaction) throws(StoreError) {
    try describingErrors(store: name) {
      for table in versionTables {
        try VersionKeeping(table, on: transaction.connection).adopt(store: number) { changes in
          guard options.keepsHistory else { return 0 }
          let row = NewHistoryRow(changes, [:], author: nil, model)
          return try append([row], process: 0, save: 0, date: now(), transaction)
        }
      }
    }
  }

  /// Completes a save's new versions, inside its transaction.
  ///
  /// - Parameter noted: The save's transactions, in order; nil if the store records none.
  func finishVersions(as noted: NotedTransactions?, on connection: Connection) throws(StoreError) {
    try describingErrors(store: name) {
      for table in versionTables {
        try VersionKeeping(table, on: connection).finish(as: noted, store: number)
      }
    }
  }

  /// Returns the reason why changes are lost: a trigger was removed or disabled by another program; or nil.
  public func historyFault() throws(StoreError) -> String? {
    let triggers = versionTables.flatMap(\.triggerNames)
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
