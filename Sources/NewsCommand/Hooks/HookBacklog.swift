import ArticleHooks
import FeedImport
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput

/// The articles that hooks have not handled yet: they wait for a configured hook, or the store keeps them for
/// any hook because its command failed. A configuration may lack the hook by mistake; `hooks skip` drops
/// them.
///
/// They must not leave the store: an article that is deleted before its hook ran never reaches the hook.
@MainActor
final class HookBacklog: WaitingArticles {
  /// The part of the history that was read for a hook.
  private struct Reading {
    /// The hook's position when it was read.
    var start: (HistoryToken, Int)
    /// The last transaction that was read.
    var end: HistoryToken
  }

  /// Unowned, because runs keep this value until they end: otherwise the store would not be closed, and its
  /// log would stay beside it.
  private unowned let stack: NewsStack
  /// Nil if no hook has run and the configuration cannot be read: then no hook is known.
  private let configuration: LoadedConfiguration?
  private var coordinator: PersistentStoreCoordinator {
    PersistentStoreCoordinator(model: NewsModel.model, store: stack.store)
  }
  private var readings: [String: Reading] = [:]
  /// The events that were found in the history. Those that were handled since stay among them.
  private var events: [ManagedObjectID: [WaitingEvent]] = [:]

  /// Creates a value; no history is read yet.
  ///
  /// - Parameter load: Reads the configuration.
  /// - Throws: ``CommandFailure`` from the store; from the configuration only if a hook has run before.
  init(of stack: NewsStack, _ load: () throws -> LoadedConfiguration) throws {
    self.stack = stack
    let consumers = try stack.reading { try stack.store.consumers() }
    let haveRun = consumers.contains { Hook.name(ofConsumer: $0.name) != nil }
    configuration = haveRun ? try load() : try? load()
  }

  /// Returns all articles. If the store is open for writing, they include those changed by others with SQL.
  func articles() throws(StoreError) -> Set<ManagedObjectID> {
    try readNews()
    var articles = Set(events.keys)
    for failure in try HookFailures.all(of: nil, in: stack.source.context) {
      guard let number = failure.article, let article = stack.source.articleID(number) else { continue }
      articles.insert(article)
    }
    return articles
  }

  func events(of articles: [ManagedObjectID]) throws(StoreError) -> [WaitingEvent] {
    try readNews()
    // The failures after the history: a hook stores a failure before it moves its position past the event.
    let source = DataSource(ManagedObjectContext(parent: coordinator))
    let rows = FetchRequest(HookFailure.self, where: .among(\.article, articles.map { Optional($0.key) }))
    var found = articles.flatMap { events[$0] ?? [] }
    for row in try source.context.fetch(rows) {
      guard let article = row.article.flatMap(source.articleID) else { continue }
      found.append(
        WaitingEvent(hook: row.hook, token: row.event, article: article, changed: row.changed ?? row.since))
    }
    return found
  }

  /// Returns a line's end about articles that stay because they wait.
  nonisolated static func note(_ count: Int) -> String {
    "; \(grouped(count)) that \(count == 1 ? "waits for a hook stays" : "wait for a hook stay"): newsimport hooks status"
  }

  // MARK: The history

  /// Reads what was committed since the last call.
  private func readNews() throws(StoreError) {
    guard let configuration else { return }
    let hooks = configuration.configuration.hooks
    if hooks.isEmpty { return }
    let consumers = try stack.store.consumers()
    var isRecorded = false
    for hook in hooks {
      // A hook without a position starts with what comes.
      guard let consumer = consumers.named(hook.consumer) else { continue }
      if !isRecorded { try recordChangesOfOthers() }
      isRecorded = true
      do throws(StoreError) {
        try readNews(of: hook, configuration, consumer)
      } catch .history {
        // The position belongs to another store, so the hook gets nothing from this one.
      }
    }
  }

  private func readNews(
    of hook: Hook, _ configuration: LoadedConfiguration, _ consumer: HistoryConsumer
  ) throws(StoreError) {
    let newest = try coordinator.currentHistoryToken() ?? HistoryToken(0)
    var start = (consumer.token, consumer.position)
    if let reading = readings[hook.name] {
      // A user may have moved the hook back.
      let isMovedBack = (start.0.number, start.1) < (reading.start.0.number, reading.start.1)
      if !isMovedBack {
        if reading.end.number >= newest.number { return }
        start = (reading.end, 0)
      }
    }
    let end: HistoryToken
    do throws(StoreError) {
      end = try add(hook, configuration, after: start.0, start.1, upTo: newest)
    } catch .history(.purged) {
      end = try add(hook, configuration, after: HistoryToken(0), 0, upTo: newest)
    }
    let first = readings[hook.name]?.start ?? start
    let isEarlier = (start.0.number, start.1) < (first.0.number, first.1)
    readings[hook.name] = Reading(start: isEarlier ? start : first, end: end)
  }

  /// Adds the events that concern a hook.
  ///
  /// - Returns: The last transaction that was read.
  private func add(
    _ hook: Hook, _ configuration: LoadedConfiguration, after start: HistoryToken, _ position: Int,
    upTo newest: HistoryToken
  ) throws(StoreError) -> HistoryToken {
    // Without the names that a query needs, each article may be the hook's.
    let matcher = try? HookMatcher(hook, stack, configuration)
    var reader = HookReader(
      hook, matcher, coordinator, includesOld: false, columns: Article.withoutContent, after: start,
      position: position, upTo: newest)
    while let page = try reader.nextPage() {
      for (token, event) in zip(page.tokens, page.events) {
        events[event.id, default: []].append(
          WaitingEvent(
            hook: hook.name, token: token, article: event.id, changed: page.transaction.date,
            isCertain: matcher != nil))
      }
    }
    return reader.cursor
  }

  private func recordChangesOfOthers() throws(StoreError) {
    do throws(StoreError) {
      try stack.store.recordChangesOfOthers()
    } catch {
      // A preview counts without them.
      guard case .readOnly = error else { throw error }
    }
  }
}
