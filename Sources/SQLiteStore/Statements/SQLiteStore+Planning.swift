internal import GRDB
internal import ManagedContext
internal import SQLStatements

extension SQLiteStore {
  /// Returns whether scanning the rows in their sort order finds the first rows sooner than reading and sorting all
  /// rows that a condition on another entity selects.
  ///
  /// SQLite would always read and sort, because it does not know that the condition selects half of a million rows.
  /// This method first counts the rows of the other entity, up to the relevant number.
  func goesByOrder(_ query: StoreQuery, _ db: Database) throws -> Bool {
    guard let choice = OrderedChoice(query, sql.model) else { return false }
    let rows = try greatestKey(of: query.entity, db)
    if let references = choice.references {
      let others = try greatestKey(of: references.entity, db)
      guard try has(OrderedChoice.enough(rows: rows, others: others), references, db) else { return false }
    }
    guard let named = choice.rows else { return true }
    return try has(OrderedChoice.enough(ofRows: rows), named, db)
  }

  /// Returns whether a query has a number of results; false for nil.
  private func has(_ count: Int?, _ query: StoreQuery, _ db: Database) throws -> Bool {
    guard let count, try count <= greatestKey(of: query.entity, db) else { return false }
    var query = query
    query.limit = count
    return try RowReader.numbers(db, FileStatement.count(query, sql.model))[0] >= count
  }

  /// Returns the approximate number of rows, in constant time.
  private func greatestKey(of entity: EntityIndex, _ db: Database) throws -> Int64 {
    try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM \(sql.model[entity].table)")) ?? 0
  }
}

/// A query for the first rows in the order of an index, restricted by the results of other queries.
struct OrderedChoice {
  /// The query for the allowed values of a reference; nil for any.
  let references: StoreQuery?
  /// The query for the keys of the allowed rows, such as those of the articles that are read; nil for any.
  let rows: StoreQuery?

  /// Returns nil for any other query.
  init?(_ query: StoreQuery, _ model: ManagedObjectModel) {
    guard query.limit != nil, let first = query.sort.first?.attribute,
      model[query.entity].indexes.contains(where: { $0.first == first })
    else { return nil }
    references = query.predicate?.other { $0 != nil }
    rows = query.predicate?.other { $0 == nil }
    if references == nil, rows == nil { return nil }
  }

  /// The number of rows below which reading and sorting is faster than scanning a whole index.
  private static let fewRows = 20_000.0

  /// Returns the number of selected rows of the other entity from which on a scan in order is faster, assuming that
  /// each has the same number of rows; nil if the entity has few rows or the other entity has none.
  static func enough(rows: Int64, others: Int64) -> Int? {
    guard Double(rows) > fewRows, others > 0 else { return nil }
    return Int(min(fewRows * Double(others) / Double(rows), 1e9)) + 1
  }

  /// Returns the number of named rows from which on a scan in order is faster; nil if the entity has few rows.
  ///
  /// Reading and sorting a row takes four times as long as passing over one. From a fifth of the rows on, the scan is therefore
  /// faster even if it passes over all others.
  static func enough(ofRows rows: Int64) -> Int? {
    guard Double(rows) > fewRows else { return nil }
    return Int(max(fewRows, Double(rows) / 5)) + 1
  }
}

extension StorePredicate {
  /// Returns the query for the allowed values of an attribute that every matching row must satisfy; nil if no such condition
  /// exists.
  ///
  /// - Parameter isWanted: Returns true for the attribute, which is nil for the row itself.
  fileprivate func other(where isWanted: (Int?) -> Bool) -> StoreQuery? {
    switch self {
    case .amongRows(let attribute, let query) where isWanted(attribute): query
    case .all(let parts): parts.compactMap { $0.other(where: isWanted) }.first
    default: nil
    }
  }
}
