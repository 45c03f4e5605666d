/// How far an index has followed its store.
struct SearchState: Equatable {
  /// The transaction of the store's history up to which all is indexed; while rows are gone through, that from which the
  /// history is followed afterwards.
  var token: Int64
  /// Tells that transaction from one of another file under the same number; 0 where it is not known.
  var mark: Int64
  /// The key up to which rows are compared; nil when all were.
  var scanned: Int64?
  /// Rows of the index that nothing leads to any more.
  var dead: Int

  /// What a store's history says now.
  struct History: Equatable {
    /// 0 for none.
    var newest: Int64
    /// The oldest transaction that is kept; nil where none is.
    var oldest: Int64?
    /// The ``SearchState/mark`` of our transaction; nil where it is not kept.
    var mark: Int64?
  }

  /// What to do next.
  enum Step: Equatable {
    case nothing
    /// The store is another one, or too much of the index is of no use.
    case startAnew
    /// Compare rows behind a key.
    case scan(after: Int64)
    /// Too much was forgotten of the history: compare all rows.
    case scanAll
    case follow
  }

  /// - Parameter rows: How many rows were ever added to the index.
  func step(_ history: History, rows: Int) -> Step {
    if history.newest < token { return .startAnew }
    if let found = history.mark, mark != 0, found != mark { return .startAnew }
    if dead > Self.leastWaste, dead > rows / 2 { return .startAnew }
    if let scanned { return .scan(after: scanned) }
    if history.newest == token { return .nothing }
    guard let oldest = history.oldest, oldest <= token + 1 else { return .scanAll }
    return .follow
  }

  /// Fewer are not worth an index of their own.
  static let leastWaste = 10_000
}
