public import Foundation
public import ManagedContext

/// The history table on one connection. Each store appends to it in its own way.
public struct HistoryTable<Connection: SQLConnection> {
  let connection: Connection

  public init(_ connection: Connection) { self.connection = connection }

  // MARK: Tokens

  /// Returns a transaction's token; nil if the transaction is not in the table.
  public func token(of number: Int64) throws -> HistoryToken? {
    try tokens("WHERE token = $1", .integer(number)).first
  }

  /// Returns the newest transaction's token; without a checksum if the transaction was purged.
  public func newestToken() throws -> HistoryToken? {
    let newest = try connection.newestTransaction()
    return newest == 0 ? nil : try token(of: newest) ?? HistoryToken(newest)
  }

  /// Returns the oldest token in the table; nil if the table is empty.
  public func oldestToken() throws -> HistoryToken? { try tokens("ORDER BY token LIMIT 1").first }

  /// Returns a transaction's process number; nil if the transaction is not in the table.
  public func process(of number: Int64) throws -> Int64? {
    guard try connection.hasTable(HistoryTables.transactions) else { return nil }
    return try connection.integer(
      "SELECT process FROM \(HistoryTables.transactions) WHERE token = $1", .integer(number))
  }

  func tokens(_ ending: String, _ values: SQLValue...) throws -> [HistoryToken] {
    guard try connection.hasTable(HistoryTables.transactions) else { return [] }
    let text = "SELECT token, date, process FROM \(HistoryTables.transactions) \(ending)"
    return try connection.rows(text, values) { row in
      HistoryToken(row.integer(0) ?? 0, process: row.integer(2) ?? 0, date: row.real(1) ?? 0)
    }
  }

  /// Checks that the store contains the transaction of a token with a checksum.
  public func verify(_ token: HistoryToken?) throws {
    guard let token, token.check != nil else { return }
    _ = try verified(token)
  }

  /// Returns the token with its transaction's checksum.
  ///
  /// - Throws: ``StoreError/history(_:)`` if the transaction is not in the table, or has another checksum.
  public func verified(_ token: HistoryToken) throws -> HistoryToken {
    if token.number == 0 { return HistoryToken(0) }
    let found = try self.token(of: token.number)
    if let found, token.check == nil || token.check == found.check { return found }
    let oldest = try oldestToken()
    let isBeforeOldest =
      try oldest.map { token.number < $0.number } ?? (token.number <= connection.newestTransaction())
    let isPurged = found == nil && token.number > 0 && isBeforeOldest
    throw StoreError.history(isPurged ? .purged(oldest: oldest) : .foreign(oldest: oldest))
  }

  // MARK: Transactions

  /// Returns the transactions after another one, oldest first.
  ///
  /// - Parameters:
  ///   - token: That transaction's number.
  ///   - own: A process number; its transactions are returned without their changes. Nil reads all changes.
  ///   - isFollowed: True to return only followed transactions.
  ///   - limit: The maximum transaction count; nil for all.
  public func transactions(
    after token: Int64, without own: Int64? = nil, isFollowed: Bool = false, limit: Int? = nil
  ) throws -> [StoredTransaction] {
    guard try connection.hasTable(HistoryTables.transactions) else { return [] }
    let followed = try connection.isFollowed()
    let changes = own == nil ? "changes" : "CASE WHEN process = $1 THEN NULL ELSE changes END"
    let values = (own.map { [.integer($0)] } ?? []) + [SQLValue.integer(token)]
    let condition = "token > $\(values.count)" + (isFollowed ? " AND \(followed)" : "")
    let text = """
      SELECT token, date, author, process, \(changes), \(followed) FROM \(HistoryTables.transactions) \
      WHERE \(condition) ORDER BY token\(limit.map { " LIMIT \($0)" } ?? "")
      """
    return try connection.rows(text, values) { row in
      StoredTransaction(
        number: row.integer(0) ?? 0, date: row.real(1) ?? 0, author: row.text(2),
        process: row.integer(3) ?? 0, changes: row.bytes(4) ?? [], isFollowed: row.integer(5) != 0)
    }
  }

  /// Returns the first missing transaction number in a range, after the oldest transaction; nil without a
  /// gap.
  ///
  /// Transaction numbers have no gaps, and a purge deletes the lowest ones.
  public func missing(after token: Int64, through end: Int64) throws -> Int64? {
    guard let oldest = try oldestToken()?.number else { return nil }
    let start = max(token, oldest - 1)
    guard end > start else { return nil }
    let count = try connection.integer(
      "SELECT count(*) FROM \(HistoryTables.transactions) WHERE token > $1 AND token <= $2", .integer(start),
      .integer(end))
    if count == end - start { return nil }
    return try connection.integer(
      """
      SELECT min(wanted) FROM (SELECT $1 AS wanted UNION ALL \
      SELECT token + 1 FROM \(HistoryTables.transactions) WHERE token >= $1 AND token < $2) AS tokens \
      WHERE NOT EXISTS (SELECT 1 FROM \(HistoryTables.transactions) WHERE token = wanted)
      """, .integer(start + 1), .integer(end))
  }

  /// Returns the numbers of transactions with undecodable changes, at most `limit`.
  public func damaged(_ model: ManagedObjectModel, atMost limit: Int) throws -> [Int64] {
    var numbers: [Int64] = []
    var part = try transactions(after: .min, limit: Self.transactionsOfPart)
    while let last = part.last?.number, numbers.count < limit {
      for transaction in part {
        do throws(HistoryEncoding.Damaged) {
          _ = try HistoryEncoding.decode(transaction.changes, model: model, store: .none)
        } catch {
          numbers.append(transaction.number)
        }
      }
      part = try transactions(after: last, limit: Self.transactionsOfPart)
    }
    return Array(numbers.prefix(limit))
  }

  private static var transactionsOfPart: Int { 200 }

  // MARK: Consumers

  /// Records a consumer's progress: a position after a token. Without `force`, it never goes back.
  public func acknowledge(
    _ token: HistoryToken, position: Int, by name: String, at date: Date, force: Bool
  ) throws -> HistoryConsumer {
    let token = try verified(token)
    let consumers = ConsumerTable(connection)
    let known = force ? nil : try consumers.consumer(named: name)
    let isBack = known.map { (token.number, position) < ($0.token.number, $0.position) } ?? false
    let consumer = HistoryConsumer(
      name: name, token: isBack ? known?.token ?? token : token,
      position: isBack ? known?.position ?? position : position, seen: date)
    try consumers.put(consumer)
    return consumer
  }
}

extension StoredTransaction {
  public var token: HistoryToken { HistoryToken(number, process: process, date: date) }

  /// Returns the decoded transaction.
  ///
  /// - Parameter name: The store's name, for the error.
  /// - Throws: ``StoreError/corrupt(_:)`` if the changes cannot be decoded.
  public func decoded(
    _ model: ManagedObjectModel, _ store: StoreNumber, _ name: String
  ) throws(StoreError) -> HistoryTransaction {
    do throws(HistoryEncoding.Damaged) {
      let decoded = try HistoryEncoding.decode(changes, model: model, store: store)
      return HistoryTransaction(
        token: token, date: Date(timeIntervalSince1970: date), author: author, changes: decoded.changes,
        deletedValues: decoded.deletedValues, isFollowed: isFollowed)
    } catch {
      throw .corrupt("\(name): transaction \(number) of the history cannot be read")
    }
  }
}
