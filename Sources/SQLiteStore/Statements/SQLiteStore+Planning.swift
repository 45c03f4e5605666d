internal import GRDB
internal import ManagedContext
internal import SQLStatements

extension SQLiteStore {
  /// Returns whether scanning in sort order finds the first rows sooner than reading and sorting all rows
  /// that a condition on another entity selects.
  ///
  /// SQLite would always read and sort, because it does not know that the condition selects half of a million
  /// rows. This method first counts the other entity's rows, up to the relevant count.
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

  /// Returns whether a query has at least a count of results; false for nil.
  private func has(_ count: Int?, _ query: StoreQuery, _ db: Database) throws -> Bool {
    guard let count, try count <= greatestKey(of: query.entity, db) else { return false }
    var query = query
    query.limit = count
    return try RowReader.numbers(db, FileStatement.count(query, sql.model))[0] >= count
  }

  /// Returns the approximate row count, in constant time.
  private func greatestKey(of entity: EntityIndex, _ db: Database) throws -> Int64 {
    try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM \(sql.model[entity].table)")) ?? 0
  }
}

/// A query for the first rows in index order, restricted by other queries.
struct OrderedChoice {
  /// The query for a reference's allowed values; nil for any.
  let references: StoreQuery?
  /// The query for the keys of allowed rows, such as read articles; nil for any.
  let rows: StoreQuery?

  /// Returns nil for any other query.
  init?(_ query: StoreQuery, _ model: ManagedObjectModel) {
    guard query.limit != nil, let order = query.sort.first, order.through == nil,
      let first = order.attribute,
      model[query.entity].indexes.contains(where: { $0.first == first })
    else { return nil }
    references = query.predicate?.other { $0 != nil }
    rows = query.predicate?.other { $0 == nil }
    if references == nil, rows == nil { return nil }
  }

  /// The row count below which reading and sorting is faster than scanning a whole index.
  private static let fewRows = 20_000.0

  /// Returns the count of selected rows in the other entity at which an ordered scan becomes faster. Each is
  /// assumed to have equally many rows. Nil if the entity has few rows or the other entity is empty.
  static func enough(rows: Int64, others: Int64) -> Int? {
    guard Double(rows) > fewRows, others > 0 else { return nil }
    return Int(min(fewRows * Double(others) / Double(rows), 1e9)) + 1
  }

  /// Returns the count of named rows at which an ordered scan becomes faster; nil if the entity has few rows.
  ///
  /// Reading and sorting a row takes four times as long as passing over it. With a fifth of the rows or more,
  /// the scan is therefore faster even if it passes over all others.
  static func enough(ofRows rows: Int64) -> Int? {
    guard Double(rows) > fewRows else { return nil }
    return Int(max(fewRows, Double(rows) / 5)) + 1
  }
}

extension StorePredicate {
  /// Returns the query for an attribute's allowed values that every matching row must satisfy; or nil.
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
