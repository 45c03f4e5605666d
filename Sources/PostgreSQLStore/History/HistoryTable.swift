internal import Foundation
internal import ManagedContext

/// Reads the table of the history, on one connection.
struct HistoryTable {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  private static let columns = "token, date, process"

  private static func token(_ result: QueryResult, _ row: Int) -> HistoryToken {
    HistoryToken(
      result.integer(row, 0) ?? 0, process: result.integer(row, 2) ?? 0, date: result.real(row, 1) ?? 0)
  }

  /// Returns the number of the newest transaction, even if it was purged; 0 before the first one.
  func newest() throws -> Int64 {
    let row = try connection.run(Statement("SELECT history FROM \(Tables.store)"))
    return row.count > 0 ? row.integer(0, 0) ?? 0 : 0
  }

  /// Returns the token of a transaction; nil if the transaction is not in the table.
  func token(of number: Int64) throws -> HistoryToken? {
    let row = try connection.run(
      Statement("SELECT \(Self.columns) FROM \(Tables.history) WHERE token = $1", .integer(number)))
    return row.count > 0 ? Self.token(row, 0) : nil
  }

  func newestToken() throws -> HistoryToken? {
    let newest = try newest()
    return newest == 0 ? nil : try token(of: newest) ?? HistoryToken(newest)
  }

  private func oldestToken() throws -> HistoryToken? {
    let row = try connection.run(
      Statement("SELECT \(Self.columns) FROM \(Tables.history) ORDER BY token LIMIT 1"))
    return row.count > 0 ? Self.token(row, 0) : nil
  }

  /// Checks that the store contains the transaction of a token with a checksum.
  func verify(_ token: HistoryToken?) throws {
    guard let token, token.check != nil else { return }
    _ = try verified(token)
  }

  /// Returns the token with the checksum of its transaction.
  ///
  /// - Throws: ``StoreError/history(_:)`` if the transaction is not in the table, or has another checksum.
  func verified(_ token: HistoryToken) throws -> HistoryToken {
    if token.number == 0 { return HistoryToken(0) }
    let found = try self.token(of: token.number)
    if let found, token.check == nil || token.check == found.check { return found }
    let oldest = try oldestToken()
    let isBeforeOldest = try oldest.map { token.number < $0.number } ?? (token.number <= newest())
    let isPurged = found == nil && token.number > 0 && isBeforeOldest
    throw StoreError.history(isPurged ? .purged(oldest: oldest) : .foreign(oldest: oldest))
  }

  /// Returns the rows after a transaction, oldest first.
  ///
  /// - Parameters:
  ///   - token: The number of that transaction.
  ///   - own: The process number of transactions to leave out; nil reads all.
  ///   - isFollowed: True to return only followed transactions.
  ///   - limit: The maximum number of rows; nil for all.
  func rows(
    after token: Int64, without own: Int64? = nil, isFollowed: Bool = false, limit: Int? = nil
  ) throws -> [HistoryRow] {
    var statement = Statement(
      "SELECT \(Self.columns), author, changes, followed::int FROM \(Tables.history) WHERE token > $1",
      .integer(token))
    if let own {
      statement.text += " AND process <> $2"
      statement.parameters.append(own)
    }
    if isFollowed { statement.text += " AND followed" }
    statement.text += " ORDER BY token"
    if let limit { statement.text += " LIMIT \(limit)" }
    let result = try connection.run(statement)
    return (0..<result.count).map { row in
      HistoryRow(
        token: Self.token(result, row), date: Date(timeIntervalSince1970: result.real(row, 1) ?? 0),
        author: result.text(row, 3), changes: result.bytes(row, 4) ?? [], isFollowed: result.isTrue(row, 5))
    }
  }
}

/// A transaction to append to the history.
struct NewHistoryRow {
  let author: String?
  let changes: [UInt8]
  let isFollowed: Bool

  init(
    _ changes: ContextChanges, _ deletedValues: [ManagedObjectID: [AttributeValue]], author: String?,
    _ model: ManagedObjectModel
  ) {
    self.author = author
    self.changes = HistoryEncoding.encode(changes, deletedValues: deletedValues, model: model)
    isFollowed = model.isFollowed(changes)
  }
}

extension HistoryTable {
  /// Returns a statement that appends transactions, and yields the number of the first one.
  ///
  /// The numbers are taken with a lock that others wait for until the end of the transaction, so that they have the order of
  /// commits. If the store has another version by then, there is no number, and the statement violates NOT NULL.
  static func appending(
    _ rows: [NewHistoryRow], process: Int64, save: Int64, date: Date, version: Int
  ) -> Statement {
    var statement = Statement(
      """
      WITH next AS (UPDATE \(Tables.store) SET history = history + $1 WHERE version = $2 RETURNING history - $1 AS last) \
      INSERT INTO \(Tables.history) (token, date, process, number, author, changes, followed) \
      SELECT (SELECT last FROM next) + input.place, $3, $4, $5, input.author, input.changes, input.followed = 1 \
      FROM unnest($6::text[], $7::bytea[], $8::bigint[]) WITH ORDINALITY AS input(author, changes, followed, place) \
      ORDER BY input.place RETURNING token
      """, .integer(Int64(rows.count)), .integer(Int64(version)), .real(date.timeIntervalSince1970),
      .integer(process),
      .integer(save))
    statement.parameters.append(rows.map { $0.author.map { .text($0) } ?? .null }, of: .text)
    statement.parameters.append(rows.map { .bytes($0.changes) }, of: .bytes)
    statement.parameters.append(rows.map { $0.isFollowed ? 1 : 0 } as [Int64])
    return statement
  }

  /// Returns whether the history has a save of a process after a transaction.
  func hasSave(_ save: Int64, of process: Int64, after token: Int64) throws(ServerError) -> Bool {
    let rows = try connection.run(
      Statement(
        "SELECT 1 FROM \(Tables.history) WHERE token > $1 AND process = $2 AND number = $3 LIMIT 1",
        .integer(token),
        .integer(process), .integer(save)))
    return rows.count > 0
  }
}

/// One transaction as stored in the table.
struct HistoryRow {
  let token: HistoryToken
  let date: Date
  let author: String?
  let changes: [UInt8]
  let isFollowed: Bool

  /// - Throws: ``StoreError/corrupt(_:)`` if the changes cannot be decoded.
  func transaction(
    _ model: ManagedObjectModel, _ store: StoreNumber, _ name: String
  ) throws(StoreError) -> HistoryTransaction {
    do throws(HistoryEncoding.Damaged) {
      let decoded = try HistoryEncoding.decode(changes, model: model, store: store)
      return HistoryTransaction(
        token: token, date: date, author: author, changes: decoded.changes,
        deletedValues: decoded.deletedValues,
        isFollowed: isFollowed)
    } catch {
      throw .corrupt("\(name): transaction \(token.number) of the history cannot be read")
    }
  }
}

/// The table of the history's consumers, on one connection.
struct ConsumerTable {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  private static let columns = "name, token, checksum, position, seen"

  func all() throws -> [HistoryConsumer] {
    let rows = try connection.run(Statement("SELECT \(Self.columns) FROM \(Tables.consumers) ORDER BY name"))
    return (0..<rows.count).map { Self.consumer(rows, $0) }
  }

  func consumer(named name: String) throws -> HistoryConsumer? {
    let rows = try connection.run(
      Statement("SELECT \(Self.columns) FROM \(Tables.consumers) WHERE name = $1 FOR UPDATE", .text(name)))
    return rows.count > 0 ? Self.consumer(rows, 0) : nil
  }

  private static func consumer(_ rows: QueryResult, _ row: Int) -> HistoryConsumer {
    let check = rows.integer(row, 2).flatMap { UInt32(exactly: $0) }
    return HistoryConsumer(
      name: rows.text(row, 0) ?? "", token: HistoryToken(rows.integer(row, 1) ?? 0, check: check),
      position: Int(rows.integer(row, 3) ?? 0), seen: Date(timeIntervalSince1970: rows.real(row, 4) ?? 0))
  }

  /// Writes a consumer, in the place of another one with the same name.
  func put(_ consumer: HistoryConsumer) throws {
    try connection.run(
      Statement(
        """
        INSERT INTO \(Tables.consumers) (\(Self.columns)) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO UPDATE SET \
        token = excluded.token, checksum = excluded.checksum, position = excluded.position, seen = excluded.seen
        """, .text(consumer.name), .integer(consumer.token.number),
        consumer.token.check.map { .integer(Int64($0)) } ?? .null(.integer),
        .integer(Int64(consumer.position)),
        .real(consumer.seen.timeIntervalSince1970)))
  }

  func touch(_ name: String, at date: Date) throws {
    try connection.run(
      Statement(
        "UPDATE \(Tables.consumers) SET seen = $1 WHERE name = $2", .real(date.timeIntervalSince1970),
        .text(name)))
  }

  func remove(_ name: String) throws {
    try connection.run(Statement("DELETE FROM \(Tables.consumers) WHERE name = $1", .text(name)))
  }
}
