import ManagedContext
import NewsModel
import Sequences

/// Merges a list's later lines into articles that its earlier lines have saved, as ``ListedLines`` does with
/// lines that it reads together.
enum LaterLines {
  /// The stored articles in memory during a comparison.
  private static let mostCompared = 16

  /// The attributes that are not compared, and keep their values.
  private static let kept =
    ArticleRows.kept + [
      Article.schema.timelineDate.index, Article.schema.feed.index, Article.schema.guid.index,
      Article.schema.contentHash.index,
      Article.schema.storedChange.index,
    ]

  /// Returns the changes to articles that earlier lines have inserted; nil if nothing changes.
  ///
  /// Values that a line lacks stay. An article that another document has completed also stays.
  ///
  /// - Parameters:
  ///   - batch: The articles from the lines.
  ///   - last: The greatest article key before the list's import.
  static func updates(
    _ batch: BatchUpsert, after last: Int64, in context: ManagedObjectContext
  ) throws(StoreError) -> BatchUpsert? {
    let rows = batch.rows
    let repeated = rows.keys.indices.filter { rows.keys[$0] > last }
    guard rows.entity == NewsModel.Place.article, !repeated.isEmpty else { return nil }
    let places = Article.columns.map { rows.columns.firstIndex(of: $0) }
    var changed = RowBatch(entity: rows.entity, columns: Article.columns, bytes: rows.bytes)
    var excluded: [Int64] = []
    for page in repeated.chunks(of: mostCompared) {
      let stored = try StoredArticles(page.map { rows.keys[$0] }, in: context)
      for row in page {
        guard let old = stored[rows.keys[row]],
          old.number(Article.schema.contentHash.index) == KnownArticles.incomplete
        else { continue }
        let cells = places.map { $0.map { rows.cell(row: row, column: $0) } ?? .null }
        guard isChange(ArticleVersion(cells: cells, bytes: rows.bytes), of: old) else { continue }
        changed.beginRow(key: rows.keys[row])
        append(cells, replacing: old, to: &changed)
        if let exclusion = batch.exclusion { excluded.append(exclusion.values[row]) }
      }
    }
    guard changed.count > 0 else { return nil }
    var updates = BatchUpsert(changed, unique: batch.unique, kept: ArticleRows.kept)
    updates.isReported = false
    updates.exclusion = batch.exclusion
    updates.exclusion?.values = excluded
    return updates
  }

  private static func isChange(_ new: ArticleVersion, of old: ArticleVersion) -> Bool {
    Article.columns.contains { attribute in
      guard !kept.contains(attribute), replaces(attribute, new.cells, old) else { return false }
      return new.text(attribute) != old.text(attribute) || new.number(attribute) != old.number(attribute)
    }
  }

  /// Returns whether a line's value replaces an earlier line's.
  private static func replaces(_ attribute: Int, _ cells: [RowBatch.Cell], _ old: ArticleVersion) -> Bool {
    switch attribute {
    case Article.schema.storedChange.index: return false
    // The story depends on the address.
    case Article.schema.story.index: return cells[Article.schema.url.index] != .null
    // A summary without content would become the content, but must not replace the whole text.
    case Article.schema.contentHTML.index:
      let hasSummary = old.text(Article.schema.summary.index) != nil
      return cells[attribute] != .null && (cells[Article.schema.summary.index] != .null || !hasSummary)
    default: return cells[attribute] != .null
    }
  }

  private static func append(
    _ cells: [RowBatch.Cell], replacing old: ArticleVersion, to rows: inout RowBatch
  ) {
    func date(_ attribute: Int) -> Int64? {
      if case .integer(let date) = cells[attribute] { date } else { old.number(attribute) }
    }
    for attribute in Article.columns {
      if attribute == Article.schema.timelineDate.index,
        let imported = old.number(Article.schema.imported.index)
      {
        let date = Article.timelineDate(
          published: date(Article.schema.published.index), modified: date(Article.schema.modified.index),
          imported: imported)
        rows.append(integer: date)
      } else if replaces(attribute, cells, old) {
        rows.append(cells[attribute])
      } else if let text = old.text(attribute) {
        rows.append(text: String(decoding: text, as: UTF8.self))
      } else {
        rows.append(old.number(attribute).map(RowBatch.Cell.integer) ?? .null)
      }
    }
  }
}
