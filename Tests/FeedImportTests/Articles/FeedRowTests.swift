import FeedImport
import LoopbackServer
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing
import Threading

@Suite struct FeedRowTests {
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  @Test func `a feed's row is not read again if it is unchanged`() async throws {
    let server = try LoopbackHTTPServer { request in .ok(TestFeed.rss(count: 2, prefix: request.path)) }
    defer { server.stop() }
    try await store.add((0..<5).map { server.url("/\($0)") })
    let requests = try await store.requests()
    let counting = TestStore(store.store)
    let root = RootContext(
      coordinator: PersistentStoreCoordinator(model: NewsModel.model, store: counting))
    let end = try await FeedImporter(root: root, options: ImportOptions(userAgent: "test")).run(requests)
    #expect(end.unsaved.isEmpty && counting.readCount(of: NewsModel.Place.feed) == 0)
    #expect(try await store.feeds().map(\.fetches) == [1, 1, 1, 1, 1])
  }

  @Test func `a feed that is changed during its poll keeps the change and gets its answer`()
    async throws
  {
    let server = try LoopbackHTTPServer { request in
      request.path == "/broken"
        ? .status(500, "Internal Server Error") : .ok(TestFeed.rss(count: 2, prefix: request.path))
    }
    defer { server.stop() }
    try await store.add([server.url("/broken"), server.url("/feed")])
    let requests = try await store.requests()
    try await store.perform { (source) throws(StoreError) in
      for feed in try source.context.fetch(FetchRequest(Feed.self)) {
        feed.failures = 3
        feed.movedTo = "https://elsewhere.example/"
      }
    }
    let importer = FeedImporter(root: store.root, options: ImportOptions(userAgent: "test"))
    #expect(try await importer.run(requests).unsaved.isEmpty)
    let feeds = try await store.feeds()
    #expect(feeds.map(\.failures) == [4, 0] && feeds.map(\.fetches) == [1, 1])
    #expect(feeds.map(\.movedTo) == ["https://elsewhere.example/", "https://elsewhere.example/"])
    #expect(try await store.articles().map(\.guid) == ["/feed1", "/feed2"])
  }
}
