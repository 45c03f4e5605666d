import Foundation
import ManagedContext
import SQLiteStore

/// The migration of many rows whose scores become texts.
enum Migrating {
  static let rows = 1_000_000

  final class Scored: ManagedObject, Entity {
    override class var entityName: String { "sample" }

    typealias Schema = SampleSchema<String>
    static let entity = EntityDeclaration(Scored.self, Schema())
  }

  /// Migrates a new file with a closure for each row, or with the types alone.
  ///
  /// - Returns: The time in seconds, and by how many MiB the process's peak memory has grown.
  static func run(path: String, rows: Int, hasCode: Bool) throws -> (seconds: Double, mebibytes: Double) {
    try BatchInserts.write(rows, to: try Sample.coordinator(path: path))
    let rule = Migration(to: 2) { migration in
      try migration.update(Scored.self) { old, new in
        new.score = "\(try old["score", as: Double.self].rounded()) points"
      }
    }
    let model = ManagedObjectModel(version: 2, entities: [Scored.self], migrations: hasCode ? [rule] : [])
    let (before, start) = (peak(), Date())
    _ = try SQLiteStore(path: path, model: model, identity: StoreIdentity(applicationID: 0x5341_4D50))
    return (Date().timeIntervalSince(start), Double(peak() - before) / 1024)
  }

  /// The process's peak memory so far, in KiB.
  private static func peak() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss
  }
}
