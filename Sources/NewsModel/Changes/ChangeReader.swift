public import ManagedContext

/// Reads article changes from a store's history, with at most one article page in memory.
public struct ChangeReader {
  private let coordinator: PersistentStoreCoordinator
  private let source: DataSource
  private let columns: AttributeSet
  private let changedColumns: AttributeSet

  /// - Parameters:
  ///   - coordinator: The store's coordinator.
  ///   - source: Queries to a context with this coordinator.
  ///   - columns: The attributes to read for new articles.
  ///   - changedColumns: The attributes to read for changed or marked articles; nil for the same.
  public init(
    _ coordinator: PersistentStoreCoordinator, _ source: DataSource, columns: AttributeSet = .all,
    changedColumns: AttributeSet? = nil
  ) {
    (self.coordinator, self.source, self.columns) = (coordinator, source, columns)
    self.changedColumns = changedColumns ?? columns
  }

  /// The number of events in a page. Texts may be long, so fewer articles are read with them.
  private var page: Int { columns.contains(Article.schema.contentHTML) ? 50 : 200 }

  /// Visits a transaction's events in order: new, changed and deleted articles, then their marks, each by
  /// number.
  ///
  /// - Parameters:
  ///   - position: The event count to skip.
  ///   - withMarks: True to visit marks as well. The event numbers are the same without them.
  ///   - body: Called with an event page. Returns false to stop.
  /// - Returns: False if it was stopped.
  public func forEachPage(
    of transaction: HistoryTransaction, after position: Int, withMarks: Bool,
    _ body: ([ArticleEvent]) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    var number = 0
    for part in TransactionPart.all where withMarks || part.entity == NewsModel.Place.article {
      var ids = part.ids(in: transaction.changes).makeIterator()
      while let page = ids.page(page, after: position, &number) {
        let events = try events(page.ids, part, from: page.first, in: transaction)
        if !events.isEmpty { guard try body(events) else { return false } }
      }
    }
    return true
  }

  private func events(
    _ ids: [ManagedObjectID], _ part: TransactionPart, from first: Int, in transaction: HistoryTransaction
  ) throws(StoreError) -> [ArticleEvent] {
    var articles = ids.map(Optional.some)
    if part.entity != NewsModel.Place.article {
      articles =
        try part.isDeletion
        ? ids.map { transaction.lastValues(of: $0).reference(0) } : marks(ids, part.entity)
    }
    var rows: [ManagedObjectID: StoredRow<Article>] = [:]
    if !(part.isDeletion && part.entity == NewsModel.Place.article) {
      let isNew = part.entity == NewsModel.Place.article && !part.isUpdate
      rows.reserveCapacity(ids.count)
      for row in try source.articles(articles.compactMap(\.self), columns: isNew ? columns : changedColumns) {
        rows[row.id] = row
      }
    }
    let replaced =
      part.isUpdate ? try coordinator.replacedValues(of: ids, in: transaction.token.number) : [:]
    var events: [ArticleEvent] = []
    for (offset, (id, article)) in zip(ids, articles).enumerated() {
      // A mark that was removed since no longer has its article; the removal's event names the article.
      guard let article else { continue }
      let row = rows[article]
      let change: ArticleEvent.Change
      switch (part.entity, part.isDeletion) {
      case (NewsModel.Place.article, true):
        let values = transaction.lastValues(of: id)
        change = .delete(feed: values.reference(0), guid: values.text(1))
      case (NewsModel.Place.article, false) where part.isUpdate:
        if row != nil, let values = replaced[id],
          let update = ArticleUpdate(values, written: transaction.changes.updated[id] ?? [])
        {
          change = .update(update)
        } else if transaction.changes.updated[id]?.contains(Article.schema.feed) == true,
          transaction.changes.updated[id]?.contains(Article.schema.contentHash) != true
        {
          change = .move
        } else if row == nil {
          change = .update(nil)
        } else {
          continue
        }
      case (NewsModel.Place.article, false): change = .insert
      default:
        // A deleted article's marks end with it.
        if part.isDeletion, transaction.changes.deleted.contains(article) { continue }
        change = .mark(part.entity == NewsModel.Place.star ? .starred : .read, isSet: !part.isDeletion)
      }
      events.append(ArticleEvent(id: article, position: first + offset, change: change, article: row))
    }
    return events
  }

  /// Returns the marked articles, in mark order; nil for a mark that no longer exists.
  private func marks(
    _ ids: [ManagedObjectID], _ entity: EntityIndex
  ) throws(StoreError) -> [ManagedObjectID?] {
    let rows =
      entity == NewsModel.Place.star
      ? try source.context.rows(
        FetchRequest(Star.self, where: .ids(ids)), columns: [Star.schema.article.index])
      : try source.context.rows(
        FetchRequest(ReadMark.self, where: .ids(ids)), columns: [ReadMark.schema.article.index])
    var articles: [ManagedObjectID: ManagedObjectID] = [:]
    for row in 0..<rows.count {
      let value = rows.value(row: row, column: 0, model: source.context.model)
      articles[rows.id(row: row)] = [value].reference(0)
    }
    return ids.map { articles[$0] }
  }
}

private struct TransactionPart {
  let entity: EntityIndex
  private let kind: Kind

  private enum Kind: CaseIterable {
    case insertions, updates, deletions
  }

  var isUpdate: Bool { kind == .updates }
  var isDeletion: Bool { kind == .deletions }

  /// All parts, in the order in which they are read. Marks are never updated.
  static let all = followed.flatMap { entity in
    Kind.allCases.filter { entity == NewsModel.Place.article || $0 != .updates }
      .map { TransactionPart(entity: entity, kind: $0) }
  }

  private static let followed = [
    NewsModel.Place.article, NewsModel.Place.readMark, NewsModel.Place.star,
  ]

  func ids(in changes: ContextChanges) -> AnySequence<ManagedObjectID> {
    switch kind {
    case .insertions: AnySequence(changes.inserted.ids(of: entity))
    case .updates: sorted(changes.updated.keys)
    case .deletions: sorted(changes.deleted)
    }
  }

  private func sorted(_ ids: some Sequence<ManagedObjectID>) -> AnySequence<ManagedObjectID> {
    AnySequence(ids.filter { $0.entity == entity }.sorted { $0.key < $1.key })
  }
}

extension IteratorProtocol<ManagedObjectID> {
  /// Returns the next IDs and the first one's number; nil at the end.
  ///
  /// - Parameters:
  ///   - position: The element count to skip.
  ///   - number: The count of elements read so far, which is increased.
  fileprivate mutating func page(
    _ size: Int, after position: Int, _ number: inout Int
  ) -> (first: Int, ids: [ManagedObjectID])? {
    var ids: [ManagedObjectID] = []
    while ids.count < size, let id = next() {
      number += 1
      if number > position { ids.append(id) }
    }
    return ids.isEmpty ? nil : (number - ids.count + 1, ids)
  }
}

extension HistoryTransaction {
  /// Returns a deleted object's last values, in the order of its entity's options; empty if they are not
  /// known.
  fileprivate func lastValues(of id: ManagedObjectID) -> [AttributeValue] { deletedValues[id] ?? [] }
}

extension [AttributeValue] {
  fileprivate func reference(_ index: Int) -> ManagedObjectID? {
    guard indices.contains(index), case .reference(let id) = self[index] else { return nil }
    return id
  }

  fileprivate func text(_ index: Int) -> String? {
    guard indices.contains(index), case .text(let text) = self[index] else { return nil }
    return text
  }
}

extension ChangeReader {
  /// Returns a transaction's changes to an article, even if the history no longer has the transaction.
  ///
  /// - Parameter number: The transaction's number.
  public func update(of article: ManagedObjectID, in number: Int64) throws(StoreError) -> ArticleUpdate? {
    try coordinator.replacedValues(of: [article], in: number)[article].flatMap {
      ArticleUpdate($0, written: [])
    }
  }

  /// Counts a transaction's events, including marks.
  public static func count(of transaction: HistoryTransaction) -> Int {
    TransactionPart.all.reduce(0) { count, part in
      part.ids(in: transaction.changes).reduce(count) { number, _ in number + 1 }
    }
  }

  /// Returns the transaction for an event's token; nil if the transaction has no events.
  ///
  /// - Throws: ``ManagedContext/StoreError/history(_:)`` if the store does not have the token's transaction.
  public static func transaction(
    of token: ChangeToken, in store: some PersistentStore
  ) throws(StoreError) -> HistoryTransaction? {
    // Without transactions to return, this only verifies the token.
    _ = try store.followedHistory(after: token.transaction, limit: 0)
    let before = HistoryToken(token.transaction.number - 1)
    let found = try store.followedHistory(after: before, limit: 1).transactions.first
    return found?.token == token.transaction ? found : nil
  }
}
