import FeedParsing
import Foundation
import ManagedContext
import NewsModel
import Sequences

/// Finds how stored articles differ from a document's items.
extension ArticleRows {
  /// A stored article with another content hash than the item's.
  struct Edit {
    /// The item's index.
    let place: Int
    let key: Int64
    let guid: ByteSlice
    let sequence: Int64
    /// True if the article itself has not changed; see ``KnownArticles/Standing/adopted(key:)``.
    var isAdopted = false
  }

  /// A stored article, its new cells, and what the change means; nil if readers see no change.
  typealias Change = (edit: Edit, cells: [RowBatch.Cell], change: ArticleChange?)

  /// Compares stored articles with their items.
  ///
  /// - Returns: The changes, and versions for texts older than the store's; these are not changes.
  func changes(
    _ edits: [Edit], of items: borrowing ParsedItemBatch, _ contentHashes: [Int64], _ arena: inout ItemArena,
    _ read: ([Int64]) throws(StoreError) -> StoredArticles,
    _ versions: ([Int64]) throws(StoreError) -> EarlierVersions
  ) throws(StoreError) -> (changes: [Change], earlier: [BatchUpsert]) {
    var changes: [Change] = []
    var earlier: [BatchUpsert] = []
    for page in edits.chunks(of: Self.mostCompared) {
      let stored = try read(page.map(\.key))
      for edit in page {
        var cells = cells(
          of: items.items[edit.place], of: items, edit.guid, contentHashes[edit.place], edit.sequence, &arena)
        // Another process may have deleted the article.
        guard let old = stored[edit.key] else {
          changes.append((edit, cells, edit.isAdopted ? nil : .edit))
          continue
        }
        let new = ArticleVersion(cells: cells, bytes: arena.bytes)
        let kinds = edit.isAdopted ? [] : new.changes(from: old, volatile: volatile)
        let age = age(new, kinds, items.items[edit.place].publishedIsAnyDate, than: old)
        if age != .current {
          let known = kinds.isEdit ? try versions([edit.key]) : EarlierVersions()
          let isKnown = new.isKnown(of: edit.key, before: old, known, volatile: volatile)
          if age == .older || isKnown {
            if kinds.isEdit, !isKnown {
              earlier += new.version(of: edit.key, before: old, known, volatile: volatile, at: now)
            }
            continue
          }
        }
        cells[Article.schema.timelineDate.index] = .integer(timelineDate(new, replacing: old))
        let last = old.number(Article.schema.storedChange.index) ?? 0
        cells[Article.schema.storedChange.index] = .integer(kinds.isEmpty ? last : change(kinds, after: last))
        changes.append((edit, cells, ArticleChange(kinds)))
      }
    }
    return (changes, earlier)
  }

  /// Compares a document's text with the stored one; see ``StatedTime``.
  ///
  /// - Parameters:
  ///   - kinds: The differences. A time alone that goes back is a correction: later texts have earlier times.
  ///   - isAnyDate: True if the publication date may be the date of the last change.
  private func age(
    _ new: ArticleVersion, _ kinds: ChangeKinds, _ isAnyDate: Bool, than old: ArticleVersion
  ) -> StatedTime.Age {
    if kinds.isEmpty { return .current }
    let attributes = [Article.schema.modified.index] + (isAnyDate ? [Article.schema.published.index] : [])
    let stated = attributes.filter { !volatile.contains(AttributeSet(index: $0)) }
    func modified(_ article: ArticleVersion) -> Int64? { stated.lazy.compactMap(article.number).first }
    let (modified, former) = (modified(new), modified(old))
    if kinds == .dates, modified != nil || former != nil { return .current }
    return time.age(modified: modified, than: former, stated: old.number(Article.schema.stated.index))
  }

  /// Returns the ``Article/timelineDate`` of a stored article with new values. Dates that the server changes
  /// with each fetch do not move the article.
  private func timelineDate(_ new: ArticleVersion, replacing old: ArticleVersion) -> Int64 {
    let (published, modified) = (Article.schema.published.index, Article.schema.modified.index)
    func dates(_ attribute: Int) -> ArticleVersion {
      volatile.contains(AttributeSet(index: attribute)) ? old : new
    }
    return Article.timelineDate(
      published: dates(published).number(published), modified: dates(modified).number(modified),
      imported: old.number(Article.schema.imported.index) ?? Int64(now.timeIntervalSince1970))
  }

  /// Returns a change as the number that the store keeps.
  ///
  /// - Parameter last: The previous change's number.
  private func change(_ kinds: ChangeKinds, after last: Int64) -> Int64 {
    let before = StoredChange(number: Int(last))
    return Int64(
      StoredChange(kinds, followsDirectly: answer.follows(before), answer: answer.number).number)
  }

  /// The stored articles in memory during a comparison. Each may have several MiB.
  private static let mostCompared = 4
}
