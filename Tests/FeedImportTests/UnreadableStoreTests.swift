import FeedImport
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing
import Threading

@Suite struct UnreadableStoreTests {
  /// Passes everything on, but refuses the first question for the articles of a feed.
  private final class OnceUnreadableStore: PersistentStore {
    private let store: any PersistentStore
    private let hasRefused = Locked(false)

    init(_ store: any PersistentStore) {
      self.store = store
    }

    func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
      let isIdentities = query.entity == NewsModel.model.index(of: Article.self)
      let refuses = hasRefused.withLock { hasRefused in
        defer { hasRefused = hasRefused || isIdentities }
        return isIdentities && !hasRefused
      }
      if refuses { throw .invalid("unreadable once") }
      return try store.fetch(query)
    }

    func count(_ query: StoreQuery) throws(StoreError) -> Int { try store.count(query) }

    func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] { store.write(group) }
  }

  @Test func `a response whose articles could not be judged leaves no validators behind`() async throws {
    let store = try NewsStore()
    let server = try LoopbackHTTPServer { request in
      request.path == "/first"
        ? .ok(TestFeed.rss(count: 1)) : .ok(TestFeed.rss(count: 2000), headers: ["ETag: \"x\""])
    }
    defer { server.stop() }
    try await store.add([server.url("/first")])
    try await store.fetch()
    try await store.add([server.url("/feed")])

    let root = RootContext(
      coordinator: PersistentStoreCoordinator(model: NewsModel.model, store: OnceUnreadableStore(store.store))
    )
    var options = ImportOptions(userAgent: "test")
    options.atomicBytes = 20_000
    let requests = try await store.requests().filter { $0.url.hasSuffix("/feed") }
    #expect(try await FeedImporter(root: root, options: options).run(requests).count == 1)
    #expect(try await store.feeds().last?.etag == nil)

    try await store.fetch()
    #expect(Set(try await store.articles().map(\.guid)).count == 2000)
  }
}
