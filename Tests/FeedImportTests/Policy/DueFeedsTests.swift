import Foundation
import GRDB
import NewsModel
import TestSupport
import Testing
import WebAddress

@testable import FeedImport
@testable import ManagedContext
@testable import SQLiteStore

@Suite struct DueFeedsTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  /// Adds feeds with all combinations of dates around the present, of clocks that were ahead, and of ended feeds.
  private func prepare() async throws {
    let dates: [Date?] = [nil, Self.now - 60, Self.now, Self.now + 3600]
    let clocks: [Date?] = [nil, Self.now - 3600, Self.now + 600, Self.now + 601]
    var values: [@Sendable (Feed) -> Void] = []
    for next in dates {
      for scheduled in clocks {
        for fetched in clocks {
          for pause in [nil, Self.now + 1800, Self.now + 8 * 86400] {
            for isGone in [false, true] {
              values.append { feed in
                (feed.nextFetch, feed.scheduledAt, feed.lastFetch) = (next, scheduled, fetched)
                (feed.notBefore, feed.isGone410) = (pause, isGone)
              }
            }
          }
        }
      }
    }
    let changes = values
    try await store.add(changes.indices.map { "http://127.0.0.1:9/\($0)" })
    try await store.perform { (source) throws(StoreError) in
      for (feed, change) in zip(try source.feeds(), changes) { change(feed) }
    }
  }

  @Test func `the feeds that are read are those that are due, or would be without a pause`() async throws {
    try await prepare()
    let (read, all) = try await store.perform { (source) throws(StoreError) in
      let region = try source.regions()[0]
      let due = try DueFeeds(of: [region.id], at: Self.now, in: source.context)
      let all = try source.schedules(of: region)
      #expect(due.others[region.id] == all.count - (due.feeds[region.id]?.count ?? 0))
      return (try source.schedules(Array(due.feeds[region.id] ?? [])), all)
    }
    let expected = all.filter { feed in
      guard !feed.isGone410 else { return false }
      return PollPolicy.isFromWrongClock(feed, at: Self.now) || (feed.nextFetch ?? Self.now) <= Self.now
    }
    #expect(read.map(\.id) == expected.map(\.id))
    func due(_ feeds: [StoredRow<Feed>]) -> [ManagedObjectID] {
      feeds.filter { PollPolicy.isDue($0, at: Self.now) }.map(\.id)
    }
    #expect(due(read) == due(all))
  }

  @Test(.disabled(if: TestServer.replacesFiles, "it reads the plans of SQLite"))
  func `due feeds are found in indexes`() throws {
    for request in PollPolicy.dueRequests(at: Self.now) {
      let query = StoreSQL(model: NewsModel.model).select(
        try request.query(model: NewsModel.model, columns: []), byOrder: true)
      let plan = try DatabaseQueue(path: store.path).read { db in
        let numbers = [Int](repeating: 0, count: query.parameters.cells.count)
        return try Row.fetchAll(
          db, sql: "EXPLAIN QUERY PLAN \(query.text)", arguments: StatementArguments(numbers)
        ).map { $0["detail"] as String }
      }
      #expect(plan.first == "MULTI-INDEX OR" && plan.last == "USE TEMP B-TREE FOR ORDER BY", "\(plan)")
      let searches = plan.dropFirst().dropLast().filter { !$0.hasPrefix("INDEX ") }
      #expect(searches.count == 2 && searches.allSatisfy { $0.hasPrefix("SEARCH feed USING INDEX feed_") })
    }
  }

  @Test func `each region has its own feeds, and feeds without a region are left out`() async throws {
    try await store.add(["http://127.0.0.1:9/a", "http://127.0.0.1:9/b", "http://127.0.0.1:9/c"])
    try await store.perform { (source) throws(StoreError) in
      let feeds = try source.feeds()
      let region = try source.regions()[0]
      try source.remove([feeds[2].id], from: region)
      feeds[1].nextFetch = Self.now + 7200
      _ = try source.add([feeds[0].url], toRegionNamed: "other")
    }
    let (urls, others, next) = try await store.perform { (source) throws(StoreError) in
      let regions = try source.regions().sorted { $0.name < $1.name }.map(\.id)
      let due = try DueFeeds(of: regions, at: Self.now, in: source.context)
      let urls = try regions.map { (region) throws(StoreError) in
        try source.schedules(Array(due.feeds[region] ?? [])).map(\.url.text)
      }
      return (urls, regions.map { due.others[$0] ?? 0 }, due.next)
    }
    #expect(urls == [["http://127.0.0.1:9/a"], ["http://127.0.0.1:9/a"]])
    #expect(others == [0, 1])
    #expect(next == Self.now + 7200)
  }

  @Test func `the next poll is that of a feed of the regions that has not ended`() async throws {
    try await store.add((0..<4).map { "http://127.0.0.1:9/\($0)" })
    let next = try await store.perform { (source) throws(StoreError) in
      let feeds = try source.feeds()
      let region = try source.regions()[0]
      for (feed, hours) in zip(feeds, [1.0, 2, 3, 4]) { feed.nextFetch = Self.now + hours * 3600 }
      try source.remove([feeds[0].id], from: region)
      feeds[1].isGone410 = true
      feeds[2].notBefore = Self.now + 5 * 3600
      try source.context.save()
      return try DueFeeds(of: [region.id], at: Self.now, in: source.context).next
    }
    #expect(next == Self.now + 4 * 3600)
  }
}
