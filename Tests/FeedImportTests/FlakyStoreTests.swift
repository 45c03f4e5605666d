import FeedImport
import LoopbackServer
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing
import Threading
import WebAddress

@Suite struct FlakyStoreTests {
  /// An operation that a flaky store refuses once.
  enum Refusal: Sendable {
    /// Reading the articles of a feed.
    case reading
    /// Writing articles.
    case writing
    /// Reading the fetch log.
    case readingLog
  }

  /// Returns a store that refuses one operation the first time.
  private func flaky(_ store: any PersistentStore, refusing refusal: Refusal) -> TestStore {
    let flaky = TestStore(store)
    let isDone = Locked(false)
    flaky.refuse { call in
      let isMeant =
        switch refusal {
        case .reading: call.operation == .fetch && call.entity == NewsModel.Place.article
        case .writing: call.operation == .write
        case .readingLog: call.entity == NewsModel.Place.fetchRecord
        }
      guard isMeant else { return nil }
      return isDone.withLock { isDone in
        defer { isDone = true }
        return isDone ? nil : .invalid("refused once")
      }
    }
    return flaky
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
        model: NewsModel.model, store: flaky(store.store, refusing: refusal))
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
    let flaky = flaky(store.store, refusing: .readingLog)
    let root = RootContext(coordinator: PersistentStoreCoordinator(model: NewsModel.model, store: flaky))
    let main = MainContext(parent: root)
    let region = try #require(try DataSource(main.context).region(named: "world")).id
    let report = try await FeedImporter(root: root, options: .patient).importNews(for: [region], in: main)
    #expect(report.failure != nil && report.polled.isEmpty)
    #expect(report.unreadCount == 3)
    #expect(try await store.articles().count == 3)
  }
}
