package import ManagedContext

/// The batch properties that determine the text of its statement.
package struct UpsertShape: Hashable, Sendable {
  package let entity: EntityIndex
  package let columns: [Int]
  package let unique: [Int]
  package let kept: [Int]
  package let editCounter: Int?
  package let changeMark: Int?
  /// The entity with marks that exclude rows, followed by the compared attributes; nil without exclusion.
  package let exclusion: [Int]?
  /// True if existing rows are not updated.
  package let leavesExisting: Bool

  package init(_ batch: BatchUpsert, leavesExisting: Bool = false) {
    self.leavesExisting = leavesExisting
    entity = batch.rows.entity
    columns = batch.rows.columns
    unique = batch.unique
    kept = batch.kept
    editCounter = batch.editCounter
    changeMark = batch.changeMark
    exclusion = batch.exclusion.map { exclusion in
      [Int(exclusion.entity), exclusion.attribute] + exclusion.shared.flatMap { [$0.mark, $0.row] }
    }
  }
}
