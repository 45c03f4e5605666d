import Foundation
import ManagedContext
import SQLiteStore
import Synchronization

/// Ten attributes, with a type for the score.
struct SampleSchema<Score: AttributeConvertible>: Sendable {
  let number = Attribute<Int64>("number")
  let title = Attribute<String>("title")
  let link = Attribute<String>("link")
  let summary = Attribute<String?>("summary")
  let author = Attribute<String?>("author")
  let published = Attribute<Date>("published")
  let score = Attribute<Score>("score")
  let isRead = Attribute<Bool>("is_read")
  let edits = Attribute<Int>("edits")
  let language = Attribute<String?>("language")
}

/// An entity of ten attributes.
final class Sample: ManagedObject, Entity {
  override class var entityName: String { "sample" }

  typealias Schema = SampleSchema<Double>
  static let entity = EntityDeclaration(Sample.self, Schema())

  /// The number of existing objects.
  static let living = Mutex(0)

  required init(_ seed: ManagedObjectSeed) {
    super.init(seed)
    Self.living.withLock { $0 += 1 }
  }

  deinit { Self.living.withLock { $0 -= 1 } }

  func fill(_ row: Int) {
    self.number = Int64(row)
    self.title = Self.title(row)
    self.link = Self.link(row)
    self.summary = Self.summary
    self.author = "A. Author"
    self.published = Date(timeIntervalSince1970: Double(1_700_000_000 + row))
    self.score = Double(row) / 7
    self.isRead = row % 2 == 0
    self.edits = 0
    self.language = "en"
  }

  static func title(_ row: Int) -> String { "A title of usual length, number \(row)" }
  static func link(_ row: Int) -> String { "https://news.example.org/articles/\(row)" }
  static let summary =
    "A summary of some sentences, as feeds have them. It says what the article is about, in two or three lines."

  static let model = ManagedObjectModel(version: 1, entities: [Sample.self])

  static func coordinator(path: String) throws -> PersistentStoreCoordinator {
    let store = try SQLiteStore(path: path, model: model, identity: StoreIdentity(applicationID: 0x5341_4D50))
    return PersistentStoreCoordinator(model: model, store: store)
  }
}

/// The rows as objects of a context, saved a thousand at a time.
enum ObjectInserts {
  static func run(path: String, rows: Int) throws {
    let coordinator = try Sample.coordinator(path: path)
    let context = ManagedObjectContext(parent: coordinator)
    for row in 0..<rows {
      context.insert(Sample.self).fill(row)
      if row % 1000 == 999 {
        try context.save()
        context.reset()
      }
    }
    try context.save()
  }
}

/// The rows as batches of a thousand.
enum BatchInserts {
  static func run(path: String, rows: Int) throws {
    try write(rows, to: try Sample.coordinator(path: path))
  }

  static func write(_ rows: Int, to coordinator: PersistentStoreCoordinator) throws {
    let context = ManagedObjectContext(parent: coordinator)
    for start in stride(from: 0, to: rows, by: 1000) {
      var batch = RowBatch(entity: 0, columns: Array(0..<10))
      for row in start..<min(start + 1000, rows) {
        batch.beginRow()
        batch.append(integer: Int64(row))
        batch.append(text: Sample.title(row))
        batch.append(text: Sample.link(row))
        batch.append(text: Sample.summary)
        batch.append(text: "A. Author")
        batch.append(Date(timeIntervalSince1970: Double(1_700_000_000 + row)).attributeValue)
        batch.append(real: Double(row) / 7)
        batch.append(integer: row % 2 == 0 ? 1 : 0)
        batch.append(integer: 0)
        batch.append(text: "en")
      }
      context.insert(BatchUpsert(batch))
      try context.save()
    }
  }
}
