import Foundation
import LoopbackServer
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing
import Threading

@testable import FeedImport

@Suite struct PruningTests {
  private let store: NewsStore
  private let server: LoopbackHTTPServer
  /// The current content of the feed.
  private let listed = Locked(TestFeed.rss(count: 5))

  init() async throws {
    store = try NewsStore()
    let listed = listed
    server = try LoopbackHTTPServer { _ in .ok(listed.withLock { $0 }) }
    try await store.add([server.url("/feed")])
    try await store.fetch()
  }

  private func guids() async throws -> [String] { try await store.articles().map(\.guid) }

  private func tombstones() throws -> Int {
    try store.root.count(StoreQuery(entity: NewsModel.Place.tombstone))
  }

  private func star(_ guids: String...) async throws {
    try await store.perform { (source) throws(StoreError) in
      _ = try source.setMark(.starred, true, where: .among(\.guid, guids))
    }
  }

  /// Prunes the feed.
  @discardableResult
  private func prune(_ retention: Retention, at now: Date = Date()) async throws -> Int {
    let feed = try #require(try await store.feedIDs().first)
    let pruning = Pruning(feed: feed, retention: retention, now: now)
    let selection = try await store.perform { (source) throws(StoreError) in
      try pruning.selection(in: source.context)
    }
    return try await store.deletion().delete(selection.articles, at: now).deleted.count
  }

  /// Fetches a document that differs from the last one, at a time.
  private func fetchAgain(at now: Date = Date()) async throws {
    listed.withLock { $0 += "<!-- \($0.count) -->" }
    store.clock.set(now)
    try await store.fetch()
  }

  @Test func `articles beyond the newest ones are deleted, and do not return while the feed lists them`()
    async throws
  {
    // All have one date. A document lists the newest first.
    #expect(try await prune(Retention(count: 2)) == 3)
    #expect(try await guids() == ["item-1", "item-2"])
    for _ in 1...2 {
      try await fetchAgain()
      #expect(try await guids() == ["item-1", "item-2"])
    }
    listed.withLock { $0 = TestFeed.rss(count: 6) }
    try await fetchAgain()
    #expect(try await guids() == ["item-1", "item-2", "item-6"])
  }

  @Test func `articles do not return to a store from which all were deleted`() async throws {
    #expect(try await prune(Retention(age: 86400)) == 5)
    try await fetchAgain()
    #expect(try await guids() == [])
    #expect(try tombstones() == 5)
  }

  @Test func `starred articles stay, and marks of deleted ones are deleted`() async throws {
    try await star("item-5")
    try await store.perform { (source) throws(StoreError) in
      _ = try source.setMark(.read, true, where: .constant(true))
    }
    #expect(try await prune(Retention(count: 1)) == 3)
    #expect(try await guids() == ["item-1", "item-5"])
    #expect(try store.root.count(StoreQuery(entity: NewsModel.Place.readMark)) == 2)
  }

  @Test func `an article starred after the check stays with its mark, and can be edited`() async throws {
    let feed = try #require(try await store.feedIDs().first)
    let pruning = Pruning(feed: feed, retention: Retention(age: 86400), now: Date())
    let selection = try await store.perform { (source) throws(StoreError) in
      _ = try source.setMark(.read, true, where: .constant(true))
      return try pruning.selection(in: source.context)
    }
    #expect(selection.articles.count == 5)
    try await star("item-2")
    let deleted = try await store.deletion().delete(selection.articles, at: Date()).deleted.count
    #expect(deleted == 4)
    #expect(try await guids() == ["item-2"])
    #expect(try store.root.count(StoreQuery(entity: NewsModel.Place.readMark)) == 1)
    listed.withLock { $0 = $0.replacing("About item-2", with: "Edited") }
    try await store.fetch()
    #expect(try await store.articles().map(\.edits) == [1])
  }

  @Test func `one pass finds the old articles of all feeds that each feed's own pass finds`() async throws {
    try await store.add([server.url("/second"), server.url("/third")])
    try await store.fetch()
    // Old, kept by one second, in the future and imported long ago, in the future, and starred.
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let age: TimeInterval = 86_400
    try await store.perform { (source) throws(StoreError) in
      for (place, article) in try source.context.fetch(FetchRequest(Article.self)).enumerated() {
        let offsets: [TimeInterval] = [-2 * age, -age, age, 2 * age, -3 * age]
        article.timelineDate = now.addingTimeInterval(offsets[place % 5])
        article.published = article.timelineDate
        article.imported = now.addingTimeInterval(place % 5 == 2 ? -2 * age : -60)
        if place % 5 == 4 { source.context.insert(Star.self).article = article.id }
      }
    }
    let feeds = try await store.feedIDs()
    let asked = Set(feeds.prefix(2))
    let (each, all) = try await store.perform { (source) throws(StoreError) in
      var each: [ManagedObjectID: Pruning.Selection] = [:]
      for feed in asked {
        each[feed] = try Pruning(feed: feed, retention: Retention(age: age), now: now)
          .selection(in: source.context)
      }
      return (each, try AgePruning(feeds: asked, age: age, now: now).selection(in: source.context))
    }
    #expect(
      all.articles.count == 4
        && all.articles.map(\.article.id.key) == all.articles.map(\.article.id.key).sorted())
    for feed in asked {
      let found = all.articles.filter { $0.feed == feed }.map(\.article)
      #expect(Set(found) == Set(each[feed]?.articles ?? []) && found.count == 2)
      #expect(all.starred[feed] == each[feed]?.starred && all.starred[feed] == 1)
    }
    let spared = try await store.perform { (source) throws(StoreError) in
      try AgePruning(feeds: asked, age: age, now: now, sparing: [all.articles[0].article.id])
        .selection(in: source.context)
    }
    #expect(spared.articles.count == 3 && spared.spared == [all.articles[0].feed: 1])
  }

  @Test func `two concurrent prunings delete no more than one`() async throws {
    let feed = try #require(try await store.feedIDs().first)
    let pruning = Pruning(feed: feed, retention: Retention(count: 3), now: Date())
    let selections = try await store.perform { (source) throws(StoreError) in
      [try pruning.selection(in: source.context), try pruning.selection(in: source.context)]
    }
    var deleted: [Int] = []
    for selection in selections {
      deleted.append(try await store.deletion().delete(selection.articles, at: Date()).deleted.count)
    }
    #expect(deleted == [2, 0])
    #expect(try await guids().count == 3)
  }

  @Test func `an empty rule, and a rule to keep everything, delete nothing`() async throws {
    #expect(try await prune(Retention()) == 0)
    #expect(try await prune(Retention(age: .infinity)) == 0)
    #expect(try await prune(Retention(age: .infinity, count: 1)) == 0)
    #expect(try await guids().count == 5)
  }

  @Test
  func `a tombstone is deleted when no complete document has listed its article for long`() async throws {
    let start = Date()
    try await prune(Retention(count: 2), at: start)
    let days = { (days: Double) in start.addingTimeInterval(days * 86400) }
    // It is still listed, which is recorded.
    try await fetchAgain(at: days(40))
    listed.withLock { $0 = TestFeed.rss([("item-1", "Title"), ("item-3", "Title")]) }
    try await fetchAgain(at: days(100))
    #expect(try tombstones() == 3)
    try await fetchAgain(at: days(131))
    #expect(try tombstones() == 1)
    #expect(try await guids() == ["item-1", "item-2"])
  }

  @Test(arguments: [
    "<rss version=\"2.0\"><channel><title>cut</title><item><guid>item-5</guid><title>x</title></item>",
    "no feed",
    "<rss version=\"2.0\"><channel><title>empty</title></channel></rss>",
  ]) func `a truncated, broken or empty document deletes no tombstone`(document: String) async throws {
    let start = Date()
    try await prune(Retention(count: 2), at: start)
    listed.withLock { $0 = document }
    store.clock.set(start.addingTimeInterval(400 * 86400))
    try await store.fetch()
    #expect(try tombstones() == 3)
  }

  @Test(
    arguments: [
      (Retention(age: 10), 5, 9, true), (Retention(age: 10), 0, 11, false),
      (Retention(count: 3), 2, 99, true), (Retention(count: 3), 3, 0, false),
      (Retention(age: 10, count: 3), 9, 9, true), (Retention(age: 10, count: 3), 2, 99, true),
      (Retention(age: 10, count: 3), 3, 11, false), (Retention(age: .infinity), 9, 1e12, true),
    ] as [(Retention, Int, Double, Bool)])
  func `an article stays as long as one rule keeps it`(
    retention: Retention, rank: Int, age: Double, stays: Bool
  ) {
    let now = Date(timeIntervalSince1970: 2e9)
    #expect(retention.keeps(rank: rank, date: now.addingTimeInterval(-age), at: now) == stays)
  }

  @Test func `of two rules the longest limit of each kind applies`() {
    #expect(
      Retention(age: 5, count: 3).union(Retention(age: 7, count: 2)) == Retention(age: 7, count: 3))
    #expect(Retention(age: 5).union(Retention(count: 2)) == Retention(age: 5, count: 2))
    #expect(Retention().union(Retention()).isEmpty)
  }
}
