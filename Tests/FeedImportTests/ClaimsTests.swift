import FeedImport
import Foundation
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

  @Test func `of two runs that want the same feeds each gets a feed once`() async throws {
    let feeds = try await prepare()
    let first = try await claims().take(Array(feeds.prefix(2)), for: 600, at: Self.now)
    let second = try await claims().take(feeds, for: 600, at: Self.now)
    #expect(first.map(\.feed) == Array(feeds.prefix(2)))
    #expect(second.map(\.feed) == Array(feeds.suffix(1)))
  }

  @Test func `runs at the same moment share the feeds between them`() async throws {
    let feeds = try await prepare()
    let taken = try await withThrowingTaskGroup(of: [ManagedObjectID].self) { group in
      for _ in 0..<6 {
        let claims = claims()
        group.addTask { try await claims.take(feeds, for: 600, at: Self.now).map(\.feed) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(taken.count == 3)
    #expect(Set(taken) == Set(feeds))
  }

  @Test func `a claim of a run that died is void after its time`() async throws {
    let feeds = try await prepare()
    _ = try await claims().take(feeds, for: 600, at: Self.now)
    #expect(try await claims().take(feeds, for: 600, at: Self.now.addingTimeInterval(599)).isEmpty)
    #expect(try await claims().take(feeds, for: 600, at: Self.now.addingTimeInterval(601)).count == 3)
  }

  @Test func `a claim that a wrong clock made far in the future is void`() async throws {
    let feeds = try await prepare { $0.claimedUntil = Self.now.addingTimeInterval(400 * 86400) }
    #expect(try await claims().take(feeds, for: 600, at: Self.now).count == 3)
  }

  @Test func `what is given up may be claimed by others, and only by those who have not got it`() async throws
  {
    let feeds = try await prepare()
    let mine = claims()
    _ = try await mine.take(feeds, for: 600, at: Self.now)
    try await claims().release(feeds)
    #expect(try await claims().take(feeds, for: 600, at: Self.now).isEmpty)
    try await mine.release(Array(feeds.prefix(1)))
    #expect(try await claims().take(feeds, for: 600, at: Self.now).map(\.feed) == Array(feeds.prefix(1)))
  }

  @Test func `feeds that are not due, paused or ended are not claimed`() async throws {
    let feeds = try await prepare()
    try await store.perform { (source) throws(StoreError) in
      let feeds = try source.feeds()
      feeds[0].nextFetch = Self.now.addingTimeInterval(60)
      feeds[1].notBefore = Self.now.addingTimeInterval(60)
      feeds[2].isGone410 = true
    }
    #expect(try await claims().take(feeds, for: 600, at: Self.now).isEmpty)
    let later = Self.now.addingTimeInterval(61)
    #expect(try await claims().take(feeds, for: 600, at: later).map(\.feed) == Array(feeds.prefix(2)))
  }

  @Test func `an answer ends the claim`() async throws {
    let feeds = try await prepare()
    let requests = try await claims().take(feeds, for: 600, at: Self.now)
    var options = ImportOptions(userAgent: "test")
    options.now = { Self.now }
    // Nobody listens there: the answers are failures.
    try await FeedImporter(root: store.root, options: options).run(requests)
    let later = Self.now.addingTimeInterval(599)
    #expect(try await claims().take(feeds, for: 600, at: later).isEmpty)
    #expect(try await store.feeds().allSatisfy { ($0.nextFetch ?? later) > later })
    #expect(try await claims().take(feeds, for: 600, at: Self.now.addingTimeInterval(7200)).count == 3)
  }
}
