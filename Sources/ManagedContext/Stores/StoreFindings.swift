/// The findings from a store check.
public struct StoreFindings: Sendable, Equatable {
  /// Descriptions of damage; empty if the store is intact.
  ///
  /// They include the engine's findings, values with a wrong type (at most 100 for each), and missing indexes
  /// that keep rows unique.
  public var damage: [String] = []
  /// The names of missing indexes. Reading is slower without them.
  public var missingIndexes: [String] = []

  /// Creates empty findings.
  public init() {}

  /// Creates findings of damage.
  public init(damage: [String]) { self.damage = damage }
}
