import Foundation
import ManagedContext
import SQLiteStore
import Synchronization

/// An entity of ten attributes.
final class Sample: ManagedObject {
  override class var entityName: String { "sample" }

  enum Key {
    static let number = AttributeKey<Int64>(0, "number")
    static let title = AttributeKey<String>(1, "title")
    static let link = AttributeKey<String>(2, "link")
    static let summary = AttributeKey<String?>(3, "summary")
    static let author = AttributeKey<String?>(4, "author")
    static let published = AttributeKey<Date>(5, "published")
    static let score = AttributeKey<Double>(6, "score")
    static let isRead = AttributeKey<Bool>(7, "is_read")
    static let edits = AttributeKey<Int>(8, "edits")
    static let language = AttributeKey<String?>(9, "language")
  }

  var number: Int64 {
    get { self[Key.number] }
    set { self[Key.number] = newValue }
  }
  var title: String {
    get { self[Key.title] }
    set { self[Key.title] = newValue }
  }

  /// The number of existing objects.
  static let living = Mutex(0)

  required init(_ seed: ManagedObjectSeed) {
    super.init(seed)
    Self.living.withLock { $0 += 1 }
  }

  deinit { Self.living.withLock { $0 -= 1 } }

  /// Sets all attributes.
  func fill(_ row: Int) {
    self[Key.number] = Int64(row)
    self[Key.title] = Self.title(row)
    self[Key.link] = Self.link(row)
    self[Key.summary] = Self.summary
    self[Key.author] = "A. Author"
    self[Key.published] = Date(timeIntervalSince1970: Double(1_700_000_000 + row))
    self[Key.score] = Double(row) / 7
    self[Key.isRead] = row % 2 == 0
    self[Key.edits] = 0
    self[Key.language] = "en"
  }

  static func title(_ row: Int) -> String { "A title of usual length, number \(row)" }
  static func link(_ row: Int) -> String { "https://news.example.org/articles/\(row)" }
  static let summary =
    "A summary of some sentences, as feeds have them. It says what the article is about, in two or three lines."

  static let model = ManagedObjectModel(
    version: 1,
    entities: [
      EntityDescription(
        entityName, class: Sample.self,
        properties: [
          .attribute(Key.number, \Sample.number), .attribute(Key.title, \Sample.title),
          .attribute(Key.link), .attribute(Key.summary), .attribute(Key.author), .attribute(Key.published),
          .attribute(Key.score), .attribute(Key.isRead), .attribute(Key.edits), .attribute(Key.language),
        ])
    ])

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
        batch.append(integer: Int64(1_700_000_000 + row))
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
