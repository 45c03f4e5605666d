/// The changes between two states of fetched results, as a batch update for a list that displays them.
///
/// A list applies them in two steps. It first removes ``deletions`` and the origins of ``moves``, then
/// ``deletedSections``; their positions refer to the old state. It then adds ``insertedSections``,
/// ``insertions`` and the destinations of ``moves``; their positions refer to the new state.
///
/// A deleted section's objects are also deleted or moved one by one, and an inserted section's objects are
/// inserted or moved there. A list without moves may treat a move as a deletion and an insertion.
public struct FetchedChanges: Sendable, Hashable {
  /// An object that was deleted or inserted.
  public struct Place: Sendable, Hashable {
    /// The object.
    public let id: ManagedObjectID
    /// The object's position: in the old results for a deletion, in the new results for an insertion.
    public let path: FetchedIndexPath
  }

  /// An object that changed its order among the remaining objects, or its section.
  public struct Move: Sendable, Hashable {
    /// The object, under its current ID.
    public let id: ManagedObjectID
    /// The position in the old results.
    public let from: FetchedIndexPath
    /// The position in the new results.
    public let to: FetchedIndexPath
    /// True if the object's values also changed. The object then has no separate entry in
    /// ``FetchedChanges/updates``.
    public let isUpdated: Bool
  }

  /// An object with changed values and an unchanged order among the other objects.
  public struct Update: Sendable, Hashable {
    /// The object.
    public let id: ManagedObjectID
    /// The position in the old results. It can differ from ``after`` because of changes around the object.
    public let before: FetchedIndexPath
    /// The position in the new results.
    public let after: FetchedIndexPath
  }

  /// Deleted sections, by their old indices, ascending.
  public internal(set) var deletedSections: [Int] = []
  /// Inserted sections, by their new indices, ascending.
  public internal(set) var insertedSections: [Int] = []
  /// Deleted objects, sorted by their old positions.
  public internal(set) var deletions: [Place] = []
  /// Inserted objects, sorted by their new positions.
  public internal(set) var insertions: [Place] = []
  /// Moved objects, sorted by their new positions. As few changed objects as possible are moves.
  public internal(set) var moves: [Move] = []
  /// Objects that were updated in place, sorted by their old positions.
  public internal(set) var updates: [Update] = []

  init() {}

  /// True if nothing changed.
  public var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty && insertions.isEmpty
      && moves.isEmpty && updates.isEmpty
  }
}
