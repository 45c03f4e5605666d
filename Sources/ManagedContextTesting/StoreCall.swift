public import ManagedContext

/// A call of a ``TestStore``.
public struct StoreCall: Sendable {
  /// The kinds of calls.
  public enum Operation: Sendable, Hashable {
    /// A query for rows.
    case fetch
    /// A query for the number of rows.
    case count
    /// A query for a summary of rows.
    case groups
    /// One change set. The change sets of one transaction are calls of their own, because each can fail alone.
    case write
    /// A use of the history: its transactions, consumers or versions.
    case history
  }

  /// The kind of the call.
  public let operation: Operation
  /// The entity that a query reads, by its place in the model (`ManagedObjectModel.index(of:)`); nil for other
  /// operations.
  public let entity: EntityIndex?
  /// The changes to write; nil for other operations.
  public let changes: ChangeSet?

  init(_ operation: Operation, entity: EntityIndex? = nil, changes: ChangeSet? = nil) {
    (self.operation, self.entity, self.changes) = (operation, entity, changes)
  }
}
