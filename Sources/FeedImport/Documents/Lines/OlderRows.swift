import Foundation
import ManagedContext
import NewsModel

/// Exported articles whose texts are older than the stored ones; see ``StatedTime``.
struct OlderRows {
  /// The rows, by their places.
  private(set) var places: Set<Int> = []
  /// The rows that make the texts versions of their articles.
  private(set) var versions: [BatchUpsert] = []

  /// Finds them among rows of articles.
  init(_ rows: RowBatch, at now: Date, in context: ManagedObjectContext) throws(StoreError) {
    typealias Key = Article.Key
    var keys: [Int: Int64] = [:]
    var placesOfFeed: [ManagedObjectID: [(place: Int, guid: String)]] = [:]
    for place in 0..<rows.count {
      let article = RowValues(rows, row: place, model: context.model)
      placesOfFeed[article[Key.feed], default: []].append((place, article[Key.guid]))
    }
    for (feed, articles) in placesOfFeed {
      let places = Dictionary(
        articles.map { (Array($0.guid.utf8), $0.place) }, uniquingKeysWith: { first, _ in first })
      let stored = try context.rows(
        FetchRequest(Article.self, where: \.feed == feed && .among(\.guid, articles.map(\.guid))),
        columns: [Key.guid.index, Key.contentHash.index, Key.modified.index, Key.stated.index])
      for row in 0..<stored.count {
        guard case .text(let offset, let count) = stored.cell(row: row, column: 0),
          let place = places[Array(stored.bytes[Int(offset)..<Int(offset) + Int(count)])],
          stored.cell(row: row, column: 1) != rows.cell(row: place, column: Key.contentHash.index)
        else { continue }
        let number = { (cell: RowBatch.Cell) -> Int64? in
          if case .integer(let number) = cell { number } else { nil }
        }
        let time = StatedTime(
          document: number(rows.cell(row: place, column: Key.stated.index)), dates: [],
          at: Int64(now.timeIntervalSince1970), isAnswer: false)
        let age = time.age(
          modified: number(rows.cell(row: place, column: Key.modified.index)),
          than: number(stored.cell(row: row, column: 2)), stated: number(stored.cell(row: row, column: 3)))
        if age == .older { keys[place] = stored.keys[row] }
      }
    }
    for (place, key) in keys.sorted(by: { $0.key < $1.key }) {
      let ids = [context.id(Article.self, row: key)].compactMap(\.self)
      guard let current = try StoredArticles([key], in: context)[key] else { continue }
      let older = ArticleVersion(
        cells: Key.columns.map { rows.cell(row: place, column: $0) }, bytes: rows.bytes)
      // A date that goes back alone is a correction.
      if current.changes(from: older).isSubset(of: .dates) { continue }
      places.insert(place)
      let known = try EarlierVersions(of: ids, in: context)
      if older.isKnown(of: key, before: current, known) { continue }
      versions += older.version(of: key, before: current, known, at: now)
    }
  }
}

extension BatchUpsert {
  /// Returns the batch without some rows.
  func leavingOut(_ places: Set<Int>) -> BatchUpsert {
    guard !places.isEmpty else { return self }
    var batch = self
    let kept = (0..<rows.count).filter { !places.contains($0) }
    batch.rows = RowBatch(entity: rows.entity, columns: rows.columns, bytes: rows.bytes)
    for row in kept {
      batch.rows.beginRow(key: rows.keys[row])
      for column in rows.columns.indices { batch.rows.append(rows.cell(row: row, column: column)) }
    }
    if let newKeys { batch.newKeys = kept.map { newKeys[$0] } }
    if let exclusion { batch.exclusion?.values = kept.map { exclusion.values[$0] } }
    return batch
  }
}
