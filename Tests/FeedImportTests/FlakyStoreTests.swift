import FeedImport
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing
import Threading
import WebAddress

@Suite struct FlakyStoreTests {
  /// An operation that a ``FlakyStore`` refuses once.
  enum Refusal: Sendable {
    /// Reading the articles of a feed.
    case reading
    /// Writing articles.
    case writing
    /// Reading the fetch log.
    case readingLog
  }

  /// A store that passes everything on, but refuses one operation the first time.
  private final class FlakyStore: PersistentStore {
    let name = "the flaky store"
    var number: StoreNumber { store.number }

    private let store: any PersistentStore
    private let refusal: Locked<Refusal?>

    init(_ store: any PersistentStore, refusing refusal: Refusal) {
      self.store = store
      self.refusal = Locked(refusal)
    }

    private func refuses(_ wanted: Refusal) -> Bool {
      refusal.withLock { refusal in
        guard refusal == wanted else { return false }
        refusal = nil
        return true
      }
    }

    func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch {
      let isAboutArticles = query.entity == NewsModel.Place.article
      if isAboutArticles && refuses(.reading) { throw .invalid("refused once") }
      if query.entity == NewsModel.Place.fetchRecord, refuses(.readingLog) { throw .invalid("refused once") }
      return try store.fetch(query)
    }

    func count(_ query: StoreQuery) throws(StoreError) -> Int { try store.count(query) }

    func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] {
      guard refuses(.writing) else { return store.write(group) }
      return group.map { _ in .failure(.invalid("refused once")) }
    }
  }

  @Test(arguments: [Refusal.reading, .writing])
  func `a response that lost some of its articles stores no validators`(refusal: Refusal) async throws {
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
      coordinator: PersistentStoreCoordinator(
        model: NewsModel.model, store: FlakyStore(store.store, refusing: refusal))
    )
    var options = ImportOptions(userAgent: "test")
    options.atomicBytes = 20_000
    let requests = try await store.requests().filter { $0.address.text.hasSuffix("/feed") }
    #expect(try await FeedImporter(root: root, options: options).run(requests).unsaved.count == 1)
    #expect(try await store.feeds().last?.etag == nil)

    try await store.fetch()
    #expect(Set(try await store.articles().map(\.guid)).count == 2000)
  }

  @MainActor
  @Test func `results that cannot be read at the end of a run are counted as saved`() async throws {
    let store = try NewsStore()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    try await store.add((0..<3).map { server.url("/\($0)") })
    let flaky = FlakyStore(store.store, refusing: .readingLog)
    let root = RootContext(coordinator: PersistentStoreCoordinator(model: NewsModel.model, store: flaky))
    let main = MainContext(parent: root)
    let region = try #require(try DataSource(main.context).region(named: "world")).id
    let report = try await FeedImporter(root: root, options: .patient).importNews(for: [region], in: main)
    #expect(report.failure != nil && report.polled.isEmpty)
    #expect(report.unreadCount == 3)
    #expect(try await store.articles().count == 3)
  }
}
