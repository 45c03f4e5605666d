import Foundation
import LoopbackServer
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing
import Threading
import WebAddress

@testable import FeedImport

/// Hosts that limit requests, polled by runs from cron on a simulated clock.
@Suite struct RateLimitTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
    store.clock.set(Self.start)
  }

  /// A host on the store's clock that allows some requests in a window.
  private final class Host: Sendable {
    /// The form in which a refusal states the end of the limit.
    enum Form: CaseIterable {
      case retryAfter, unofficial, draft, epoch, nothing
    }

    struct Log {
      /// Seconds since the start at which each path was read.
      var answers: [String: [TimeInterval]] = [:]
      /// Seconds since the start at which requests were refused.
      var refusals: [TimeInterval] = []
      /// The first request of the window, and the requests in it.
      var window: (began: TimeInterval, used: Int) = (-.infinity, 0)
    }

    let log = Locked(Log())
    let server: LoopbackHTTPServer

    init(
      _ clock: TestClock, requests: Int = 1, in seconds: TimeInterval = 60, _ form: Form = .unofficial,
      until end: TimeInterval = .infinity, states: Bool = false
    ) throws {
      let log = log
      server = try LoopbackHTTPServer { request in
        let now = clock.now.timeIntervalSince(RateLimitTests.start)
        return log.withLock { log in
          if now >= log.window.began + seconds { log.window = (now, 0) }
          let wait = Int((log.window.began + seconds - now).rounded(.up))
          guard log.window.used < requests || now >= end else {
            log.refusals.append(now)
            return .status(429, "Too Many Requests", headers: Self.fields(form, wait, clock.now))
          }
          log.window.used += 1
          log.answers[request.path, default: []].append(now)
          let left = ["X-RateLimit-Remaining: \(requests - log.window.used)", "X-RateLimit-Reset: \(wait)"]
          let fields = ["ETag: \"\(Int(now / 1800))\""] + (states ? left : [])
          let etag = request.text(of: "If-None-Match")
          return etag == "\"\(Int(now / 1800))\""
            ? .status(304, "Not Modified", headers: fields)
            : .ok(TestFeed.rss(count: 1, prefix: "\(request.path)/\(Int(now / 1800))"), headers: fields)
        }
      }
    }

    private static func fields(_ form: Form, _ wait: Int, _ now: Date) -> [String] {
      switch form {
      case .retryAfter: ["Retry-After: \(wait)"]
      case .unofficial: ["x-ratelimit-remaining: 0.0", "x-ratelimit-reset: \(wait)"]
      case .draft: ["RateLimit: \"default\";r=0;t=\(wait)"]
      case .epoch: ["X-RateLimit-Reset: \(Int(now.timeIntervalSince1970) + wait)"]
      case .nothing: []
      }
    }

    /// The largest number of refusals in any hour.
    var mostRefusals: Int {
      let refusals = log.withLock { $0.refusals }
      return refusals.map { first in refusals.count { (first..<first + 3600).contains($0) } }.max() ?? 0
    }

    /// The time of the first answer to each feed, in seconds.
    var first: [TimeInterval] { log.withLock { $0.answers.values.compactMap(\.first) } }
  }

  /// Runs `fetch --due` every ten minutes.
  ///
  /// - Parameter several: The number of runs that begin at the same time.
  private func run(_ minutes: Range<Int>, several: Int = 1) async throws {
    var selection = ImportSelection()
    selection.dueOnly = true
    for minute in minutes where minute % 10 == 0 {
      store.clock.set(Self.start.addingTimeInterval(TimeInterval(minute) * 60))
      try await withThrowingTaskGroup { group in
        for _ in 0..<several {
          group.addTask { [store, selection] in
            let report = try await store.importNews(selection) { $0.wait = { _ in } }
            #expect(report.totals.failed == 0)
          }
        }
        try await group.waitForAll()
      }
    }
  }

  private func add(_ count: Int, of host: Host) async throws {
    try await store.add((0..<count).map { host.server.url("/\($0)") })
  }

  @Test(arguments: Host.Form.allCases)
  private func `each of 12 feeds of a host that allows one request a minute is read within three hours`(
    form: Host.Form
  ) async throws {
    let host = try Host(store.clock, form)
    defer { host.server.stop() }
    try await add(12, of: host)
    try await run(0..<12 * 60)
    #expect(host.first.count == 12 && host.first.allSatisfy { $0 <= 3 * 3600 })
    #expect(host.mostRefusals <= 2)
    // Each is read as often as the others.
    let counts = host.log.withLock { $0.answers.values.map(\.count) }
    let (least, most) = (try #require(counts.min()), try #require(counts.max()))
    #expect(least >= most - 2)
    #expect(try await store.feeds().allSatisfy { $0.failures == 0 })
  }

  @Test(arguments: [1, 2])
  func `each of 30 such feeds is read within seven hours, also by two runs at a time`(
    several: Int
  ) async throws {
    let host = try Host(store.clock)
    defer { host.server.stop() }
    try await add(30, of: host)
    try await run(0..<7 * 60 + 1, several: several)
    #expect(host.first.count == 30)
    #expect(host.mostRefusals <= 2)
  }

  @Test(arguments: [1, 12])
  func `feeds of others that redirect to a limited host have their turns`(servers: Int) async throws {
    let host = try Host(store.clock, .retryAfter)
    let others = try (0..<servers).map { _ in
      try LoopbackHTTPServer { request in
        .status(302, "Found", headers: ["Location: \(host.server.url(request.path))"])
      }
    }
    defer { for server in others + [host.server] { server.stop() } }
    try await store.add((0..<12).map { others[$0 % servers].url("/\($0)") })
    try await run(0..<8 * 60)
    #expect(host.first.count == 12 && host.first.allSatisfy { $0 <= 3 * 3600 })
    // Those of the first run are under way together.
    let later = host.log.withLock { $0.refusals.filter { $0 > 600 } }
    #expect(later.count <= 2 * 8, "\(later)")
  }

  @Test func `a host that allows 20 requests an hour gets them, and few that it refuses`() async throws {
    let host = try Host(store.clock, requests: 20, in: 3600, .retryAfter)
    defer { host.server.stop() }
    try await add(40, of: host)
    try await run(0..<12 * 60)
    #expect(host.first.count == 40 && host.first.allSatisfy { $0 <= 3 * 3600 })
    // Those of the first run are under way together.
    #expect(host.log.withLock { $0.refusals.count } <= 6)
    #expect(host.log.withLock { $0.answers.values.map(\.count).reduce(0, +) } >= 11 * 20)
  }

  @Test func `a host that states its limit in each answer refuses no request`() async throws {
    let host = try Host(store.clock, states: true)
    defer { host.server.stop() }
    try await add(12, of: host)
    try await run(0..<6 * 60)
    #expect(host.first.count == 12 && host.first.allSatisfy { $0 <= 3 * 3600 })
    #expect(host.log.withLock { $0.refusals }.isEmpty)
  }

  @Test func `a host that no longer refuses requests is polled as before, and its limit is forgotten`()
    async throws
  {
    let host = try Host(store.clock, until: 6 * 3600)
    defer { host.server.stop() }
    try await add(12, of: host)
    try await run(0..<20 * 60)
    let last = host.log.withLock { $0.answers.mapValues { times in times.count { $0 > 15 * 3600 } } }
    #expect(last.count == 12 && last.values.allSatisfy { $0 >= 4 })
    try await run(92 * 60..<92 * 60 + 20)
    #expect(try await store.perform { source throws(StoreError) in try source.hostLimits().count } <= 1)
    let pauses = try await store.perform { source throws(StoreError) in
      ServerPauses(of: [], try source.hostLimits(), at: Self.start.addingTimeInterval(92 * 3600))
    }
    let address = WebAddress(host.server.url("/0"))
    #expect(pauses.wait(of: address, at: Self.start.addingTimeInterval(92 * 3600)) == nil)
  }

  @Test func `the limit of a host is stored with its pauses`() async throws {
    let host = try Host(store.clock)
    defer { host.server.stop() }
    try await add(4, of: host)
    let report = try await store.importNews()
    #expect(report.totals.updated == 1 && report.totals.skipped == 3 && report.totals.failed == 0)
    let address = WebAddress(host.server.url("/0"))
    let wait = try await store.perform { source throws(StoreError) in
      ServerPauses(of: [], try source.hostLimits(), at: Self.start).wait(of: address, at: Self.start)
    }
    #expect(wait?.requests == 1 && wait?.seconds == 60)
    #expect(wait?.until == Self.start.addingTimeInterval(60))
    // A fetch by hand does not break the pause.
    let second = try await store.importNews()
    #expect(second.polled.isEmpty && second.refusals.count == 4)
  }

  @Test func `a lone feed that is always refused for 30 seconds is polled hourly, and never fails`()
    async throws
  {
    let times = Locked<[TimeInterval]>([])
    let server = try LoopbackHTTPServer { [clock = store.clock] _ in
      times.withLock { $0.append(clock.now.timeIntervalSince(Self.start)) }
      return .status(429, "Too Many Requests", headers: ["Retry-After: 30"])
    }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    try await run(0..<24 * 60)
    let gaps = times.withLock { zip($0.dropFirst(), $0).map { $0 - $1 } }
    #expect(gaps.count >= 19 && gaps.allSatisfy { (3600...4200).contains($0) })
    let feed = try #require(try await store.feeds().first)
    #expect(feed.failures == 0 && feed.outcome == .refused && feed.error == "HTTP 429 (too many requests)")
  }

  @Test func `maintenance of a host is no failure of its feeds, and no limit afterwards`() async throws {
    let isBusy = Locked(true)
    let server = try LoopbackHTTPServer { _ in
      isBusy.withLock(\.self)
        ? .status(503, "Service Unavailable", headers: ["Retry-After: 3600"])
        : .ok(TestFeed.rss(count: 1), headers: ["ETag: \"1\""])
    }
    defer { server.stop() }
    try await store.add((0..<12).map { server.url("/\($0)") })
    try await run(0..<180)
    #expect(server.requests.count <= 5)
    isBusy.withLock { $0 = false }
    try await run(180..<260)
    let feeds = try await store.feeds()
    #expect(feeds.allSatisfy { $0.failures == 0 && $0.outcome?.isSuccess == true })
    #expect(try await store.perform { source throws(StoreError) in try source.hostLimits().isEmpty })
  }

  @Test func `one address that is always refused does not delay the other feeds of its host`() async throws {
    let server = try LoopbackHTTPServer { request in
      if request.path == "/0" { return .status(429, "Too Many Requests", headers: ["Retry-After: 3600"]) }
      return request.text(of: "If-None-Match") == nil
        ? .ok(TestFeed.rss(count: 1, prefix: request.path), headers: ["ETag: \"1\""])
        : .status(304, "Not Modified")
    }
    defer { server.stop() }
    try await store.add((0..<5).map { server.url("/\($0)") })
    try await run(0..<12 * 60)
    for path in 1..<5 { #expect(server.requests.count { $0.path == "/\(path)" } >= 4) }
    #expect(server.requests.count { $0.path == "/0" } <= 12)
  }

  @Test func `a run waits for a host that allows a request each second`() async throws {
    let host = try Host(store.clock, requests: 1, in: 1, .retryAfter)
    defer { host.server.stop() }
    try await add(6, of: host)
    _ = try await store.importNews()
    let waited = Locked(0.0)
    let activity = Locked<ImportActivity?>(nil)
    store.clock.set(Self.start.addingTimeInterval(600))
    let report = try await store.importNews { [clock = store.clock] options in
      options.wait = { time in
        // On the simulated clock, no request takes time.
        try? await until("the requests under way end") {
          activity.withLock { $0.map { $0.counts.finished == $0.counts.started } ?? true }
        }
        waited.withLock { $0 += time / .seconds(1) }
        clock.set(clock.now.addingTimeInterval(time / .seconds(1)))
      }
    } began: {
      activity.withLock { [new = $0] in $0 = new }
    }
    // Those that were refused are not asked so soon.
    #expect(report.totals.updated + report.totals.unchanged >= 4 && report.totals.failed == 0)
    #expect(waited.withLock(\.self) >= 3 && waited.withLock(\.self) <= 36)
  }
}
