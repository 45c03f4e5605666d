import Foundation
package import ManagedContext
package import NewsConfiguration
package import NewsModel
import TextOutput

/// An article change, as a hook gets it.
struct HookEvent: Sendable {
  /// The event's token, which is the same in each attempt.
  let token: String
  let article: Int64
  /// The date when the article changed.
  let date: Date
  /// The transaction, and the event's number in it; nil for an event that only a failure knows.
  let place: (transaction: HistoryToken, position: Int)?
  /// The article in the hook's format.
  let text: [UInt8]
  /// The line before the article in a text with several.
  var heading: [UInt8] = []
}

extension [HookEvent] {
  /// The standard input of a command that gets these events.
  var input: [UInt8] {
    guard count > 1 else { return flatMap(\.text) }
    return enumerated().flatMap { place, event in
      let space: [UInt8] = place > 0 && !event.heading.isEmpty ? [UInt8(ascii: "\n")] : []
      return space + event.heading + event.text
    }
  }
}

/// The events that a command gets at once.
struct HookBatch {
  private var events: [HookEvent] = []
  private var bytes = 0

  /// The byte count at which a batch is full.
  private static let mostBytes = 8 << 20

  var isEmpty: Bool { events.isEmpty }

  func isFull(of count: Int) -> Bool { events.count >= count || bytes >= Self.mostBytes }

  mutating func add(_ event: HookEvent) {
    events.append(event)
    bytes += event.text.count + event.heading.count
  }

  mutating func take() -> [HookEvent] {
    defer { self = HookBatch() }
    return events
  }
}

/// A transaction's events that concern a hook.
package struct HookPage {
  package let transaction: HistoryTransaction
  package let events: [ArticleEvent]

  package var tokens: [String] {
    events.map { ChangeToken(transaction.token, position: $0.position).text }
  }
}

/// Reads the events that concern a hook from the history, with at most one article page in memory.
@MainActor
package struct HookReader {
  private let hook: Hook
  private let coordinator: PersistentStoreCoordinator
  /// Nil if all articles are the hook's.
  private let matcher: HookMatcher?
  /// The article attributes to read.
  private let columns: AttributeSet
  /// True to include articles from first imports and from files.
  private let includesOld: Bool
  /// The newest transaction that is read.
  private let last: Int64

  private var source: DataSource
  private var inputs: HookInputs
  private var firstImports: FirstImports
  /// The transactions that were read together.
  private var transactions: ArraySlice<HistoryTransaction> = []
  private var isAtEnd = false
  /// The last transaction that was read completely. After the end, it is the newest one.
  package private(set) var cursor: HistoryToken
  /// True if transactions are missing among those that were read.
  package private(set) var hasGap = false
  private var position: Int

  /// - Parameters:
  ///   - matcher: The hook's articles; nil for all.
  ///   - columns: The article attributes to read. ``next()`` needs all.
  ///   - start: The last transaction that was handled completely.
  ///   - position: How many events in the next transaction were handled.
  ///   - end: The newest transaction to read. A query's articles may be chosen as of now.
  package init(
    _ hook: Hook, _ matcher: HookMatcher?, _ coordinator: PersistentStoreCoordinator, includesOld: Bool,
    columns: AttributeSet = .all, after start: HistoryToken, position: Int, upTo end: HistoryToken
  ) {
    (self.hook, self.matcher, self.coordinator, self.columns) = (hook, matcher, coordinator, columns)
    (self.includesOld, last) = (includesOld, end.number)
    (cursor, self.position) = (start, position)
    source = DataSource(ManagedObjectContext(parent: coordinator))
    inputs = HookInputs(hook, coordinator, source)
    firstImports = FirstImports(source)
  }

  /// Returns the next page's events for a command, perhaps none; nil at the end.
  mutating func next() throws(StoreError) -> [HookEvent]? {
    guard let page = try nextPage() else { return nil }
    return try inputs.events(page.events.map { HookInputs.Change($0, of: page.transaction) })
  }

  /// Returns the next page's events, perhaps none; nil at the end.
  package mutating func nextPage() throws(StoreError) -> HookPage? {
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
    inputs = HookInputs(hook, coordinator, source)
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

  /// The count of transactions that are read together.
  private static let part = 20
}

extension Hook.Kind {
  /// Returns whether a hook of this kind is for a change. A deleted article has no content for a command.
  func concerns(_ event: ArticleEvent) -> Bool {
    guard event.article != nil else { return false }
    switch (self, event.change) {
    case (.new, .insert): return true
    // A change of unknown kind may be an edit.
    case (.edited, .update(let update?)): return update.kinds?.isEdit ?? true
    default: return false
    }
  }
}
