/// What a check of a store has found.
public struct StoreFindings: Sendable, Equatable {
  /// Descriptions of damage: those of the engine, values of a wrong type (at most 100 of each), and missing indexes that keep rows
  /// unique. Empty if the store is intact.
  public var damage: [String] = []
  /// The names of missing indexes. Reading is slower without them.
  public var missingIndexes: [String] = []

  /// Creates findings without any.
  public init() {}

  package init(damage: [String]) { self.damage = damage }
}
