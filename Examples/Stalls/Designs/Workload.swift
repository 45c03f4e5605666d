import Foundation
import ManagedContext

/// The imported records: numbered, and the same in every run and every design.
struct Workload: Sendable {
  /// The number of records in a save, about as many as one response of a feed contains.
  static let batchSize = 100
  /// The number of articles that the store contains before the import begins; the main context reads them meanwhile.
  static let olderRecords = 1000
  /// The number of articles on one shelf, which one small read fetches.
  static let shelfSize = 10

  /// The number of records that are imported.
  let records: Int

  /// The number ranges of the batches. The older records have negative numbers.
  var batches: [Range<Int>] { Self.batches(of: 0..<records) }

  /// Returns the batches that one of several workers imports.
  func batches(ofWorker worker: Int, of workers: Int) -> [Range<Int>] {
    batches.enumerated().filter { $0.offset % workers == worker }.map(\.element)
  }

  /// Inserts the older articles into the store, before the measurement begins.
  static func putOlderRecords(into coordinator: PersistentStoreCoordinator) throws {
    let context = ManagedObjectContext(parent: coordinator)
    for batch in batches(of: -olderRecords..<0) {
      insert(batch, into: context)
      try context.save()
      context.reset()
    }
  }

  /// Inserts a new object for each record of a batch.
  static func insert(_ batch: Range<Int>, into context: ManagedObjectContext) {
    for number in batch {
      let record = Record(number)
      let article = context.insert(Article.self)
      article.guid = record.guid
      article.shelf = record.shelf
      article.published = record.published
      article.title = record.title
      article.url = record.url
      article.author = record.author
      article.category = record.category
      article.summary = record.summary
      article.content = record.content
    }
  }

  /// Returns the records of a batch as rows, without creating objects.
  static func rows(_ batch: Range<Int>, _ model: ManagedObjectModel) throws(StoreError) -> BatchUpsert {
    var rows = try ObjectRows(
      Article.self, in: model, \.guid, \.shelf, \.published, \.title, \.url, \.author, \.category, \.isRead,
      \.summary, \.content)
    for number in batch {
      let record = Record(number)
      rows.append(
        record.guid, record.shelf, record.published, record.title, record.url, record.author,
        record.category, false, record.summary, record.content)
    }
    return BatchUpsert(rows.batch, unique: [Article.schema.guid.index])
  }

  private static func batches(of numbers: Range<Int>) -> [Range<Int>] {
    stride(from: numbers.lowerBound, to: numbers.upperBound, by: batchSize).map {
      $0..<min($0 + batchSize, numbers.upperBound)
    }
  }
}

/// One record of the workload; its number determines its content.
struct Record: Sendable {
  let guid: String
  let shelf: Int
  let published: Date
  let title: String
  let url: String
  let author: String
  let category: String
  let summary: String
  let content: String

  init(_ number: Int) {
    var generator = Generator(number)
    guid = "tag:example.org,2026:article-\(number)"
    // Rounded down, so that older records share no shelf with new ones.
    shelf = Int((Double(number) / Double(Workload.shelfSize)).rounded(.down))
    published = Date(timeIntervalSince1970: 1_700_000_000 + Double(number) * 60)
    title = Prose.text(40..<90, &generator)
    url = "https://news.example.org/2026/articles/\(number)"
    author = Prose.text(10..<24, &generator)
    category = ["world", "tech", "europe", "science"][generator.next(below: 4)]
    summary = Prose.text(150..<400, &generator)
    content = Prose.text(1800..<3600, &generator)
  }
}

/// Article-like text: pieces of one long text of random words.
private enum Prose {
  private static let bytes: [UInt8] = {
    var generator = Generator(1)
    var bytes: [UInt8] = []
    while bytes.count < 256 << 10 {
      for _ in 0...generator.next(below: 9) { bytes.append(UInt8(97 + generator.next(below: 26))) }
      bytes.append(32)
    }
    return bytes
  }()

  static func text(_ lengths: Range<Int>, _ generator: inout Generator) -> String {
    let length = lengths.lowerBound + generator.next(below: lengths.count)
    let start = generator.next(below: bytes.count - length)
    return String(decoding: bytes[start..<start + length], as: UTF8.self)
  }
}

/// Pseudo-random numbers that are the same in every run (SplitMix64).
struct Generator {
  private var state: UInt64

  init(_ seed: Int) {
    state = UInt64(bitPattern: Int64(seed))
  }

  mutating func next(below limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
  }
}
