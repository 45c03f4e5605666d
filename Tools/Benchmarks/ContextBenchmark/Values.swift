import Foundation
import GRDB
import ManagedContext

/// Values of many rows, without objects, and the same rows by a cursor of GRDB; and the memory of objects.
struct Values {
  static let rows = CommandLine.arguments.contains("profile") ? 20_000 : 300_000

  private let path: String
  private let coordinator: PersistentStoreCoordinator

  init(path: String) throws {
    self.path = path
    coordinator = try Sample.coordinator(path: path)
    try BatchInserts.write(Self.rows, to: coordinator)
  }

  private var context: ManagedObjectContext { ManagedObjectContext(parent: coordinator) }

  func cursorOfNumbers() throws -> Int64 {
    try DatabaseQueue(path: path).read { db in
      var sum: Int64 = 0
      let cursor = try Row.fetchCursor(db, sql: "SELECT number, edits FROM sample")
      while let row = try cursor.next() { sum += (row[0] as Int64) + (row[1] as Int64) }
      return sum
    }
  }

  func numbers() throws -> Int64 {
    try context.fetchValues(FetchRequest(Sample.self), \.number, \.edits).reduce(0) {
      $0 + $1.0 + Int64($1.1)
    }
  }

  func cursorOfTexts() throws -> Int64 {
    try DatabaseQueue(path: path).read { db in
      var sum: Int64 = 0
      let cursor = try Row.fetchCursor(db, sql: "SELECT number, title FROM sample")
      while let row = try cursor.next() { sum += (row[0] as Int64) + Int64((row[1] as String).utf8.count) }
      return sum
    }
  }

  func texts() throws -> Int64 {
    try context.fetchValues(FetchRequest(Sample.self), \.number, \.title).reduce(0) {
      $0 + $1.0 + Int64($1.1.utf8.count)
    }
  }

  /// Sums the lengths of texts by rows, without a `String` for each.
  func textsOfRows() throws -> Int64 {
    try context.rows(of: FetchRequest(Sample.self)) { [$0.number, $0.title] }.reduce(0) { sum, row in
      sum + row.number + row.withUTF8(of: Sample.schema.title) { Int64($0?.count ?? 0) }
    }
  }

  /// Sums numbers and the lengths of texts by a cursor that makes a structure of each row.
  func cursorOfAll() throws -> Int64 {
    struct Record {
      let number: Int64
      let texts: [String?]
      let published: Double
      let (score, isRead, edits): (Double, Bool, Int)
    }
    return try DatabaseQueue(path: path).read { db in
      var records: [Record] = []
      let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM sample")
      while let row = try cursor.next() {
        records.append(
          Record(
            number: row[2], texts: [row[3], row[4], row[5], row[6], row[11]], published: row[7],
            score: row[8], isRead: row[9], edits: row[10]))
      }
      return records.reduce(0) { $0 + $1.number + Int64($1.texts[0]?.utf8.count ?? 0) }
    }
  }

  func objects() throws -> Int64 {
    let context = context
    return try context.fetch(FetchRequest(Sample.self)).reduce(0) {
      $0 + $1.number + Int64($1.title.utf8.count)
    }
  }

  /// Returns the bytes that an object with ten attributes takes.
  func bytesPerObject() throws -> Double {
    let context = context
    let before = Self.residentBytes()
    let objects = try context.fetch(FetchRequest(Sample.self))
    defer { withExtendedLifetime(objects) {} }
    return Double(Self.residentBytes() - before) / Double(objects.count)
  }

  private static func residentBytes() -> Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    return (pages.flatMap { Int($0[1]) } ?? 0) * 4096
  }
}
