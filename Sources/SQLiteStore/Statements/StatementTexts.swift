internal import ManagedContext
internal import Threading

/// The texts of statements that a store writes again and again: making one is longer work than running it.
final class StatementTexts: Sendable {
  private let upserts = Locked<[UpsertShape: String]>([:])
  private let updates = Locked<[UpdateShape: String]>([:])

  /// The text for batches of a shape.
  func upsert(_ shape: UpsertShape, make: () -> String) -> String { Self.text(of: shape, in: upserts, make) }

  /// The text for edits of a shape.
  func update(_ shape: UpdateShape, make: () -> String) -> String { Self.text(of: shape, in: updates, make) }

  private static func text<Shape: Hashable>(
    of shape: Shape, in texts: Locked<[Shape: String]>, _ make: () -> String
  ) -> String {
    if let known = texts.withLock({ $0[shape] }) { return known }
    let text = make()
    texts.withLock { $0[shape] = text }
    return text
  }
}

/// What tells the statements of two edits apart.
struct UpdateShape: Hashable, Sendable {
  let entity: EntityIndex
  let columns: [Int]
  let comparesVersion: Bool
}

/// What tells the statements of two batches apart.
struct UpsertShape: Hashable, Sendable {
  let entity: EntityIndex
  let columns: [Int]
  let unique: [Int]
  let kept: [Int]
  let editCounter: Int?
  let changeMark: Int?
  /// The entity of the marks that exclude rows, and the attributes that are compared; nil for none.
  let exclusion: [Int]?

  init(_ batch: BatchUpsert) {
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
