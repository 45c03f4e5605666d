/// An index's progress relative to its store.
public struct SearchState: Sendable, Equatable {
  /// The history transaction up to which the index is current. During a full scan, it is the last transaction
  /// before the scan; later ones are indexed after the scan.
  public var token: Int64
  /// The process number of that transaction, to distinguish it from another file's transaction; 0 if unknown.
  public var mark: Int64
  /// The key up to which rows were compared; nil if the scan is complete.
  public var scanned: Int64?
  /// The count of index rows that no longer have a document.
  public var dead: Int

  /// Creates a value.
  public init(token: Int64, mark: Int64, scanned: Int64?, dead: Int = 0) {
    (self.token, self.mark, self.scanned, self.dead) = (token, mark, scanned, dead)
  }

  /// The current state of a store's history.
  public struct History: Sendable, Equatable {
    /// The newest transaction; 0 if the history is empty.
    public var newest: Int64
    /// The oldest transaction in the history; nil if the history is empty.
    public var oldest: Int64?
    /// The process number that the history has for ``SearchState/token``; nil if it was purged.
    public var mark: Int64?

    /// Creates a value.
    public init(newest: Int64, oldest: Int64? = nil, mark: Int64? = nil) {
      (self.newest, self.oldest, self.mark) = (newest, oldest, mark)
    }
  }

  /// The next update step.
  public enum Step: Sendable, Equatable {
    /// The index is current.
    case nothing
    /// Replace the index: it belongs to another store, or too many rows are dead.
    case startOver
    /// Compare the rows after a key.
    case scan(after: Int64)
    /// Compare all rows, because required transactions were purged from the history.
    case scanAll
    /// Index the changes since the last transaction.
    case follow
  }

  /// Returns the next step of an update.
  ///
  /// - Parameters:
  ///   - history: The current state of the store's history.
  ///   - rows: The count of rows ever added to the index.
  public func step(_ history: History, rows: Int) -> Step {
    if history.newest < token { return .startOver }
    if let found = history.mark, mark != 0, found != mark { return .startOver }
    if dead > Self.leastWaste, dead > rows / Self.mostWaste { return .startOver }
    if let scanned { return .scan(after: scanned) }
    if history.newest == token { return .nothing }
    guard let oldest = history.oldest, oldest <= token + 1 else { return .scanAll }
    return .follow
  }

  /// The dead-row count up to which the index is never replaced.
  static let leastWaste = 1000

  /// The share of dead rows above which the index is replaced: one row in five. Each edited row then costs four
  /// other rows, which are indexed again.
  ///
  /// Only SQLite 3.43 and later can remove a row's words from the index (`contentless_delete`).
  static let mostWaste = 5
}
