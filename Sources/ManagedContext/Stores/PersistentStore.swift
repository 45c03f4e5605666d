/// Keeps the rows of a model: a file, memory, or another machine.
///
/// It speaks of entities, rows, predicates and change sets, never of SQL. Reading may happen on any thread and
/// at any time, also while ``write(_:)`` runs, and sees what was last committed. One thread writes at a time:
/// the root context's.
public protocol PersistentStore: AnyObject, Sendable {
  /// Reads rows.
  func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch

  /// Counts rows without reading them.
  func count(_ query: StoreQuery) throws(StoreError) -> Int

  /// Writes change sets in one transaction.
  ///
  /// A change set that cannot be written fails alone and leaves no trace; the others are committed together.
  /// - Returns: A result for each change set, in order.
  func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>]
}

/// What a store is asked for.
public struct StoreQuery: Sendable {
  /// The entity whose rows are wanted.
  public var entity: EntityIndex
  /// Which rows; nil for all.
  public var predicate: FetchPredicate?
  /// The order; ties and an empty list fall back to the order of the keys.
  public var sort: [SortDescriptor]
  /// Rows to skip.
  public var offset: Int
  /// At most so many rows; nil for all.
  public var limit: Int?
  /// The attributes (by index) that are wanted; nil for all of them.
  public var columns: [Int]?

  /// Asks for rows of an entity.
  public init(
    entity: EntityIndex, predicate: FetchPredicate? = nil, sort: [SortDescriptor] = [], offset: Int = 0,
    limit: Int? = nil, columns: [Int]? = nil
  ) {
    self.entity = entity
    self.predicate = predicate
    self.sort = sort
    self.offset = offset
    self.limit = limit
    self.columns = columns
  }
}

/// Why a store could not be opened, read or written.
public enum StoreError: Error, Sendable, Equatable {
  /// Another process held the store for longer than we wait.
  case busy
  /// No more can be written: the disk or a quota is full.
  case full(String)
  /// The file or its folder may not be written.
  case readOnly(String)
  /// The file cannot be opened or made.
  case cannotOpen(String)
  /// The file is damaged or no store.
  case corrupt(String)
  /// The store was made by a newer version.
  case newer(version: Int, known: Int)
  /// The file belongs to another program.
  case foreign(String)
  /// Reading or writing failed.
  case inputOutput(String)
  /// Another context saved these objects first.
  case conflict([ManagedObjectID])
  /// A value breaks a rule of the model.
  case invalid(String)
}

extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .busy: "the store is busy: another process is writing"
    case .full(let cause): "the store is full: \(cause)"
    case .readOnly(let cause): "the store is read-only: \(cause)"
    case .cannotOpen(let cause): "the store cannot be opened: \(cause)"
    case .corrupt(let cause): "the store is corrupt or not a newsimport store: \(cause)"
    case .newer(let version, let known):
      "the store has version \(version), newer than the \(known) that this program knows"
    case .foreign(let cause): "this is not a newsimport store but a foreign file: \(cause)"
    case .inputOutput(let cause): "the store cannot be read or written: \(cause)"
    case .conflict(let ids): "another context saved \(ids.count) of these objects first"
    case .invalid(let cause): "a value breaks a rule of the model: \(cause)"
    }
  }
}
