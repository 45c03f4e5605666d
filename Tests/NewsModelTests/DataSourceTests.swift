import Foundation
import ManagedContext
import TestSupport
import Testing
import WebAddress

@testable import NewsModel

@Suite struct DataSourceTests {
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  private var memberships: EntityIndex {
    get throws { try #require(NewsModel.model.index(named: "membership")) }
  }

  @Test func `a feed is one row in any number of regions`() async throws {
    for region in ["world", "tech"] {
      let (added, known) = try await store.perform { (source) throws(StoreError) in
        try source.add(["https://a.example/", "https://a.example/"], toRegionNamed: region)
      }
      #expect(added == 1 && known == 1)
    }
    #expect(try store.root.count(StoreQuery(entity: NewsModel.Place.feed)) == 1)
    #expect(try store.root.count(StoreQuery(entity: memberships)) == 2)
  }

  @Test func `an article imported within a second was imported since any fraction of it`() async throws {
    try await store.add(["https://a.example/"])
    let second = Date(timeIntervalSince1970: 1_700_000_000)
    try await store.perform { (source) throws(StoreError) in
      let article = source.context.insert(Article.self)
      article[Article.schema.feed] = try source.feeds()[0].id
      article[Article.schema.guid] = "a"
      article[Article.schema.contentHash] = 1
      article[Article.schema.edits] = 0
      article[Article.schema.imported] = second
      article[Article.schema.timelineDate] = second
    }
    for (since, count) in [(-1.0, 1), (0, 1), (0.9, 1), (1, 0)] {
      let found = try await store.perform { (source) throws(StoreError) in
        try source.context.fetchIDs(
          FetchRequest(
            Article.self, where: Article.wasImported(since: second.addingTimeInterval(since))))
      }
      #expect(found.count == count, "\(since)")
    }
  }

  @Test func `removing a region deletes memberships and keeps feeds`() async throws {
    try await store.add(["https://a.example/", "https://b.example/"])
    try await store.perform { (source) throws(StoreError) in
      if let region = try source.region(named: "world") { source.context.delete(region) }
    }
    #expect(try store.root.count(StoreQuery(entity: NewsModel.Place.region)) == 0)
    #expect(try store.root.count(StoreQuery(entity: memberships)) == 0)
    #expect(try store.root.count(StoreQuery(entity: NewsModel.Place.feed)) == 2)
  }

  @Test func `more feeds than one statement can query are added in one save`() async throws {
    let urls = (0..<12_000).map { "https://example.org/\($0)" }
    try await store.add(urls)
    let again = try await store.perform { (source) throws(StoreError) in
      try source.add(urls.map { WebAddress($0) }, toRegionNamed: "world")
    }
    #expect(again.added == 0 && again.known == 12_000)
  }

  @Test func `schedules in rows equal those of the objects`() async throws {
    try await store.add((0..<4).map { "https://\($0).example/" })
    try await store.perform { (source) throws(StoreError) in
      let feeds = try source.feeds()
      feeds[0].movedTo = "https://new.example/"
      feeds[0].goodFetchesOfTarget = 1
      feeds[1].movedTo = "https://other.example/"
      feeds[1].movedSince = Date(timeIntervalSince1970: 5)
      feeds[2].isGone410 = true
      feeds[3].notBefore = Date(timeIntervalSince1970: 7)
      feeds[3].nextFetch = Date(timeIntervalSince1970: 8)
      feeds[3].nextReason = PollReason(.trial)
    }
    let (read, own) = try await store.perform { (source) throws(StoreError) in
      guard let region = try source.region(named: "world") else { throw StoreError.invalid("no region") }
      return (try source.schedules(of: region), try source.feeds(of: region).map(\.facts))
    }
    #expect(read.map(\.facts) == own)
    let places = ["https://new.example/"] + (1..<4).map { "https://\($0).example/" }
    #expect(read.map(\.currentURL.text) == places)
    #expect(read[2].isGone410 && read[3].nextReason == PollReason(.trial))
  }
}

extension EntityValues where Object == Feed {
  fileprivate var facts: [String] {
    [
      "\(id)", self.url.text, currentURL.text, "\(isMoved) \(isMoveForeign)",
      "\(self.isGone410) \(hasFailed) \(failures)", "\(self.skipHours as Any)",
      "\(self.notBefore as Any) \(self.nextFetch as Any) \(scheduleDate as Any)",
      "\(nextReason as Any)",
    ]
  }
}
