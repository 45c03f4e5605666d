import FeedImport
import Foundation
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing

/// Marks and tombstones when a whole feed is removed.
@Suite struct FeedRemovalTests {
  @Test func `a feed is removed with the marks and tombstones of its articles`() async throws {
    let store = try NewsStore()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 5)) }
    defer { server.stop() }
    try await store.add([server.url("/a"), server.url("/b")])
    try await store.fetch()
    let feeds = try await store.feedIDs()
    try await store.perform { (source) throws(StoreError) in
      for mark in ArticleMark.allCases {
        _ = try source.setMark(mark, true, where: .among(\.guid, ["item-2"]))
      }
    }
    for feed in feeds {
      let pruning = Pruning(feed: feed, retention: Retention(count: 2), now: Date())
      let selection = try await store.perform { (source) throws(StoreError) in
        try pruning.selection(in: source.context)
      }
      _ = try await store.deletion().delete(selection.articles, at: Date())
    }
    try await FeedRemoval.remove([feeds[0]], by: store.deletion())
    #expect(try await store.feeds().map(\.url) == [server.url("/b")])
    #expect(try await store.articles().count == 2)
    let left = [NewsModel.Place.readMark, NewsModel.Place.star, NewsModel.Place.tombstone]
    #expect(try left.map { try store.root.count(StoreQuery(entity: $0)) } == [1, 1, 3])
  }

  @Test func `several feeds are removed together, and the others stay`() async throws {
    let store = try NewsStore()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 800)) }
    defer { server.stop() }
    try await store.add(["/a", "/b", "/c", "/d"].map(server.url))
    try await store.fetch()
    try await FeedRemoval.remove(try await store.feedIDs().dropLast(), by: store.deletion())
    #expect(try await store.feeds().map(\.url) == [server.url("/d")])
    #expect(try await store.articles().count == 800)
  }

  @Test func `a feed with as many articles as one save deletes goes with the last of them`() async throws {
    let store = try NewsStore()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: FeedRemoval.mostArticles)) }
    defer { server.stop() }
    try await store.add([server.url("/a")])
    try await store.fetch()
    let feed = try #require(try await store.feedIDs().first)
    let before = try store.store.currentHistoryToken()
    try await FeedRemoval.remove([feed], by: store.deletion())
    let deletions = try store.store.followedHistory(after: before, limit: 10).transactions
    #expect(deletions.map { $0.changes.deleted.contains(feed) } == [true])
  }
}
