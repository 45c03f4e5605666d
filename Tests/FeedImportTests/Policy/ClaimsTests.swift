import FeedImport
import Foundation
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing

@Suite struct ClaimsTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  private func claims() -> Claims { Claims(in: store.context(.storeTrumps)) }

  private func prepare(_ change: @Sendable @escaping (Feed) -> Void = { _ in }) async throws
    -> [ManagedObjectID]
  {
    try await store.add((0..<3).map { "http://127.0.0.1:9/\($0)" })
    try await store.perform { (source) throws(StoreError) in
      for feed in try source.feeds() { change(feed) }
    }
    return try await store.feedIDs()
  }

  @Test func `of two runs that want the same feeds each feed is claimed by one`() async throws {
    let feeds = try await prepare()
    let first = try await claims().take(Array(feeds.prefix(2)), dueOnly: true, at: Self.now)
    let second = try await claims().take(feeds, dueOnly: true, at: Self.now)
    #expect(first.map(\.feed) == Array(feeds.prefix(2)))
    #expect(second.map(\.feed) == Array(feeds.suffix(1)))
  }

  @Test func `concurrent runs divide the feeds between them`() async throws {
    let feeds = try await prepare()
    let taken = try await withThrowingTaskGroup(of: [ManagedObjectID].self) { group in
      for _ in 0..<6 {
        let claims = claims()
        group.addTask { try await claims.take(feeds, dueOnly: true, at: Self.now).map(\.feed) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(taken.count == 3)
    #expect(Set(taken) == Set(feeds))
  }

  @Test func `a claim of a run that died expires`() async throws {
    let feeds = try await prepare()
    _ = try await claims().take(feeds, dueOnly: true, at: Self.now)
    #expect(try await claims().take(feeds, dueOnly: true, at: Self.now.addingTimeInterval(299)).isEmpty)
    #expect(try await claims().take(feeds, dueOnly: true, at: Self.now.addingTimeInterval(301)).count == 3)
  }

  @Test func `a claim made far in the future with a wrong clock is void`() async throws {
    let feeds = try await prepare { $0.claimedUntil = Self.now.addingTimeInterval(400 * 86400) }
    #expect(try await claims().take(feeds, dueOnly: true, at: Self.now).count == 3)
  }

  @Test func `only the owner of a claim can release it for other runs`() async throws {
    let feeds = try await prepare()
    let mine = claims()
    _ = try await mine.take(feeds, dueOnly: true, at: Self.now)
    try await claims().release(feeds)
    #expect(try await claims().take(feeds, dueOnly: true, at: Self.now).isEmpty)
    try await mine.release(Array(feeds.prefix(1)))
    #expect(try await claims().take(feeds, dueOnly: true, at: Self.now).map(\.feed) == Array(feeds.prefix(1)))
  }

  @Test func `feeds that are not due, paused or gone are not claimed`() async throws {
    let feeds = try await prepare()
    try await store.perform { (source) throws(StoreError) in
      let feeds = try source.feeds()
      feeds[0].nextFetch = Self.now.addingTimeInterval(60)
      feeds[1].notBefore = Self.now.addingTimeInterval(60)
      feeds[2].isGone410 = true
    }
    #expect(try await claims().take(feeds, dueOnly: true, at: Self.now).isEmpty)
    let later = Self.now.addingTimeInterval(61)
    #expect(try await claims().take(feeds, dueOnly: true, at: later).map(\.feed) == Array(feeds.prefix(2)))
  }

  @Test func `an answer releases the claim`() async throws {
    let feeds = try await prepare()
    let requests = try await claims().take(feeds, dueOnly: true, at: Self.now)
    var options = ImportOptions(userAgent: "test")
    options.now = { Self.now }
    // No server listens there, so the answers are failures.
    try await FeedImporter(root: store.root, options: options).run(requests)
    let later = Self.now.addingTimeInterval(299)
    #expect(try await claims().take(feeds, dueOnly: true, at: later).isEmpty)
    #expect(try await store.feeds().allSatisfy { ($0.nextFetch ?? later) > later })
    #expect(try await claims().take(feeds, dueOnly: true, at: Self.now.addingTimeInterval(7200)).count == 3)
  }

  @Test func `a manual run claims feeds that are not due, but none with another run's claim`() async throws {
    let feeds = try await prepare { $0.nextFetch = Self.now.addingTimeInterval(60) }
    #expect(try await claims().take(Array(feeds.prefix(1)), dueOnly: false, at: Self.now).count == 1)
    let other = try await claims().take(feeds, dueOnly: false, at: Self.now)
    #expect(other.map(\.feed) == Array(feeds.suffix(2)))
  }

  @Test func `a claim lasts longer if its run renews it`() async throws {
    let feeds = try await prepare()
    let mine = claims()
    _ = try await mine.take(feeds, dueOnly: true, at: Self.now)
    #expect(mine.hold(feeds[0], at: Self.now.addingTimeInterval(299)))
    #expect(!mine.hold(feeds[0], at: Self.now.addingTimeInterval(301)))
    let later = Self.now.addingTimeInterval(200)
    #expect(try await mine.renew(Array(feeds.prefix(2)), at: later) == Set(feeds.prefix(2)))
    let afterwards = Self.now.addingTimeInterval(301)
    #expect(mine.hold(feeds[0], at: afterwards))
    #expect(try await claims().take(feeds, dueOnly: true, at: afterwards).map(\.feed) == [feeds[2]])
  }

  @Test func `a delayed run learns which of its claims another run has taken`() async throws {
    let feeds = try await prepare()
    let mine = claims()
    _ = try await mine.take(feeds, dueOnly: true, at: Self.now)
    let later = Self.now.addingTimeInterval(3600)
    let other = claims()
    _ = try await other.take(Array(feeds.prefix(1)), dueOnly: true, at: later)
    #expect(try await mine.renew(feeds, at: later) == Set(feeds.suffix(2)))
    #expect(feeds.map { mine.hold($0, at: later) } == [false, true, true])
    #expect(try await other.renew(Array(feeds.prefix(1)), at: later).count == 1)
  }

  @Test func `a feed whose claim may have expired is not polled`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    try await store.add(["/a", "/b"].map { server.url($0) })
    let mine = claims()
    let requests = try await mine.take(try await store.feedIDs(), dueOnly: true, at: Self.now)
    var options = ImportOptions(userAgent: "test")
    options.now = { Self.now.addingTimeInterval(3600) }
    let importer = FeedImporter(root: store.root, options: options)
    #expect(Set(try await importer.run(requests, claims: mine).withheld) == Set(requests.map(\.feed)))
    #expect(server.requests.isEmpty)
    // No other run has claimed them, so they are polled once that is known.
    try await mine.renew(requests.map(\.feed), at: options.now())
    #expect(try await importer.run(requests, claims: mine).withheld.isEmpty)
    #expect(server.requests.count == 2)
  }

  @Test func `an answer that arrives after that of the claim's new owner is discarded`()
    async throws
  {
    let gate = Gate()
    let count = Counter()
    let server = try LoopbackHTTPServer { _ in
      count.increment()
      let isFirst = count.value == 1
      let feed = TestFeed.rss([("1", isFirst ? "Old title" : "New title")])
      let response = ScriptedResponse.ok(feed, headers: [isFirst ? "ETag: \"old\"" : "ETag: \"new\""])
      return isFirst ? response.after(gate) : response
    }
    defer { server.stop() }
    try await store.add([server.url("/")])
    let feeds = try await store.feedIDs()
    let late = try await claims().take(feeds, dueOnly: true, at: Self.now)
    let importer = FeedImporter(root: store.root, options: ImportOptions(userAgent: "test"))
    async let end = importer.run(late)
    await server.waitForRequests(1)
    let other = try await claims().take(feeds, dueOnly: true, at: Self.now.addingTimeInterval(3600))
    try await FeedImporter(root: store.root, options: ImportOptions(userAgent: "test")).run(other)
    gate.open()
    #expect(try await end.overtaken == feeds)
    let feed = try #require(try await store.feeds().first)
    #expect(feed.etag == "\"new\"" && feed.fetches == 1)
    #expect(try await store.articles().map(\.title) == ["New title"])
  }

  @Test func `an answer does not change another run's later claim`() async throws {
    let feeds = try await prepare()
    let requests = try await claims().take(feeds, dueOnly: true, at: Self.now)
    let other = claims()
    let later = Self.now.addingTimeInterval(3600)
    _ = try await other.take(feeds, dueOnly: true, at: later)
    var options = ImportOptions(userAgent: "test")
    options.now = { later }
    try await FeedImporter(root: store.root, options: options).run(requests)
    #expect(try await other.renew(feeds, at: later).count == 3)
  }
}
