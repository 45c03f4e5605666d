import Foundation
import ManagedContext
import NewsModel
import TextOutput

/// Writes the articles of events as lines of JSON.
@MainActor
struct HookLines {
  /// A change of an article that is written.
  struct Change {
    let token: String
    let date: Date
    let place: (transaction: HistoryToken, position: Int)?
    let row: ArticleRow
    /// The values that were changed; nil for a new article.
    let update: ArticleUpdate?
    let isNew: Bool
  }

  private let hook: String
  private let source: DataSource
  private let regions: FeedRegions

  private static let keys = ArticleFields.all.map { JSONText.encodedKey($0.name) }

  init(_ hook: String, _ source: DataSource) {
    (self.hook, self.source) = (hook, source)
    regions = FeedRegions(source)
  }

  /// Returns the events of changes.
  func lines(_ changes: [Change?]) throws(StoreError) -> [HookEvent] {
    let changes = changes.compactMap(\.self)
    if changes.isEmpty { return [] }
    let marks = try source.marks(of: changes.map(\.row.id))
    var stories = ListedStories()
    let copies = try stories.copies(of: changes.compactMap(\.row.story), in: source)
    var events: [HookEvent] = []
    for change in changes {
      let row = change.row
      let feed = source.context.object(Feed.self, with: row.feed)
      let listed = ListedArticle(
        row, number: ArticleNumber(row.id.key), feed, in: regions, marks: marks[row.id] ?? [],
        otherFeeds: source.otherFeeds(copies.copies(of: row.story, in: row.feed), than: feed))
      events.append(
        HookEvent(
          token: change.token, article: row.id.key, date: change.date, place: change.place,
          line: line(change, listed)))
    }
    try regions.check()
    return events
  }

  private func line(_ change: Change, _ listed: ListedArticle) -> [UInt8] {
    var json = JSONText()
    json.open("{")
    json.field("event", change.token)
    json.field("hook", hook)
    json.field("change", change.isNew ? "insert" : "update")
    json.field("date", iso8601(change.date))
    for (key, field) in zip(Self.keys, ArticleFields.all) {
      json.key(encoded: key)
      field.write(listed, &json)
    }
    if !change.isNew { ChangePrinter.Line.write(change.update ?? .unknown, to: &json) }
    json.close("}")
    json.endLine()
    return json.takeBytes()
  }
}

extension HookLines.Change {
  /// Creates the change of an event; nil if the article was deleted.
  init?(_ event: ArticleEvent, of transaction: HistoryTransaction) {
    guard let row = event.article else { return nil }
    var update: ArticleUpdate?
    if case .update(let values) = event.change { update = values }
    self.init(
      token: ChangeToken(transaction.token, position: event.position).text, date: transaction.date,
      place: (transaction.token, event.position), row: row, update: update, isNew: update == nil)
  }
}

extension ArticleUpdate {
  /// A change whose values are no longer kept.
  fileprivate static let unknown = ArticleUpdate(kinds: nil, fields: nil)
}
