import ArticleDocuments
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput

/// Writes the articles in events in a hook's format.
@MainActor
struct HookInputs {
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

  private let hook: Hook
  private let coordinator: PersistentStoreCoordinator
  private let source: DataSource
  private let regions: FeedRegions

  init(_ hook: Hook, _ coordinator: PersistentStoreCoordinator, _ source: DataSource) {
    (self.hook, self.coordinator, self.source) = (hook, coordinator, source)
    regions = FeedRegions(source)
  }

  func events(_ changes: [Change?]) throws(StoreError) -> [HookEvent] {
    let changes = changes.compactMap(\.self)
    if changes.isEmpty { return [] }
    var stories = ListedStories()
    let articles = try source.listed(changes.map(\.row), in: regions, &stories)
    var events: [HookEvent] = []
    for (change, listed) in zip(changes, articles) { events.append(try event(change, listed)) }
    try regions.check()
    return events
  }

  private func event(_ change: Change, _ listed: ListedArticle) throws(StoreError) -> HookEvent {
    func event(_ text: [UInt8], after heading: String = "") -> HookEvent {
      HookEvent(
        token: change.token, article: listed.id.key, date: change.date, place: change.place, text: text,
        heading: Array(heading.utf8))
    }
    switch hook.format {
    case .json: return event(line(change, listed))
    case .mail: return event(Array(message(change, listed).text.utf8))
    case .mbox: return event(Array(message(change, listed).inMailbox.utf8))
    case .text:
      let hasVersions = try !coordinator.versions(of: listed.id).isEmpty
      let page = ArticlePage(listed, hasVersions: hasVersions)
      return event(Array(page.text.utf8), after: page.rule)
    }
  }

  private func message(_ change: Change, _ listed: ListedArticle) -> MailMessage {
    MailMessage(
      listed, edit: change.isNew ? nil : MailMessage.Edit(token: change.token, date: change.date))
  }

  private func line(_ change: Change, _ listed: ListedArticle) -> [UInt8] {
    var json = JSONText()
    json.open("{")
    json.field("event", change.token)
    json.field("hook", hook.name)
    json.field("change", change.isNew ? "insert" : "update")
    json.field("date", iso8601(change.date))
    for field in ArticleFields.all { field.write(listed, to: &json) }
    if !change.isNew { (change.update ?? .unknown).write(to: &json) }
    json.close("}")
    json.endLine()
    return json.takeBytes()
  }
}

extension HookInputs.Change {
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
