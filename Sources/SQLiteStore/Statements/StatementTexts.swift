internal import ManagedContext
internal import SQLStatements
internal import Threading

/// A cache for frequent statement texts. Building a text takes longer than executing its statement.
final class StatementTexts: Sendable {
  private let upserts = Locked<[UpsertShape: String]>([:])
  private let updates = Locked<[UpdateShape: String]>([:])

  func upsert(_ shape: UpsertShape, make: () -> String) -> String { Self.text(of: shape, in: upserts, make) }

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

/// The edit properties that determine the text of its statement.
struct UpdateShape: Hashable, Sendable {
  let entity: EntityIndex
  let columns: [Int]
  let comparesVersion: Bool
}
