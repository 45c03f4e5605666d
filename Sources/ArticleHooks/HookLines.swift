import ArticleDocuments
import Foundation
import ManagedContext
import NewsModel
import TextOutput

/// Writes the articles in events as JSON lines.
@MainActor
struct HookLines {
  /// An article change that is written.
  struct Change {
    let token: String
    let date: Date
    let place: (transaction: HistoryToken, position: Int)?
    let row: StoredRow<Article>
    /// The values that were changed; nil for a new article.
    let update: ArticleUpdate?
    let isNew: Bool
  }

  private let hook: String
  private let source: DataSource
  private let regions: FeedRegions

  init(_ hook: String, _ source: DataSource) {
    (self.hook, self.source) = (hook, source)
    regions = FeedRegions(source)
  }

  func lines(_ changes: [Change?]) throws(StoreError) -> [HookEvent] {
    let changes = changes.compactMap(\.self)
    if changes.isEmpty { return [] }
    var stories = ListedStories()
    let articles = try source.listed(changes.map(\.row), in: regions, &stories)
    let events = zip(changes, articles).map { change, listed in
      HookEvent(
        token: change.token, article: listed.id.key, date: change.date, place: change.place,
        line: line(change, listed))
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
    for field in ArticleFields.all { field.write(listed, to: &json) }
    if !change.isNew { (change.update ?? .unknown).write(to: &json) }
    json.close("}")
    json.endLine()
    return json.takeBytes()
  }
}

extension HookLines.Change {
  /// Creates an event's change; nil if the article was deleted.
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
  /// A change without stored values.
  fileprivate static let unknown = ArticleUpdate(kinds: nil, fields: nil)
}
