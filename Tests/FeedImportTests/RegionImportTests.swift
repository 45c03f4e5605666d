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

/// Imports of regions, with results that the main context reads.
@Suite struct RegionImportTests {
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  private func server() throws -> LoopbackHTTPServer {
    try LoopbackHTTPServer { request in
      switch request.path {
      case "/missing": .status(404, "Not Found")
      case "/page": .ok("<html><body>No feed</body></html>")
      default: .ok(TestFeed.rss(count: 2, prefix: request.path))
      }
    }
  }

  @Test func `the results of a region are those in the fetch log`() async throws {
    let server = try server()
    defer { server.stop() }
    try await store.add(["/a", "/b", "/missing", "/page"].map { server.url($0) })
    let report = try await store.importNews()
    #expect(report.feeds.regions.map(\.name) == ["world"])
    let results = try await store.results(of: report)
    #expect(results.map { $0?.outcome } == [.updated, .updated, .failed, .failed])
    #expect(results.map { $0?.status } == [200, 200, 404, 200])
    #expect(results.map { $0?.isWebPage } == [false, false, false, true])
    var totals = ImportReport.Totals()
    (totals.feeds, totals.updated, totals.failed, totals.inserted) = (4, 2, 2, 4)
    #expect(report.totals == totals)
    #expect(report.claimed == 4 && report.polled.count == 4)
  }

  @Test func `all feeds of a large publisher are polled, also if it does not answer`() async throws {
    let server = try server()
    defer { server.stop() }
    try await store.add((0..<200).map { server.url("/\($0)") })
    #expect(try await store.importNews { $0.window = 1 }.totals.updated == 200)
    let silent = try NewsStore()
    try await silent.add((0..<200).map { "http://127.0.0.1:1/\($0)" })
    let report = try await silent.importNews { ($0.window, $0.mostUnsaved) = (1, 0) }
    // At least one request of each piece shows whether the publisher answers again.
    #expect(report.totals.failed < 60 && report.totals.failed + report.refusals.count == 200)
  }

  @Test func `a run claims further publishers after its first answer, so that others can claim theirs`()
    async throws
  {
    let gate = Gate()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)).after(gate) }
    defer { server.stop() }
    try await store.add([server.url("/a"), server.url("/b")])
    var options = ImportOptions.patient
    options.firstWait = .seconds(3600)
    let parts = Locked(try await store.requests().map { FeedImporter.RequestPart([$0]) })
    let isOpen = Locked(false)
    let order = Locked<[Bool]>([])
    let importer = FeedImporter(root: store.root, options: options)
    async let end = importer.run(about: 2) { _ in
      order.withLock { $0.append(isOpen.withLock(\.self)) }
      return parts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
    await server.waitForRequests(1)
    isOpen.withLock { $0 = true }
    gate.open()
    _ = try await end
    #expect(order.withLock(\.self) == [false, true, true])
  }

  @Test func `a run has room for further feeds while few answers wait to be saved`() {
    var state = ImportRun.State(pauses: ServerPauses(), countsUnreachable: false)
    #expect(state.hasRoom(within: 0))
    state.unsaved = 3
    #expect(!state.hasRoom(within: 2) && state.hasRoom(within: 3))
  }

  @Test func `a second import of one importer reports its own results only`() async throws {
    let server = try server()
    defer { server.stop() }
    try await store.add([server.url("/a")])
    #expect(try await store.importNews().totals.inserted == 2)
    let second = try await store.importNews()
    #expect(second.polled.count == 1 && second.totals.inserted == 0 && second.totals.unchanged == 1)
  }

  @Test func `feeds that are not due, unusable or claimed by another run are reported and not polled`()
    async throws
  {
    let server = try server()
    defer { server.stop() }
    try await store.add([server.url("/a")])
    _ = try await store.importNews()
    try await store.add([server.url("/b"), server.url("/c")])
    let other = Claims(in: store.root)
    let ids = try await store.feedIDs()
    _ = try await other.take(
      [Claims.Wanted(ids[1], at: WebAddress(server.url("/b")))], dueOnly: true, at: Date())
    var selection = ImportSelection()
    selection.dueOnly = true
    selection.unusable = [ids[2]: "no secret"]
    let report = try await store.importNews(selection)
    #expect(report.refusals[ids[1]] == .claimed)
    #expect(report.unusable == [ids[2]: "no secret"] && report.claimed == 0)
    #expect(report.refusals.count == 1 && report.feeds.regions.map(\.notDue) == [1])
    let totals = report.totals(ofRegion: 0)
    #expect(totals.feeds == 3 && totals.skipped == 2 && totals.failed == 1)
    #expect(server.requests.count == 1)
    withExtendedLifetime(other) {}
  }

  /// Imports 300 unreachable publishers, of which the first has worked before, and returns the report.
  private func importUnreachable(andThen last: [String] = []) async throws -> ImportReport {
    try await store.add((0..<300).map { "http://127.1.0.\($0 % 250 + 1):\($0 / 250 + 1)/" } + last)
    try await store.perform { (source) throws(StoreError) in
      try source.feeds()[0].lastFetch = Date(timeIntervalSince1970: 1_700_000_000)
    }
    return try await store.importNews { ($0.window, $0.mostUnreachable, $0.mostUnsaved) = (8, 20, 0) }
  }

  @Test func `if no publisher can be reached, neither the first ones nor the last ones, no others are tried`()
    async throws
  {
    let report = try await importUnreachable()
    let left = report.refusals.values.count { $0 == .offline }
    #expect(left > 50 && report.unreachable.count >= 20 + 64 && left + report.unreachable.count == 300)
    let last = try #require(try await store.feedIDs().last)
    #expect(report.unreachable[last] != nil && report.refusals[last] == nil)
    #expect(report.totals.failed == report.unreachable.count && report.totals.skipped == left)
    #expect(report.claimed == report.unreachable.count && report.outage == .continues(isNew: true))
    #expect(try await store.feeds().allSatisfy { $0.failures == 0 && $0.nextFetch == nil })
    #expect(try await heldPublishers() == [])
  }

  @Test func `if one of the last publishers answers, all feeds are polled, and failures are counted`()
    async throws
  {
    let server = try server()
    defer { server.stop() }
    let report = try await importUnreachable(andThen: [server.url("/a")])
    #expect(report.totals.updated == 1 && report.totals.failed == 300)
    #expect(report.refusals.isEmpty && report.unreachable.isEmpty && report.outage == nil)
    #expect(try await store.feeds().map(\.failures) == Array(repeating: 1, count: 300) + [0])
  }

  @Test func `a feed that another run holds is reported as claimed, also if no server can be reached`()
    async throws
  {
    try await store.add(["http://127.0.0.1:1/", "http://127.0.0.1:2/"])
    try await store.perform { (source) throws(StoreError) in
      try source.feeds()[0].lastFetch = Date(timeIntervalSince1970: 1_700_000_000)
    }
    let feeds = try await store.feedIDs()
    let other = Claims(in: store.root)
    _ = try await other.take(
      [Claims.Wanted(feeds[1], at: WebAddress("http://127.0.0.1:2/"))], dueOnly: false, at: Date())
    let report = try await store.importNews()
    #expect(report.unreachable.count == 1 && report.refusals[feeds[1]] == .claimed)
    withExtendedLifetime(other) {}
  }

  @Test func `claims of feeds that got no answer are released`() async throws {
    try await store.add(["http://127.0.0.1:1/unreachable"])
    _ = try await store.importNews()
    #expect(try await heldPublishers() == [])
  }

  @MainActor
  @Test func `the activity counts started and finished polls`() async throws {
    let server = try server()
    defer { server.stop() }
    try await store.add(["/a", "/missing"].map { server.url($0) })
    let importer = FeedImporter(root: store.root, options: ImportOptions(userAgent: "test"))
    let main = MainContext(parent: store.root)
    let region = try #require(try DataSource(main.context).region(named: "world")).id
    #expect(importer.activity.counts == .init())
    _ = try await importer.importNews(for: [region], in: main)
    let counts = importer.activity.counts
    #expect(counts.total == 2 && counts.started == 2 && counts.finished == 2 && counts.failed == 1)
    #expect(importer.activity.slowest == nil)
  }

  @MainActor
  private func importer(jobs: Int, window: Int) throws -> FeedImporter {
    var options = ImportOptions.patient
    (options.jobs, options.window) = (jobs, window)
    return FeedImporter(root: store.root, options: options)
  }

  @MainActor
  @Test func `two imports at the same time share the feeds, and poll each once`() async throws {
    let gate = Gate()
    let slow = try LoopbackHTTPServer { _ in ScriptedResponse.ok(TestFeed.rss(count: 1)).after(gate) }
    defer { slow.stop() }
    let servers = try (0..<3).map { _ in try server() }
    defer { for server in servers { server.stop() } }
    try await store.add([slow.url("/")] + servers.map { $0.url("/a") })
    let main = MainContext(parent: store.root)
    let region = try #require(try DataSource(main.context).region(named: "world")).id
    let first = try importer(jobs: 1, window: 1)
    async let early = first.importNews(for: [region], in: main)
    await slow.waitForRequests(1)
    let other = MainContext(parent: store.root)
    let late = try await importer(jobs: 1, window: 1).importNews(for: [region], in: other)
    #expect(late.totals.updated == 3)
    #expect(late.refusals.values.map { $0 } == [.claimed])
    gate.open()
    let report = try await early
    #expect(report.totals.updated == 1)
    // By hand, too, a feed that another run has polled since the start of this one is not polled again.
    #expect(report.refusals.values.allSatisfy { $0 == .claimed } && report.refusals.count == 3)
    #expect(servers.map(\.requests.count) == [1, 1, 1] && slow.requests.count == 1)
  }

  @MainActor
  @Test func `a stopped import claims no further feeds`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let slow = try LoopbackHTTPServer { _ in ScriptedResponse.ok(TestFeed.rss(count: 1)).after(gate) }
    defer { slow.stop() }
    let server = try server()
    defer { server.stop() }
    try await store.add([slow.url("/"), server.url("/a")])
    let main = MainContext(parent: store.root)
    let region = try #require(try DataSource(main.context).region(named: "world")).id
    let importer = try importer(jobs: 1, window: 1)
    async let running = importer.importNews(for: [region], in: main)
    await slow.waitForRequests(1)
    importer.stop()
    let report = try await running
    #expect(report.claimed == 2 && report.polled.isEmpty && report.refusals.isEmpty)
    #expect(server.requests.isEmpty)
    #expect(try await heldPublishers() == [])
  }

  private func heldPublishers() async throws -> [String] {
    try await store.perform { (source) throws(StoreError) in
      try source.context.fetchValues(FetchRequest(PublisherClaim.self), \.origin)
    }
  }

  /// Imports while another run holds the publisher of the only feed.
  ///
  /// - Parameters:
  ///   - waits: The number of waits after which the other run ends; nil for never.
  ///   - hasPolled: True if the other run has polled the feed then.
  /// - Returns: The report, and the number of waits.
  private func importBeside(
    waits: Int?, hasPolled: Bool = false, patience: Duration = .seconds(60), dueOnly: Bool = false
  ) async throws -> (ImportReport, waits: Int) {
    // The claims of the other run must not expire on a busy machine.
    store.clock.set(Date())
    let server = try server()
    defer { server.stop() }
    try await store.add([server.url("/a")])
    let (other, counter, store) = (Claims(in: store.root), Counter(), store)
    let feed = try await store.feedIDs()[0]
    let wanted = [Claims.Wanted(feed, at: WebAddress(server.url("/a")))]
    let requests = try await other.take(wanted, dueOnly: false, at: Date()).requests
    var selection = ImportSelection()
    selection.dueOnly = dueOnly
    let report = try await store.importNews(selection) { options in
      options.patience = patience
      options.wait = { _ in
        counter.increment()
        guard counter.value == waits else { return }
        if hasPolled {
          store.clock.set(store.clock.now.addingTimeInterval(1))
          _ = try? await store.perform { (source) throws(StoreError) in
            try source.feeds()[0].lastFetch = store.clock.now
          }
        }
        for request in requests { other.end(request) }
        try? await other.releaseDone()
      }
    }
    withExtendedLifetime(other) {}
    return (report, counter.value)
  }

  @Test func `an import by hand waits for a publisher that another run holds, and polls its feeds then`()
    async throws
  {
    let (report, waits) = try await importBeside(waits: 3)
    #expect(report.totals.updated == 1 && report.refusals.isEmpty && waits == 3)
  }

  @Test func `an import by hand does not poll what another run has polled while it waited`() async throws {
    let (report, waits) = try await importBeside(waits: 3, hasPolled: true)
    #expect(report.polled.isEmpty && report.refusals.values.map { $0 } == [.claimed] && waits == 3)
  }

  @Test func `pauses that another run meets hold for the feeds that this one polls after it`() async throws {
    let server = try server()
    defer { server.stop() }
    try await store.add(["/a", "/b", "/c"].map { server.url($0) })
    let (other, counter, store) = (Claims(in: store.root), Counter(), store)
    let feeds = try await store.feedIDs()
    let wanted = feeds.map { Claims.Wanted($0, at: WebAddress(server.url("/"))) }
    let requests = try await other.take(wanted, dueOnly: false, at: Date()).requests
    let report = try await store.importNews { options in
      options.patience = .seconds(60)
      options.wait = { _ in
        counter.increment()
        // The pauses are read long before the publisher is free.
        if counter.value == 1 {
          _ = try? await store.perform { (source) throws(StoreError) in
            for feed in try source.feeds().prefix(2) {
              (feed.notBefore, feed.lastStatus) = (Date(timeIntervalSinceNow: 600), 429)
            }
          }
        } else {
          for request in requests { other.end(request) }
          try? await other.releaseDone()
        }
      }
    }
    withExtendedLifetime(other) {}
    #expect(server.requests.isEmpty && counter.value == 2)
    guard case .hostClosed = report.refusals[feeds[2]] else {
      Issue.record("the publisher is not paused: \(report.refusals)")
      return
    }
  }

  @Test func `an import by hand waits for a minute at most`() async throws {
    let (report, waits) = try await importBeside(waits: nil)
    #expect(report.polled.isEmpty && report.refusals.values.map { $0 } == [.claimed] && waits == 240)
  }

  @Test func `an import of what is due waits for no other run`() async throws {
    let (report, waits) = try await importBeside(waits: nil, patience: .zero, dueOnly: true)
    #expect(report.polled.isEmpty && report.refusals.values.map { $0 } == [.claimed] && waits == 0)
  }

  @Test func `the transfer that was started first is the slowest, until it ends`() {
    let activity = ImportActivity()
    let feeds = [3, 1, 2].map { ManagedObjectID(entity: NewsModel.Place.feed, store: .none, key: $0) }
    #expect(activity.slowest == nil)
    for feed in feeds {
      activity.start(
        feed,
        .init(address: "https://e.org/\(feed.key)", began: Date(timeIntervalSince1970: Double(feed.key))))
    }
    #expect(activity.slowest?.address == "https://e.org/1")
    activity.endTransfer(of: feeds[1])
    #expect(activity.slowest?.address == "https://e.org/2")
  }

  @Test func `an article that another process has inserted first counts as edited, also in the log`()
    async throws
  {
    let gate = Gate()
    let feed = TestFeed.rss(count: 3000)
    let server = try LoopbackHTTPServer { _ in
      var response = ScriptedResponse.ok(feed)
      guard case .send(let bytes)? = response.steps.first else { return response }
      response.steps = [
        .send(Array(bytes.prefix(200_000))), .wait(gate), .send(Array(bytes.dropFirst(200_000))),
      ]
      return response
    }
    defer { server.stop() }
    try await store.add([server.url("/a")])
    // Its articles are saved in parts, and what the store has of the feed is read before the first.
    async let report = store.importNews { $0.atomicBytes = 20_000 }
    for await changes in store.root.didSave.changes
    where changes.inserted.count(of: NewsModel.Place.article) > 0 {
      break
    }
    try await store.perform { (source) throws(StoreError) in
      let article = source.context.insert(Article.self)
      article[Article.schema.feed] = try source.feeds()[0].id
      article[Article.schema.guid] = "item-3000"
      article[Article.schema.contentHash] = 1
      article[Article.schema.edits] = 0
      article[Article.schema.imported] = Date(timeIntervalSince1970: 0)
      article[Article.schema.timelineDate] = Date(timeIntervalSince1970: 0)
    }
    gate.open()
    let totals = try await report.totals
    #expect(totals.inserted == 2999 && totals.edited == 1)
    let state = try #require(try await store.feeds().first)
    #expect(state.inserted == 2999 && state.edited == 1 && state.outcome == .updated)
  }
}
