@testable import FeedImport
import Foundation
import LoopbackServer
import ManagedContext
import ManagedContextTesting
import NewsModel
import Synchronization
import TestSupport
import Testing
import Threading
import WebAddress

@Suite struct FeedMovesTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  private func isProven(goodFetches: Int, days: Double) async throws -> Bool {
    try await store.add(["http://a.example/old"])
    return try await store.perform { (source) throws(StoreError) in
      guard let feed = try source.feeds().first else { return false }
      feed.movedTo = "http://a.example/new"
      feed.movedSince = Self.now.addingTimeInterval(-days * 86400)
      feed.goodFetchesOfTarget = goodFetches
      return FeedMoves.isProven(feed, at: Self.now)
    }
  }

  @Test(arguments: [(3, 2, true), (2, 9, false), (9, 1.9, false)] as [(Int, Double, Bool)])
  func `a new address is accepted after three answers over two days`(
    goodFetches: Int, days: Double, isProven: Bool
  ) async throws {
    #expect(try await self.isProven(goodFetches: goodFetches, days: days) == isProven)
  }

  @Test func `each successful answer of the new address counts from the first redirect on`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/old" ? .redirect(308, to: "/new") : .ok(TestFeed.rss(count: 1))
    }
    defer { server.stop() }
    try await store.add([server.url("/old")])
    store.clock.set(Self.now)
    for _ in 0..<3 { try await store.fetch() }
    let (count, since) = try await store.perform { (source) throws(StoreError) in
      let feed = try source.feeds().first
      return (feed?.goodFetchesOfTarget, feed?.movedSince)
    }
    #expect(count == 3)
    #expect(since == Self.now)
  }

  @Test func `a feed gets its new address and keeps its articles`() async throws {
    try await store.add(["http://a.example/old"])
    try await move(to: "http://a.example/new")
    let moves = try await FeedMoves.settle(try await store.feedIDs(), by: store.deletion())
    #expect(moves == [.init(from: "http://a.example/old", to: "http://a.example/new", isMerged: false)])
    #expect(try await store.feeds().map(\.url) == ["http://a.example/new"])
    #expect(try await store.feeds().map(\.movedTo) == [nil])
  }

  private func move(to target: String) async throws {
    try await store.perform { (source) throws(StoreError) in
      let feed = try source.feeds().first { $0.url.text.hasSuffix("/old") }
      feed?.movedTo = WebAddress(target)
    }
  }

  @Test func `two feeds that are merged have each article once, and the regions of both`() async throws {
    let server = try LoopbackHTTPServer { request in
      // Each feed has 700 articles, and 100 are in both, which is more than one page.
      let start = request.path == "/old" ? 0 : 600
      let items = (start..<(start + 700)).map { (guid: "g\($0)", title: "t\($0)") }
      return .ok(TestFeed.rss(items))
    }
    defer { server.stop() }
    try await store.add([server.url("/old"), server.url("/new")])
    try await store.fetch()
    try await store.perform { (source) throws(StoreError) in
      _ = try source.add([WebAddress(server.url("/old"))], toRegionNamed: "europe")
    }
    #expect(try await store.articles().count == 1400)
    try await move(to: server.url("/new"))
    let old = try await store.feedIDs()[0]
    let moves = try await FeedMoves.settle([old], by: store.deletion())
    #expect(
      moves == [
        .init(from: WebAddress(server.url("/old")), to: WebAddress(server.url("/new")), isMerged: true)
      ])
    #expect(try await store.feeds().map(\.url) == [server.url("/new")])
    let guids = try await store.articles().map(\.guid)
    #expect(Set(guids) == Set((0..<1300).map { "g\($0)" }))
    #expect(guids.count == 1300)
    let regions = try await store.perform { (source) throws(StoreError) in
      guard let feed = try source.feeds().first else { return [String]() }
      return try source.regions(of: feed).map(\.name)
    }
    #expect(regions == ["europe", "world"])
    let logs = try await store.perform { (source) throws(StoreError) in
      try source.context.fetch(FetchRequest(FetchRecord.self)).count
    }
    #expect(logs == 1)
  }

  @Test func `of two copies of an article, a merge keeps the edited one with its versions and marks`()
    async throws
  {
    let round = Locked(0)
    let server = try LoopbackHTTPServer { request in
      let text = TestFeed.rss(count: 2)
      guard request.path == "/old" else { return .ok(text) }
      return .ok(text.replacing("Title of item-1", with: "Title \(round.withLock { $0 })"))
    }
    defer { server.stop() }
    try await store.add([server.url("/old"), server.url("/new")])
    for number in 0...1 {
      round.withLock { $0 = number }
      try await store.fetch()
    }
    let ids = try await store.perform { (source) throws(StoreError) in
      let articles = try source.context.fetch(FetchRequest(Article.self))
      for article in articles { source.context.insert(Star.self).article = article.id }
      return articles.filter { $0.title == "Title 1" }.map(\.id)
    }
    let edited = try #require(ids.first)
    try await move(to: server.url("/new"))
    _ = try await FeedMoves.settle(try await store.feedIDs(), by: store.deletion())
    let articles = try await store.perform { (source) throws(StoreError) in
      try source.context.fetch(FetchRequest(Article.self)).map { (id: $0.id, guid: $0.guid, title: $0.title) }
    }
    #expect(Set(articles.map(\.guid)).count == 2 && articles.count == 2)
    #expect(articles.first { $0.id == edited }?.title == "Title 1")
    let stars = try await store.perform { (source) throws(StoreError) in
      try source.context.fetch(FetchRequest(Star.self)).map(\.article)
    }
    #expect(Set(stars) == Set(articles.map(\.id)) && stars.count == 2)
    #expect(try store.store.versions(of: edited).count == 1)
    // The next fetch gets what the feed states.
    try await store.fetch()
    let titles = try await store.articles().map(\.title)
    #expect(titles.contains("Title of item-1") && titles.count == 2)
    #expect(try store.store.versions(of: edited).count == 2)
  }

  @Test func `a feed that is gone or has not moved stays unchanged`() async throws {
    try await store.add(["http://a.example/old"])
    let feed = try await store.feedIDs()[0]
    #expect(try await FeedMoves.settle([feed], by: store.deletion()).isEmpty)
    try await store.perform { (source) throws(StoreError) in
      if let region = try source.region(named: "world") { source.context.delete(region) }
      for feed in try source.feeds() { source.context.delete(feed) }
    }
    #expect(try await FeedMoves.settle([feed], by: store.deletion()).isEmpty)
  }

  @Test
  func `if the new address fails, the old one is polled again, and validators stay with their address`()
    async throws
  {
    let isBroken = Mutex(false)
    let server = try LoopbackHTTPServer { request in
      if request.path == "/old" { return .redirect(301, to: "/new") }
      return isBroken.withLock { $0 }
        ? .status(404, "Not Found") : .ok(TestFeed.rss(count: 1), headers: ["ETag: \"new\""])
    }
    defer { server.stop() }
    try await store.add([server.url("/old")])
    try await store.fetch()
    isBroken.withLock { $0 = true }
    try await store.fetch()
    #expect(try await store.feeds().map(\.movedTo) == [nil])
    try await store.fetch()
    #expect(server.requests.map(\.path) == ["/old", "/new", "/new", "/old", "/new"])
    #expect(server.requests.map { $0.text(of: "If-None-Match") } == [nil, nil, "\"new\"", nil, "\"new\""])
  }

  @Test func `a move that only the user may accept is neither followed nor counted`() async throws {
    let other = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    let isElsewhere = Mutex(false)
    let server = try LoopbackHTTPServer { _ in
      .redirect(301, to: other.url(isElsewhere.withLock { $0 } ? "/elsewhere" : "/"))
    }
    defer {
      server.stop()
      other.stop()
    }
    try await store.add([server.url("/")])
    var additions = RequestAdditions()
    additions.headers = [("X-Token", Secret("t"))]
    let requests = try await store.requests().map { request in
      var request = request
      request.add(additions)
      return request
    }
    let options = ImportOptions(userAgent: "test")
    try await FeedImporter(root: store.root, options: options).run(requests)
    // The configuration with the header no longer applies.
    for _ in 0..<3 { try await store.fetch() }
    isElsewhere.withLock { $0 = true }
    for _ in 0..<3 { try await store.fetch() }
    #expect(server.requests.count == 7)
    let goodFetches = try await store.perform { (source) throws(StoreError) in
      try source.feeds().map(\.goodFetchesOfTarget)
    }
    #expect(goodFetches == [nil])
    #expect(try await FeedMoves.settle(try await store.feedIDs(), by: store.deletion()).isEmpty)
    #expect(try await store.feeds().map(\.url) == [server.url("/")])
  }

  @Test func `a new address that is only busy stays in use`() async throws {
    let isBusy = Mutex(false)
    let server = try LoopbackHTTPServer { request in
      if request.path == "/old" { return .redirect(301, to: "/new") }
      return isBusy.withLock { $0 } ? .status(500, "Oops") : .ok(TestFeed.rss(count: 1))
    }
    defer { server.stop() }
    try await store.add([server.url("/old")])
    try await store.fetch()
    isBusy.withLock { $0 = true }
    for _ in 0..<3 { try await store.fetch() }
    try await store.fetch()
    #expect(server.requests.map(\.path) == ["/old", "/new", "/new", "/new", "/new", "/old", "/new"])
  }
}
