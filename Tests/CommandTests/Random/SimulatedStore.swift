/// What a store must have, as plain values.
struct SimulatedStore: Sendable {
  /// A stored article.
  struct Article: Sendable {
    var item: SimulatedFeed.Item
    /// The time of the document that it comes from.
    var built: Int
    /// The titles and texts that it had, the present ones last.
    var texts: [[String]]
    /// The number of changes that are edits.
    var edits = 0
    /// True if an older document had other values, which are versions too.
    var hasOlder = false
    var isStarred = false
    var isRead = false
  }

  /// The events since the last look.
  struct Events: Sendable, Equatable {
    var inserted: Set<String> = []
    /// The guids of articles whose words changed, in order.
    var edited: [String] = []
    var deleted: Set<String> = []
  }

  private(set) var articles: [String: Article] = [:]
  private(set) var gone: Set<String> = []
  /// The articles that the hook must get: all but articles of a feed's first fetch and of files.
  private(set) var hooked: Set<String> = []
  var events = Events()

  /// Applies a document.
  ///
  /// - Parameter runsHook: True for an answer after the feed's first one.
  mutating func apply(_ document: SimulatedFeed.Document, runsHook: Bool) {
    for item in document.items where !gone.contains(item.guid) {
      let text = [item.title, item.text]
      guard var article = articles[item.guid] else {
        articles[item.guid] = Article(item: item, built: document.built, texts: [text])
        events.inserted.insert(item.guid)
        if runsHook { hooked.insert(item.guid) }
        continue
      }
      if document.built < article.built {
        let isSameText = text == article.texts.last && item.link == article.item.link
        if isSameText, item.modified != nil || article.item.modified != nil {
          // A time that goes back alone is a correction.
          article.item = item
        } else {
          article.hasOlder = article.hasOlder || item != article.item
        }
      } else {
        if text != article.texts.last || item.link != article.item.link { article.edits += 1 }
        if text != article.texts.last {
          article.texts.append(text)
          events.edited.append(item.guid)
        }
        (article.item, article.built) = (item, document.built)
      }
      articles[item.guid] = article
    }
  }

  /// Removes the articles that a deletion has chosen.
  mutating func remove(_ guids: Set<String>) {
    for guid in guids where articles.removeValue(forKey: guid) != nil {
      gone.insert(guid)
      events.deleted.insert(guid)
    }
  }

  /// Returns the articles that a deletion must leave.
  ///
  /// - Parameters:
  ///   - count: The number of the newest articles of each feed that stay.
  ///   - waiting: The articles that wait for a hook.
  func kept(last count: Int, waiting: Set<String>) -> Set<String> {
    let feeds = Dictionary(grouping: articles.values) { $0.item.guid.prefix { $0 != "-" } }
    let newest = feeds.values.flatMap { articles in
      articles.sorted { $0.item.published > $1.item.published }.prefix(count).map(\.item.guid)
    }
    let starred = articles.values.filter(\.isStarred).map(\.item.guid)
    return Set(newest).union(starred).union(waiting)
  }

  mutating func mark(_ guid: String, read: Bool? = nil, starred: Bool? = nil) {
    if let read { articles[guid]?.isRead = read }
    if let starred { articles[guid]?.isStarred = starred }
  }
}
