import Foundation
import GRDB
import PostgreSQLStore
import TestSupport

/// A store that several importers use at once, as those who check their work see it.
protocol SharedStore {
  /// What the importers get as their store.
  var address: String { get }
  /// True if the store has a clock of its own, so that wrong clocks of importers change nothing.
  var hasClock: Bool { get }
  func remove() throws
  func execute(_ sql: String) throws
  /// Returns the first column of a query's rows.
  func texts(_ sql: String) throws -> [String]
  func damage() throws -> [String]
  /// Returns a way for one importer to the store that loses its connection; nil if there are no connections.
  func unreliableAddress(_ random: inout SeededGenerator) throws -> String?
  /// Returns the network between one importer and the store, which can fall silent; nil if there is none.
  func network() throws -> (address: String, relay: Relay)?
  /// Kills a process of the server, if there is one.
  ///
  /// - Returns: True if a process was killed.
  func crash(_ random: inout SeededGenerator) throws -> Bool
}

struct FileStore: SharedStore {
  let address: String
  let hasClock = false

  init(_ path: String) { address = path }

  func remove() throws {
    for ending in ["", "-wal", "-shm", "-locks"] {
      try? FileManager.default.removeItem(atPath: address + ending)
    }
  }

  func execute(_ sql: String) throws { try withDatabase { db in try db.execute(sql: sql) } }

  func texts(_ sql: String) throws -> [String] {
    try withDatabase { db in try String.fetchAll(db, sql: sql) }
  }

  func damage() throws -> [String] { try texts("PRAGMA integrity_check").filter { $0 != "ok" } }

  func unreliableAddress(_ random: inout SeededGenerator) -> String? { nil }

  func network() -> (address: String, relay: Relay)? { nil }

  func crash(_ random: inout SeededGenerator) -> Bool { false }

  private func withDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let queue = try DatabaseQueue(path: address)
    defer { try? queue.close() }
    return try queue.write(body)
  }
}

/// A schema of a server on this machine.
final class ServerStore: SharedStore {
  private var schema: TestSchema
  private var relay: Relay
  let hasClock = true

  init() throws {
    (schema, relay) = (try TestSchema(), try Relay())
  }

  var address: String { schema.text }

  func remove() throws { schema = try patiently { try TestSchema() } }

  func execute(_ sql: String) throws { _ = try texts(sql) }

  func texts(_ sql: String) throws -> [String] { try patiently { try schema.rows(sql) } }

  /// The server checks references and unique values itself. An index that lacks rows would show other numbers.
  func damage() throws -> [String] {
    try texts(
      """
      SELECT indexrelid::regclass || ' is not valid' FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE c.relnamespace = current_schema()::regnamespace AND NOT indisvalid
      """)
  }

  func unreliableAddress(_ random: inout SeededGenerator) throws -> String? {
    relay.cut(
      atRequest: .random(in: 1...30, using: &random),
      Relay.Cut.allCases.randomElement(using: &random) ?? .after)
    return try relay.address(of: schema).text
  }

  func network() throws -> (address: String, relay: Relay)? {
    let relay = try Relay()
    return (try relay.address(of: schema).text, relay)
  }

  /// The server ends all its connections when one of its processes was killed, and recovers from its log as after a crash.
  func crash(_ random: inout SeededGenerator) throws -> Bool {
    let processes = try texts(
      """
      SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
      AND pid <> pg_backend_pid()
      """)
    guard let process = processes.randomElement(using: &random).flatMap({ Int32($0) }) else { return false }
    return kill(process, SIGKILL) == 0
  }

  /// Repeats a statement while the server recovers.
  private func patiently<Result>(_ body: () throws -> Result) throws -> Result {
    let end = ContinuousClock.now + .seconds(30)
    while true {
      do {
        return try body()
      } catch {
        guard ContinuousClock.now < end else { throw error }
        usleep(50_000)
      }
    }
  }
}
