internal import SQLStatements

extension VersionTable {
  var triggers: [(name: String, sql: String)] {
    [
      (
        updateTrigger,
        """
        CREATE TRIGGER \(quoted(updateTrigger)) AFTER UPDATE ON \(ownerTable) WHEN \(isChanged) \
        BEGIN \(insertion); END
        """
      ),
      (
        deleteTrigger,
        "CREATE TRIGGER \(quoted(deleteTrigger)) AFTER DELETE ON \(ownerTable) BEGIN \(deletion); END"
      ),
    ]
  }
}
