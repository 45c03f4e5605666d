public import ManagedContext

/// The batch properties that determine the text of its statement.
public struct UpsertShape: Hashable, Sendable {
  public let entity: EntityIndex
  public let columns: [Int]
  public let unique: [Int]
  public let kept: [Int]
  public let editCounter: Int?
  public let changeMark: Int?
  /// The entity with marks that exclude rows, followed by the compared attributes; nil without exclusion.
  public let exclusion: [Int]?
  /// True if existing rows are not updated.
  public let leavesExisting: Bool

  public init(_ batch: BatchUpsert, leavesExisting: Bool = false) {
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
