import Foundation
import GRDB
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing
import WebAddress

@testable import FeedImport

/// Feeds that redirect to another publisher.
@Suite struct RedirectClaimsTests {
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  private func held() async throws -> [String] {
    try await store.perform { (source) throws(StoreError) in
      try source.context.fetchValues(FetchRequest(PublisherClaim.self), \.origin)
    }
  }

  private func origin(_ server: LoopbackHTTPServer) -> String { WebAddress(server.url("/")).origin ?? "" }

  /// Runs a test with a server that redirects to another one, whose answers wait.
  private func withServers(
    _ gate: Gate, _ body: (_ server: LoopbackHTTPServer, _ target: LoopbackHTTPServer) async throws -> Void
  ) async throws {
    let target = try LoopbackHTTPServer { _ in
      ScriptedResponse.ok(TestFeed.rss(count: 2), headers: ["ETag: \"1\""]).after(gate)
    }
    defer { target.stop() }
    let away = target.url("/feed")
    let server = try LoopbackHTTPServer { _ in .redirect(302, to: away) }
    defer { server.stop() }
    try await store.add([server.url("/")])
    try await body(server, target)
  }

  @Test func `the publisher to which a feed redirects is held until its answer is saved`() async throws {
    let gate = Gate()
    try await withServers(gate) { server, target in
      let run = Task { [store] in try await store.importNews() }
      await target.waitForRequests(1)
      let meanwhile = try await Set(held())
      gate.open()
      let report = try await run.value
      #expect(meanwhile == [origin(server), origin(target)])
      #expect(report.totals.inserted == 2)
      #expect(try await held() == [])
    }
  }

  @Test func `a redirect to a publisher that another run holds is not followed, and the feed stays due`()
    async throws
  {
    let gate = Gate()
    gate.open()
    try await withServers(gate) { server, target in
      let other = Claims(in: store.root)
      try await store.perform { (source) throws(StoreError) in
        _ = try source.add([WebAddress(target.url("/own"))], toRegionNamed: "other")
      }
      let own = try await store.perform { (source) throws(StoreError) in
        try source.feeds().last.map { Claims.Wanted($0.id, at: $0.currentURL) }
      }
      _ = try await other.take([try #require(own)], dueOnly: true, at: Date())
      let report = try await store.importNews()
      #expect(report.refusals.values.map { $0 } == [.claimed] && report.polled.isEmpty)
      #expect(server.requests.count == 1 && target.requests.isEmpty)
      let feed = try #require(try await store.feeds().first)
      #expect(feed.fetches == 0 && feed.nextFetch == nil && feed.notBefore == nil)
      try await other.releaseAll()
      #expect(try await store.importNews().totals.inserted == 2)
    }
  }

  @Test(.disabled(if: TestServer.replacesFiles, "it uses a trigger of SQLite"))
  func `if the store fails to claim a publisher, a redirect there is not followed, and the run ends`()
    async throws
  {
    let gate = Gate()
    gate.open()
    try await withServers(gate) { server, target in
      let queue = try DatabaseQueue(path: store.path)
      let claimed = origin(target)
      try await queue.write { db in
        try db.execute(
          sql: """
            CREATE TRIGGER refuse BEFORE INSERT ON publisher_claim WHEN NEW.origin = '\(claimed)'
            BEGIN SELECT RAISE(ABORT, 'refused'); END
            """)
      }
      try queue.close()
      let report = try await store.importNews()
      #expect(report.refusals.values.map { $0 } == [.claimed] && report.polled.isEmpty)
      #expect(target.requests.isEmpty)
      #expect(try await held() == [])
    }
  }

  @Test func `the next run claims both publishers together`() async throws {
    let gate = Gate()
    gate.open()
    try await withServers(gate) { server, target in
      _ = try await store.importNews()
      let feed = try await store.feedIDs()[0]
      let mine = Claims(in: store.root)
      _ = try await mine.take(
        [Claims.Wanted(feed, at: WebAddress(server.url("/")))], dueOnly: false, at: Date())
      let both = try await Set(held())
      #expect(both == [origin(server), origin(target)])
      try await mine.releaseAll()
    }
  }

  // MARK: Decisions

  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let away: WebAddress = "http://127.0.0.9:9/feed"

  /// Claims the publishers of two feeds.
  private func begin() async throws -> (claims: Claims, requests: [FeedRequest]) {
    try await store.add(["http://127.0.0.1:9/", "http://127.0.0.2:9/"])
    let feeds = try await store.perform { (source) throws(StoreError) in
      try source.feeds().map { Claims.Wanted($0.id, at: $0.currentURL) }
    }
    let claims = Claims(in: store.root)
    return (claims, try await claims.take(feeds, dueOnly: true, at: Self.now).requests)
  }

  @Test func `a redirect waits once, and others to the same publisher are decided with it`() async throws {
    let (claims, requests) = try await begin()
    for request in requests {
      #expect(claims.mustWait(request, toFollow: Self.away, at: Self.now))
      #expect(!claims.mayFollow(request, to: Self.away, at: Self.now))
    }
    await claims.takeTargets(at: Self.now)
    for request in requests {
      #expect(!claims.mustWait(request, toFollow: Self.away, at: Self.now))
      #expect(claims.mayFollow(request, to: Self.away, at: Self.now))
    }
    // A publisher that the run holds already needs no wait.
    #expect(!claims.mustWait(requests[0], toFollow: requests[1].address, at: Self.now))
    #expect(claims.mayFollow(requests[0], to: requests[1].address, at: Self.now))
    claims.end(requests[1])
    try await claims.releaseDone()
    #expect(try await held().count == 3)
    claims.end(requests[0])
    try await claims.releaseDone()
    #expect(try await held() == [])
  }

  @Test func `nothing is claimed for a feed that has ended while its redirect waited`() async throws {
    let (claims, requests) = try await begin()
    #expect(claims.mustWait(requests[0], toFollow: Self.away, at: Self.now))
    claims.end(requests[0])
    await claims.takeTargets(at: Self.now)
    #expect(try await held().count == 2)
    claims.end(requests[1])
    try await claims.releaseDone()
    #expect(try await held() == [])
  }

  @Test func `no redirect is followed when the claims may have expired`() async throws {
    let (claims, requests) = try await begin()
    #expect(claims.mustWait(requests[0], toFollow: Self.away, at: Self.now))
    await claims.takeTargets(at: Self.now)
    let later = Self.now.addingTimeInterval(Claims.duration)
    for address in [Self.away, requests[0].address] {
      #expect(claims.mayFollow(requests[0], to: address, at: later - 1))
      #expect(!claims.mayFollow(requests[0], to: address, at: later))
    }
    try await claims.renew(at: later)
    #expect(claims.mayFollow(requests[0], to: Self.away, at: later))
    try await claims.releaseAll()
  }

  @Test func `no redirect is followed to a publisher that another run has taken over`() async throws {
    let (claims, requests) = try await begin()
    #expect(claims.mustWait(requests[0], toFollow: Self.away, at: Self.now))
    await claims.takeTargets(at: Self.now)
    let later = Self.now.addingTimeInterval(Claims.duration)
    let other = Claims(in: store.root)
    let fed = Claims.Wanted(requests[0].feed, at: Self.away)
    _ = try await other.take([fed], dueOnly: false, at: later)
    try await claims.renew(at: later)
    #expect(!claims.mayFollow(requests[0], to: Self.away, at: later))
    #expect(claims.mayFollow(requests[0], to: requests[0].address, at: later))
    // Another feed that redirects there now learns the same.
    #expect(claims.mustWait(requests[1], toFollow: Self.away, at: later))
    await claims.takeTargets(at: later)
    #expect(!claims.mustWait(requests[1], toFollow: Self.away, at: later))
    #expect(!claims.mayFollow(requests[1], to: Self.away, at: later))
    try await claims.releaseAll()
    try await other.releaseAll()
  }

  @Test func `a pause that another run has met is known before a redirect is followed`() async throws {
    let (claims, requests) = try await begin()
    try await store.perform { (source) throws(StoreError) in
      _ = try source.add([Self.away], toRegionNamed: "other")
      for feed in try source.feeds() where feed.url == Self.away {
        feed.notBefore = Self.now.addingTimeInterval(600)
      }
    }
    #expect(claims.refusal(of: Self.away, at: Self.now) == nil)
    #expect(claims.mustWait(requests[0], toFollow: Self.away, at: Self.now))
    await claims.takeTargets(at: Self.now)
    #expect(claims.refusal(of: Self.away, at: Self.now) == .notBefore(Self.now.addingTimeInterval(600)))
    try await claims.releaseAll()
  }
}
