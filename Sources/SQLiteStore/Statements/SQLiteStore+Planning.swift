internal import GRDB
internal import ManagedContext

extension SQLiteStore {
  /// Returns whether scanning the rows in their sort order finds the first rows sooner than reading and sorting all
  /// rows that a condition on another entity selects.
  ///
  /// SQLite would always read and sort, because it does not know that the condition selects half of a million rows.
  /// This method first counts the rows of the other entity, up to the relevant number.
  func goesByOrder(_ query: StoreQuery, _ db: Database) throws -> Bool {
    guard let choice = OrderedChoice(query, sql.model) else { return false }
    let rows = try greatestKey(of: query.entity, db)
    let others = try greatestKey(of: choice.named.entity, db)
    guard let enough = OrderedChoice.enough(rows: rows, others: others) else { return false }
    var named = choice.named
    named.limit = enough
    return try RowReader.numbers(db, sql.count(named))[0] >= enough
  }

  /// Returns the approximate number of rows, in constant time.
  private func greatestKey(of entity: EntityIndex, _ db: Database) throws -> Int64 {
    try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM \(quoted(sql.model[entity].name))")) ?? 0
  }
}

/// A query for the first rows in the order of an index, restricted to rows with a reference to the result of another
/// query.
struct OrderedChoice {
  /// The query for the allowed references.
  let named: StoreQuery

  /// Returns nil for any other query.
  init?(_ query: StoreQuery, _ model: ManagedObjectModel) {
    guard query.limit != nil, let first = query.sort.first?.attribute,
      model[query.entity].indexes.contains(where: { $0.first == first }),
      let named = query.predicate?.reference
    else { return nil }
    self.named = named
  }

  /// The number of rows below which reading and sorting is faster than scanning a whole index.
  private static let fewRows = 20_000.0

  /// Returns the number of selected rows of the other entity from which on a scan in order is faster, assuming that
  /// each has the same number of rows; nil if the entity has few rows or the other entity has none.
  static func enough(rows: Int64, others: Int64) -> Int? {
    guard Double(rows) > fewRows, others > 0 else { return nil }
    return Int(min(fewRows * Double(others) / Double(rows), 1e9)) + 1
  }
}

extension StorePredicate {
  /// The query for the allowed values of a reference that every matching row must satisfy; nil if no such condition
  /// exists.
  fileprivate var reference: StoreQuery? {
    switch self {
    case .amongRows(.some, let query): query
    case .all(let parts): parts.lazy.compactMap(\.reference).first
    default: nil
    }
  }
}
