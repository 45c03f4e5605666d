import ManagedContext
import NewsModel
import TextOutput

/// The articles that hooks of the configuration have not handled yet: those that wait, and those whose commands failed.
///
/// They must not leave the store: an article that is deleted before its hook ran never reaches the hook.
@MainActor
struct HookBacklog {
  private let stack: NewsStack
  private let configuration: LoadedConfiguration
  private let coordinator: PersistentStoreCoordinator

  /// Returns the articles, also those that other programs have changed with SQL if the store is open for writing.
  ///
  /// - Parameter load: Reads the configuration; called only if a hook has run before.
  static func articles(
    of stack: NewsStack, _ load: () throws -> LoadedConfiguration
  ) throws -> Set<ManagedObjectID> {
    let consumers = try stack.reading { try stack.store.consumers() }
    let positions = consumers.filter { Hook.name(ofConsumer: $0.name) != nil }
    if positions.isEmpty { return [] }
    let configuration = try load()
    try stack.reading { try recordChangesOfOthers(in: stack.store) }
    let backlog = HookBacklog(
      stack: stack, configuration: configuration,
      coordinator: PersistentStoreCoordinator(model: NewsModel.model, store: stack.store))
    var articles: Set<ManagedObjectID> = []
    for hook in configuration.configuration.hooks {
      // A hook without a position starts with what comes.
      guard let position = positions.first(where: { $0.name.utf8.elementsEqual(hook.consumer.utf8) }) else {
        continue
      }
      try stack.reading { try backlog.add(hook, position, to: &articles) }
    }
    return articles
  }

  /// Returns the end of a line about articles that stay because they wait.
  nonisolated static func note(_ count: Int) -> String {
    "; \(grouped(count)) that \(count == 1 ? "waits for a hook stays" : "wait for a hook stay"): newsimport hooks status"
  }

  private func add(
    _ hook: Hook, _ consumer: HistoryConsumer, to articles: inout Set<ManagedObjectID>
  ) throws {
    for failure in try HookFailures.all(of: hook.name, in: stack.source.context) {
      guard let number = failure.article, let article = stack.source.articleID(number) else { continue }
      articles.insert(article)
    }
    // Without the names that a query needs, each article may be the hook's.
    let matcher = try? HookMatcher(hook, stack, configuration)
    do throws(StoreError) {
      articles.formUnion(try waiting(for: hook, matcher, after: consumer.token, consumer.position))
    } catch .history(.purged) {
      articles.formUnion(try waiting(for: hook, matcher, after: HistoryToken(0), 0))
    } catch .history {
      // The position is of another store, so the hook gets nothing of this one.
    }
  }

  private func waiting(
    for hook: Hook, _ matcher: HookMatcher?, after start: HistoryToken, _ position: Int
  ) throws(StoreError) -> Set<ManagedObjectID> {
    let newest = try coordinator.currentHistoryToken() ?? HistoryToken(0)
    var reader = HookReader(
      hook, matcher, coordinator, includesOld: false, columns: .withoutContent, after: start,
      position: position, upTo: newest)
    var articles: Set<ManagedObjectID> = []
    while let page = try reader.nextPage() { articles.formUnion(page.events.map(\.id)) }
    return articles
  }

  private static func recordChangesOfOthers(in store: any NewsStore) throws(StoreError) {
    do throws(StoreError) {
      try store.recordChangesOfOthers()
    } catch {
      // A preview counts without them.
      guard case .readOnly = error else { throw error }
    }
  }
}
