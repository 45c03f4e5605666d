internal import GRDB
internal import ManagedContext

extension SQLiteStore {
  /// Whether the first rows of an order are found sooner by going through the rows in that order than by reading all
  /// that a condition on another entity names, and sorting them.
  ///
  /// SQLite reads all: it does not know that the condition names half of a million rows. Here the names are counted
  /// first, as far as it matters.
  func goesByOrder(_ query: StoreQuery, _ db: Database) throws -> Bool {
    guard let choice = OrderedChoice(query, sql.model) else { return false }
    let rows = try greatestKey(of: query.entity, db)
    let others = try greatestKey(of: choice.named.entity, db)
    guard let enough = OrderedChoice.enough(rows: rows, others: others) else { return false }
    var named = choice.named
    named.limit = enough
    let (text, arguments) = sql.count(named)
    return try Int64.fetchOne(db.cachedStatement(sql: text), arguments: StatementArguments(arguments)) ?? 0
      >= Int64(enough)
  }

  /// About as many as there are rows, at no cost.
  private func greatestKey(of entity: EntityIndex, _ db: Database) throws -> Int64 {
    try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM \(quoted(sql.model[entity].name))")) ?? 0
  }
}

/// A query for the first rows of an order that an index has, among those whose reference another query gives.
struct OrderedChoice {
  /// Gives what the reference is among.
  let named: StoreQuery

  /// Nil for any other query.
  init?(_ query: StoreQuery, _ model: ManagedObjectModel) {
    guard query.limit != nil, let first = query.sort.first?.attribute,
      model[query.entity].indexes.contains(where: { $0.first == first }),
      let named = query.predicate?.reference
    else { return nil }
    self.named = named
  }

  /// How many rows are read and sorted sooner than a whole index is gone through.
  private static let fewRows = 20_000.0

  /// So many of the others are enough to go by the order, when each has as many rows as another; nil for none.
  static func enough(rows: Int64, others: Int64) -> Int? {
    guard Double(rows) > fewRows, others > 0 else { return nil }
    return Int(min(fewRows * Double(others) / Double(rows), 1e9)) + 1
  }
}

extension StorePredicate {
  /// What an attribute has to be among, where all that is wanted has to.
  fileprivate var reference: StoreQuery? {
    switch self {
    case .amongRows(.some, let query): query
    case .all(let parts): parts.lazy.compactMap(\.reference).first
    default: nil
    }
  }
}
