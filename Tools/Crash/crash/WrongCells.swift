import Foundation
import GRDB
import TestSupport

/// Runs commands on stores in which another program has written a value of any type into a column.
///
/// Whatever the value, no command traps, hangs, or prints a control character, and one that fails says why.
struct WrongCells: Sendable {
  let world: World
  /// The number of this job, from 0, of those that share the work.
  let job: Int
  let jobs: Int
  /// The distance between the values that are tried; 1 for all.
  let step: Int

  struct Outcome: Sendable {
    var stores = 0
    var runs = 0
    var problems: [String] = []
  }

  /// A store with a row in each table that commands can fill.
  static let scenario = Scenario(
    name: "wrong cells",
    before: [
      ["region", "add", "world", "FEEDS"], ["fetch", "world"], ["search", "word1"], ["mark", "starred", "1"],
      ["mark", "read", "2"], ["store", "backup", "@other.sqlite"],
      ["store", "attach", "@other.sqlite", "--name", "other"], ["prune", "--keep-last", "2", "--yes"],
      ["feed", "rename", "FEED", "RENAMED"],
    ],
    revision: 2, command: ["store", "check"])

  /// The values: of each type, at the limits of the types, and with characters that control a terminal.
  private static let values = [
    "NULL", "-1", "9223372036854775807", "-9223372036854775808", "-9e999", "''",
    "char(27) || '[2J' || char(155) || char(8238)", "x'00ff1b'",
  ]

  func run() async throws -> Outcome {
    var outcome = Outcome()
    let unchanged = try world.folder()
    for command in commands {
      let result = try await world.run(command, in: unchanged)
      if result.status != 0 {
        outcome.problems.append(
          "\(command.joined(separator: " ")) fails on a store without wrong values: \(result.err)")
      }
    }
    let places = try places()
    // The values follow each other in each column: a multiple of their number would try one value alone.
    let distance = step.isMultiple(of: Self.values.count) && step > 1 ? step + 1 : step
    for (number, index) in stride(from: 0, to: places.count, by: distance).enumerated()
    where number % jobs == job {
      let place = places[index]
      let folder = try world.folder()
      let path = folder.file("news.sqlite")
      // A value that a rule of the table forbids is not written.
      guard try Self.write(place, into: path) else { continue }
      outcome.stores += 1
      for command in commands {
        outcome.runs += 1
        let name = command.joined(separator: " ")
        do {
          let problem = Self.problem(try await world.run(command, in: folder))
          if let problem { outcome.problems.append("\(place): \(name): \(problem)") }
        } catch {
          outcome.problems.append("\(place): \(name): \(error)")
        }
      }
    }
    return outcome
  }

  /// The commands, those that change the store last.
  private var commands: [Scenario.Arguments] {
    let (feed, renamed) = (world.feeds.addresses(2)[1], world.feeds.addresses(4)[3])
    return [
      ["list", "world"], ["list", "world", "--json", "--full"], ["list", "world", "--format", "rss"],
      ["list", "world", "--format", "csv"],
      ["list", "world", "--since", "2001-01-01", "--unread"], ["show", "1"], ["show", "1", "--json"],
      ["search", "word2"], ["stats"], ["stats", "--json"], ["explain", feed],
      ["feed", "list"], ["feed", "list", "--json"],
      ["region", "list"], ["region", "list", "--json"], ["opml", "export"], ["export", "world"],
      ["store", "info"], ["store", "list"], ["store", "check"], ["doctor"],
      ["changes", "--json", "--marks", "--full"], ["changes", "--list", "--json"],
      ["sql", "SELECT * FROM articles"], ["sql", "SELECT * FROM feeds"], ["sql", "SELECT * FROM fetches"],
      ["prune", "--keep", "1d", "--dry-run"],
      ["mark", "read", "--region", "world"], ["fetch", "--due"], ["fetch", "--all"], ["store", "index"],
      ["feed", "rename", feed, renamed], ["region", "rename", "world", "earth"],
      ["prune", "--keep-last", "1", "--yes"], ["store", "vacuum"],
      ["region", "remove", "earth", "--yes"],
    ]
  }

  /// A value for a column of a table.
  private struct Place: CustomStringConvertible {
    let table: String
    let column: String
    let value: String

    var description: String { "\(table).\(column) = \(value)" }
  }

  private func places() throws -> [Place] {
    let folder = try world.folder()
    let queue = try DatabaseQueue(path: folder.file("news.sqlite"))
    defer { try? queue.close() }
    return try queue.read { db in
      let tables = try String.fetchAll(
        db,
        sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      return try tables.flatMap { table in
        try db.columns(in: table).flatMap { column in
          Self.values.map { Place(table: table, column: column.name, value: $0) }
        }
      }
    }
  }

  /// Writes a value into all rows of a table, or into its first one if the values must differ. An empty table gets a row.
  ///
  /// - Returns: False if the table refuses the value.
  private static func write(_ place: Place, into path: String) throws -> Bool {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    let change = "UPDATE \"\(place.table)\" SET \"\(place.column)\" = \(place.value)"
    let first = " WHERE rowid = (SELECT min(rowid) FROM \"\(place.table)\")"
    return try queue.writeWithoutTransaction { db in
      if try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT * FROM \"\(place.table)\")") == true {
        let columns = try db.columns(in: place.table).map { "\"\($0.name)\"" }
        let values = columns.map { $0 == "\"\(place.column)\"" ? place.value : "1" }
        let row = "(\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
        return (try? db.execute(sql: "INSERT INTO \"\(place.table)\" \(row)")) != nil
      }
      for sql in [change, change + first] where (try? db.execute(sql: sql)) != nil { return true }
      return false
    }
  }

  /// Returns what is wrong with a run; nil if nothing is.
  private static func problem(_ result: Command.Result) -> String? {
    let text = "exit status \(result.status): \(result.err.prefix(500))"
    guard (0..<80).contains(result.status) else { return text }
    if result.status != 0, result.out.isEmpty, !result.err.hasPrefix("newsimport: ") {
      return "\(text), no reason"
    }
    let raw = (result.out + result.err).unicodeScalars.first { scalar in
      let isControl = scalar.value < 32 || (127..<160).contains(scalar.value)
      return (isControl && scalar != "\n" && scalar != "\t") || scalar.value == 8238
    }
    return raw.map { "prints U+\(String($0.value, radix: 16, uppercase: true)) as it is" }
  }
}
