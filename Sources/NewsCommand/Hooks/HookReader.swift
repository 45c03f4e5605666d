import Foundation
import ManagedContext
import NewsModel
import TextOutput

/// A change of an article, as a hook gets it.
struct HookEvent: Sendable {
  /// The token of the event, which is the same in each attempt.
  let token: String
  /// The number of the article.
  let article: Int64
  /// The date of the change.
  let date: Date
  /// The transaction, and the number of the event in it; nil for an event that only a failure knows.
  let place: (transaction: HistoryToken, position: Int)?
  /// The article as a line of JSON.
  let line: [UInt8]
}

/// The events that a command gets at once.
struct HookBatch {
  private var events: [HookEvent] = []
  private var bytes = 0

  /// The number of bytes at which a batch is full.
  private static let mostBytes = 8 << 20

  var isEmpty: Bool { events.isEmpty }

  func isFull(of count: Int) -> Bool { events.count >= count || bytes >= Self.mostBytes }

  mutating func add(_ event: HookEvent) {
    events.append(event)
    bytes += event.line.count
  }

  mutating func take() -> [HookEvent] {
    defer { self = HookBatch() }
    return events
  }
}

/// Events that concern a hook, of one transaction.
struct HookPage {
  let transaction: HistoryTransaction
  let events: [ArticleEvent]

  /// The tokens of the events.
  var tokens: [String] {
    events.map { ChangeToken(transaction.token, position: $0.position).text }
  }
}

/// Reads the events that concern a hook from the history, with at most one page of articles in memory.
@MainActor
struct HookReader {
  private let hook: Hook
  private let coordinator: PersistentStoreCoordinator
  /// Nil if all articles are the hook's.
  private let matcher: HookMatcher?
  /// The attributes that are read of articles.
  private let columns: ArticleColumns
  /// True for articles of first imports and of files, too.
  private let includesOld: Bool
  /// The newest transaction that is read.
  private let last: Int64

  private var source: DataSource
  private var lines: HookLines
  private var firstImports: FirstImports
  /// The transactions that were read together.
  private var transactions: ArraySlice<HistoryTransaction> = []
  private var isAtEnd = false
  /// The last transaction that was read completely. After the end, it is the newest one.
  private(set) var cursor: HistoryToken
  /// True if transactions are missing among those that were read.
  private(set) var hasGap = false
  private var position: Int

  /// - Parameters:
  ///   - matcher: The articles of the hook; nil for all.
  ///   - columns: The attributes to read of articles. ``next()`` needs all.
  ///   - start: The last transaction that was handled completely.
  ///   - position: The number of events of the next transaction that were handled.
  ///   - end: The newest transaction to read. The articles of a query may be those of now.
  init(
    _ hook: Hook, _ matcher: HookMatcher?, _ coordinator: PersistentStoreCoordinator, includesOld: Bool,
    columns: ArticleColumns = .all, after start: HistoryToken, position: Int, upTo end: HistoryToken
  ) {
    (self.hook, self.matcher, self.coordinator, self.columns) = (hook, matcher, coordinator, columns)
    (self.includesOld, last) = (includesOld, end.number)
    (cursor, self.position) = (start, position)
    source = DataSource(ManagedObjectContext(parent: coordinator))
    lines = HookLines(hook.name, source)
    firstImports = FirstImports(source)
  }

  /// Returns the events of the next page as lines of JSON, perhaps none; nil at the end.
  mutating func next() throws(StoreError) -> [HookEvent]? {
    guard let page = try nextPage() else { return nil }
    return try lines.lines(page.events.map { HookLines.Change($0, of: page.transaction) })
  }

  /// Returns the events of the next page, perhaps none; nil at the end.
  mutating func nextPage() throws(StoreError) -> HookPage? {
    while true {
      guard let transaction = transactions.first else {
        if isAtEnd { return nil }
        try readTransactions()
        continue
      }
      var page: [ArticleEvent] = []
      let isWanted = includesOld || transaction.author != TransactionAuthor.importing
      let reader = ChangeReader(coordinator, source, columns: columns)
      var isRead = true
      if isWanted {
        isRead = try reader.forEachPage(of: transaction, after: position, withMarks: false) {
          (events) throws(StoreError) in
          page = events
          return false
        }
      }
      if isRead {
        (cursor, position) = (transaction.token, 0)
        transactions.removeFirst()
        continue
      }
      position = page.last?.position ?? .max
      return HookPage(transaction: transaction, events: try concerned(page, of: transaction))
    }
  }

  private mutating func readTransactions() throws(StoreError) {
    let part = try coordinator.followedHistory(after: cursor, limit: Self.part)
    if part.missing != nil { hasGap = true }
    transactions = part.transactions.prefix { $0.token.number <= last }
    let isCut = transactions.count < part.transactions.count
    isAtEnd = isCut || part.transactions.count < Self.part
    if isAtEnd, transactions.isEmpty, !isCut, let end = part.end, end.number <= last { cursor = end }
    source = DataSource(ManagedObjectContext(parent: coordinator))
    lines = HookLines(hook.name, source)
    firstImports = FirstImports(source)
  }

  private func concerned(
    _ page: [ArticleEvent], of transaction: HistoryTransaction
  ) throws(StoreError) -> [ArticleEvent] {
    let concerned = page.filter { hook.kind.concerns($0) }
    let rows = concerned.compactMap(\.article)
    var old: Set<ManagedObjectID> = []
    if hook.kind == .new, !includesOld {
      old = try firstImports.feeds(Set(rows.map(\.feed)), at: transaction.date)
    }
    let new = rows.filter { !old.contains($0.feed) }
    let found = try matcher?.matches(new, in: source) ?? Set(new.map(\.id))
    return concerned.filter { found.contains($0.id) }
  }

  /// The number of transactions that are read together.
  private static let part = 20
}

extension Hook.Kind {
  /// Returns whether a hook of this kind is for a change. An article that was deleted since has no content for a command.
  func concerns(_ event: ArticleEvent) -> Bool {
    guard event.article != nil else { return false }
    switch (self, event.change) {
    case (.new, .insert): return true
    // A change whose kinds are not known may be an edit.
    case (.edited, .update(let update?)): return update.kinds?.isEdit ?? true
    default: return false
    }
  }
}
