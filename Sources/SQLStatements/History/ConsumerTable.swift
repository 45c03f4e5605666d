public import Foundation
public import ManagedContext

/// The table of history consumers, on one connection.
public struct ConsumerTable<Connection: SQLConnection> {
  private let connection: Connection

  public init(_ connection: Connection) { self.connection = connection }

  private var table: String { HistoryTables.consumers }

  private func exists() throws -> Bool { try connection.hasTable(table) }

  /// Returns all consumers, by name.
  public func all() throws -> [HistoryConsumer] { try consumers("ORDER BY name") }

  /// Returns the consumer with a name; nil if none exists.
  func consumer(named name: String) throws -> HistoryConsumer? {
    try consumers("WHERE name = $1\(Connection.dialect.lock)", .text(name)).first
  }

  private func consumers(_ ending: String, _ values: SQLValue...) throws -> [HistoryConsumer] {
    guard try exists() else { return [] }
    let text = "SELECT name, token, checksum, position, seen FROM \(table) \(ending)"
    return try connection.rows(text, values) { row in
      // Other programs may have written any value.
      let check = row.integer(2).flatMap { UInt32(exactly: $0) }
      return HistoryConsumer(
        name: row.text(0) ?? "", token: HistoryToken(row.integer(1) ?? 0, check: check),
        position: Int(row.integer(3) ?? 0), seen: Date(timeIntervalSince1970: row.real(4) ?? 0))
    }
  }

  /// Writes a consumer, replacing another with the same name.
  public func put(_ consumer: HistoryConsumer) throws {
    try connection.makeConsumers()
    try connection.run(
      """
      INSERT INTO \(table) (name, token, checksum, position, seen) VALUES ($1, $2, $3, $4, $5) \
      ON CONFLICT (name) DO UPDATE SET token = excluded.token, checksum = excluded.checksum, \
      position = excluded.position, seen = excluded.seen
      """, .text(consumer.name), .integer(consumer.token.number),
      .integer(consumer.token.check.map { Int64($0) }), .integer(Int64(consumer.position)),
      .real(consumer.seen.timeIntervalSince1970))
  }

  public func touch(_ name: String, at date: Date) throws {
    guard try exists() else { return }
    try connection.run(
      "UPDATE \(table) SET seen = $1 WHERE name = $2", .real(date.timeIntervalSince1970), .text(name))
  }

  public func remove(_ name: String) throws {
    guard try exists() else { return }
    try connection.run("DELETE FROM \(table) WHERE name = $1", .text(name))
  }

  /// Returns the lowest token number among consumers seen since a date; nil without such a consumer.
  func slowest(seenSince date: Date) throws -> Int64? {
    guard try exists() else { return nil }
    return try connection.integer(
      "SELECT min(token) FROM \(table) WHERE seen >= $1", .real(date.timeIntervalSince1970))
  }

  /// Moves consumers without an acknowledged transaction to a transaction that is about to be purged.
  /// Otherwise they would start at the next transaction, and miss the purged ones without an error.
  public func moveUnstarted(to token: HistoryToken) throws {
    guard try exists() else { return }
    try connection.run(
      "UPDATE \(table) SET token = $1, checksum = $2 WHERE token = 0", .integer(token.number),
      .integer(token.check.map { Int64($0) }))
  }
}
