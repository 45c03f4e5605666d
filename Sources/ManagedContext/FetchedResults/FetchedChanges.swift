/// What became of fetched results between two states: the batch update of a list that shows them.
///
/// A list that follows takes out, of the state before, what ``deletions`` and the origins of ``moves`` name, then
/// ``deletedSections``; it puts in ``insertedSections``, then ``insertions`` and the ends of ``moves``, which name
/// places of the state after. What stands in a section that goes is deleted or moved object by object too, and what
/// stands in a new section is inserted or moved there. A list that cannot move may take a move for a deletion and
/// an insertion.
public struct FetchedChanges: Sendable, Hashable {
  /// An object that came or went.
  public struct Place: Sendable, Hashable {
    /// The object.
    public let id: ManagedObjectID
    /// Before, where it went; after, where it came.
    public let path: FetchedIndexPath
  }

  /// An object that stands elsewhere among those that stayed, or in another section.
  public struct Move: Sendable, Hashable {
    /// The object, under the ID that it has now.
    public let id: ManagedObjectID
    /// Where it stood before.
    public let from: FetchedIndexPath
    /// Where it stands after.
    public let to: FetchedIndexPath
    /// Whether its values changed as well; there is no update beside the move then.
    public let isUpdated: Bool
  }

  /// An object whose values changed, and which kept its place among the others.
  public struct Update: Sendable, Hashable {
    /// The object.
    public let id: ManagedObjectID
    /// Where it stood before: what others did around it may have shifted it.
    public let before: FetchedIndexPath
    /// Where it stands after.
    public let after: FetchedIndexPath
  }

  /// Sections, as numbered before, that are there no more; ascending.
  public internal(set) var deletedSections: [Int] = []
  /// Sections, as numbered after, that were not there before; ascending.
  public internal(set) var insertedSections: [Int] = []
  /// Objects that went, by their places before.
  public internal(set) var deletions: [Place] = []
  /// Objects that came, by their places after.
  public internal(set) var insertions: [Place] = []
  /// Objects that moved, as few as possible of those that changed, by their places after.
  public internal(set) var moves: [Move] = []
  /// Objects that changed where they stand, by their places before.
  public internal(set) var updates: [Update] = []

  init() {}

  /// Whether nothing changed.
  public var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty && insertions.isEmpty
      && moves.isEmpty && updates.isEmpty
  }
}
