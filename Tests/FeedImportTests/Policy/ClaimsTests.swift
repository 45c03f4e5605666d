import FeedImport
import Foundation
import LoopbackServer
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing
import Threading
import WebAddress

@Suite struct ClaimsTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  private func claims() -> Claims { Claims(in: store.root) }

  private static func after(_ seconds: TimeInterval) -> Date { now.addingTimeInterval(seconds) }

  /// Adds feeds of three publishers.
  private func prepare(
    _ urls: [String] = (1...3).map { "http://127.0.0.\($0):9/" },
    _ change: @Sendable @escaping (Feed) -> Void = { _ in }
  ) async throws -> [Claims.Wanted] {
    try await store.add(urls)
    return try await store.perform { (source) throws(StoreError) in
      try source.feeds().map { feed in
        change(feed)
        return Claims.Wanted(feed.id, at: feed.currentURL)
      }
    }
  }

  private func rows() async throws -> Int {
    try await store.perform { (source) throws(StoreError) in
      try source.context.count(FetchRequest(PublisherClaim.self))
    }
  }

  @Test func `of two runs that want the same publishers each is claimed by one`() async throws {
    let feeds = try await prepare()
    let (mine, other) = (claims(), claims())
    let first = try await mine.take(Array(feeds.prefix(2)), dueOnly: true, at: Self.now)
    let second = try await other.take(feeds, dueOnly: true, at: Self.now)
    #expect(first.requests.map(\.feed) == feeds.prefix(2).map(\.feed) && first.held.isEmpty)
    #expect(second.requests.map(\.feed) == [feeds[2].feed] && second.held == Array(feeds.prefix(2)))
  }

  @Test func `a feed of a publisher that another run holds is not polled, even if that run does not want it`()
    async throws
  {
    let feeds = try await prepare(["http://127.0.0.1:9/a", "http://127.0.0.1:9/b", "http://127.0.0.1:8/a"])
    let mine = claims()
    _ = try await mine.take([feeds[0]], dueOnly: true, at: Self.now)
    let part = try await claims().take(Array(feeds[1...]), dueOnly: false, at: Self.now)
    #expect(part.held == [feeds[1]] && part.requests.map(\.feed) == [feeds[2].feed])
    try await mine.releaseAll()
  }

  @Test func `concurrent runs divide the publishers between them`() async throws {
    let feeds = try await prepare()
    let runs = (0..<6).map { _ in claims() }
    let taken = try await withThrowingTaskGroup(of: [ManagedObjectID].self) { group in
      for claims in runs {
        group.addTask { try await claims.take(feeds, dueOnly: true, at: Self.now).requests.map(\.feed) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(taken.count == 3 && Set(taken) == Set(feeds.map(\.feed)))
    withExtendedLifetime(runs) {}
  }

  @Test func `the claims of a run that has died are void at once, and are removed`() async throws {
    let feeds = try await prepare()
    do {
      _ = try await claims().take(feeds, dueOnly: true, at: Self.now)
    }
    #expect(try await rows() == 3)
    let next = claims()
    #expect(try await next.take([feeds[0]], dueOnly: true, at: Self.now).requests.count == 1)
    #expect(try await rows() == 1)
  }

  @Test func `a run that has nothing to claim removes the claims of dead runs, and no others`() async throws {
    let feeds = try await prepare()
    let living = claims()
    _ = try await living.take([feeds[2]], dueOnly: true, at: Self.now)
    do {
      _ = try await claims().take(Array(feeds.prefix(2)), dueOnly: true, at: Self.now)
    }
    #expect(try await rows() == 3)
    var selection = ImportSelection()
    selection.failedOnly = true
    #expect(try await store.importNews(selection).polled.isEmpty)
    #expect(try await rows() == 1)
    withExtendedLifetime(living) {}
  }

  @Test func `the claims of a run that lives but does not renew them expire`() async throws {
    let feeds = try await prepare()
    let mine = claims()
    _ = try await mine.take(feeds, dueOnly: true, at: Self.now)
    #expect(try await claims().take(feeds, dueOnly: true, at: Self.after(299)).requests.isEmpty)
    #expect(try await claims().take(feeds, dueOnly: true, at: Self.after(301)).requests.count == 3)
    withExtendedLifetime(mine) {}
  }

  @Test(arguments: [-86_400, 86_400] as [TimeInterval])
  func `a run whose clock is a day away takes over no claim of a living run`(seconds: TimeInterval)
    async throws
  {
    let feeds = try await prepare()
    let mine = claims()
    _ = try await mine.take(feeds, dueOnly: false, at: Self.after(seconds))
    #expect(try await claims().take(feeds, dueOnly: false, at: Self.now).held == feeds)
    withExtendedLifetime(mine) {}
  }

  @Test func `feeds that are not due, paused or gone are not polled, and their publishers are not held`()
    async throws
  {
    let feeds = try await prepare()
    try await store.perform { (source) throws(StoreError) in
      let feeds = try source.feeds()
      feeds[0].nextFetch = Self.after(60)
      feeds[1].notBefore = Self.after(60)
      feeds[2].isGone410 = true
    }
    let mine = claims()
    let part = try await mine.take(feeds, dueOnly: true, at: Self.now)
    #expect(part.requests.isEmpty && part.left == feeds.map(\.feed) && part.held.isEmpty)
    try await mine.releaseDone()
    let later = try await claims().take(feeds, dueOnly: true, at: Self.after(61))
    #expect(later.requests.map(\.feed) == feeds.prefix(2).map(\.feed))
  }

  @Test func `a run does not poll what another run has polled since its start`() async throws {
    let feeds = try await prepare { $0.lastFetch = Self.after(10) }
    let part = try await claims().take(feeds, dueOnly: false, since: Self.now, at: Self.after(20))
    #expect(part.left == feeds.map(\.feed))
  }

  @Test func `a feed that has got another address since it was found is tried there`() async throws {
    let feeds = try await prepare()
    try await store.perform { (source) throws(StoreError) in
      try source.feeds()[0].url = WebAddress("http://127.0.0.9:9/")
    }
    let mine = claims()
    let part = try await mine.take([feeds[0]], dueOnly: true, at: Self.now)
    #expect(part.requests.isEmpty && part.held == [Claims.Wanted(feeds[0].feed, at: "http://127.0.0.9:9/")])
    #expect(try await mine.take(part.held, dueOnly: true, at: Self.now).requests.count == 1)
  }

  @Test func `a publisher is released when the store has the answers of all its feeds`() async throws {
    let feeds = try await prepare(["http://127.0.0.1:9/a", "http://127.0.0.1:9/b", "http://127.0.0.1:8/a"])
    let (mine, other) = (claims(), claims())
    let requests = try await mine.take(feeds, dueOnly: true, at: Self.now).requests
    mine.end(requests[0])
    try await mine.releaseDone()
    #expect(try await other.take(feeds, dueOnly: true, at: Self.now).held == feeds)
    mine.end(requests[1])
    // A later claim releases it, too, in its own transaction.
    _ = try await mine.take([feeds[2]], dueOnly: true, at: Self.now)
    let part = try await other.take(feeds, dueOnly: true, at: Self.now)
    #expect(part.requests.count == 2 && part.held == [feeds[2]])
  }

  @Test func `an import releases its publishers`() async throws {
    _ = try await prepare()
    // No server listens there, so the answers are failures.
    _ = try await store.importNews()
    #expect(try await rows() == 0)
  }

  @Test func `a claim lasts longer if its run renews it`() async throws {
    let feeds = try await prepare()
    let mine = claims()
    let requests = try await mine.take(feeds, dueOnly: true, at: Self.now).requests
    #expect(mine.hold(requests[0], at: Self.after(299)))
    #expect(!mine.hold(requests[0], at: Self.after(301)))
    try await mine.renew(at: Self.after(200))
    #expect(mine.hold(requests[0], at: Self.after(301)))
    #expect(try await claims().take(feeds, dueOnly: true, at: Self.after(301)).held == feeds)
  }

  /// A store whose life signs can be lost.
  private final class SignedStore: PersistentStore {
    let name = "the store with signs"
    var number: StoreNumber { store.number }
    let isHeld = Locked(true)
    /// Called by each look for life signs of others: the first one finds none, and a patient one finds all.
    let look: @Sendable (_ isPatient: Bool) -> Void
    private let store: any PersistentStore

    init(_ store: any PersistentStore, look: @escaping @Sendable (Bool) -> Void = { _ in }) {
      (self.store, self.look) = (store, look)
    }

    func fetch(_ query: StoreQuery) throws(StoreError) -> RowBatch { try store.fetch(query) }
    func count(_ query: StoreQuery) throws(StoreError) -> Int { try store.count(query) }
    func write(_ group: [ChangeSet]) -> [Result<CommitResult, StoreError>] { store.write(group) }
    func beginLifeSign(_ number: Int64) throws(StoreError) -> LifeSign {
      LifeSign { [isHeld] in
        isHeld.withLock { $0 }
      } end: {
      }
    }
    func lifeSigns(among numbers: Set<Int64>, isPatient: Bool) -> Set<Int64> {
      look(isPatient)
      return isPatient ? numbers : []
    }
  }

  /// Returns the claims of a run that sees the life signs of others late.
  private func claims(_ look: @escaping @Sendable (Bool) -> Void) -> Claims {
    let signed = SignedStore(store.store, look: look)
    return Claims(
      in: RootContext(coordinator: PersistentStoreCoordinator(model: NewsModel.model, store: signed)))
  }

  @Test func `the claims of a run whose life sign is away for a moment are left to it`() async throws {
    let feeds = try await prepare()
    let other = claims()
    _ = try await other.take(feeds, dueOnly: true, at: Self.now)
    let looks = Locked<[Bool]>([])
    let mine = claims { isPatient in looks.withLock { $0.append(isPatient) } }
    #expect(try await mine.take(feeds, dueOnly: true, at: Self.now).held == feeds)
    #expect(looks.withLock { $0 } == [false, true])
    withExtendedLifetime(other) {}
  }

  @Test func `a run that ends while others look for its life sign is not waited for`() async throws {
    let feeds = try await prepare()
    let other = claims()
    _ = try await other.take(feeds, dueOnly: true, at: Self.now)
    let looks = Locked<[Bool]>([])
    let mine = claims { [store = store.store] isPatient in
      looks.withLock { $0.append(isPatient) }
      var release = ChangeSet(mergePolicy: .error)
      release.batches = [.delete(BatchDelete(entity: NewsModel.Place.publisherClaim, predicate: nil))]
      _ = store.write([release])
    }
    #expect(try await mine.take(feeds, dueOnly: true, at: Self.now).requests.count == 3)
    #expect(looks.withLock { $0 } == [false])
    withExtendedLifetime(other) {}
  }

  @Test func `a run that has lost its life sign polls nothing until it has renewed its claims`() async throws
  {
    let feeds = try await prepare()
    let signed = SignedStore(store.store)
    let mine = Claims(
      in: RootContext(coordinator: PersistentStoreCoordinator(model: NewsModel.model, store: signed)))
    let requests = try await mine.take(feeds, dueOnly: true, at: Self.now).requests
    #expect(mine.hold(requests[0], at: Self.now))
    signed.isHeld.withLock { $0 = false }
    #expect(!mine.hold(requests[0], at: Self.now))
    signed.isHeld.withLock { $0 = true }
    // Another run may have taken over the publisher meanwhile.
    #expect(!mine.hold(requests[0], at: Self.now))
    try await mine.renew(at: Self.now)
    #expect(mine.hold(requests[0], at: Self.now))
  }

  @MainActor
  @Test func `a run that loses its life sign ends its transfers, and polls their feeds again when it has it`()
    async throws
  {
    let gate = Gate()
    defer { gate.open() }
    let count = Counter()
    let server = try LoopbackHTTPServer { _ in
      count.increment()
      let feed = ScriptedResponse.ok(TestFeed.rss(count: 1))
      return count.value == 1 ? feed.after(gate) : feed
    }
    defer { server.stop() }
    _ = try await prepare([server.url("/")])
    let signed = SignedStore(store.store)
    let root = RootContext(coordinator: PersistentStoreCoordinator(model: NewsModel.model, store: signed))
    let main = MainContext(parent: root)
    let region = try #require(try DataSource(main.context).region(named: "world")).id
    async let report = FeedImporter(root: root, options: .patient).importNews(for: [region], in: main)
    await server.waitForRequests(1)
    signed.isHeld.withLock { $0 = false }
    await server.waitForConnections(atMost: 0)
    #expect(try await store.feeds().first?.fetches == 0)
    signed.isHeld.withLock { $0 = true }
    #expect(try await report.totals.updated == 1)
    #expect(server.requests.count == 2)
    let feed = try #require(try await store.feeds().first)
    #expect(feed.fetches == 1 && feed.failures == 0)
  }

  @Test func `a delayed run learns which of its publishers another run has taken over`() async throws {
    let feeds = try await prepare()
    let (mine, other) = (claims(), claims())
    let requests = try await mine.take(feeds, dueOnly: true, at: Self.now).requests
    _ = try await other.take([feeds[0]], dueOnly: true, at: Self.after(3600))
    try await mine.renew(at: Self.after(3600))
    // The run ends its transfers once.
    #expect(mine.mayBeLost(at: Self.after(3601)))
    #expect(!mine.mayBeLost(at: Self.after(3601)))
    #expect(requests.map { mine.hold($0, at: Self.after(3601)) } == [false, true, true])
    // Nothing of the other run's is released.
    try await mine.releaseAll()
    #expect(try await claims().take(feeds, dueOnly: true, at: Self.after(3601)).held == [feeds[0]])
  }

  @Test func `a pause that another run has met is known after the next claim`() async throws {
    let feeds = try await prepare(["http://127.0.0.1:9/a", "http://127.0.0.1:9/b", "http://127.0.0.1:9/c"])
    try await store.perform { (source) throws(StoreError) in
      for feed in try source.feeds().dropFirst() {
        (feed.notBefore, feed.lastStatus) = (Self.after(600), 429)
      }
    }
    // Two addresses that reject requests pause their host.
    let part = try await claims().take(feeds, dueOnly: true, at: Self.now)
    #expect(part.requests.map(\.feed) == [feeds[0].feed])
    #expect(part.pauses.refusal(of: "http://127.0.0.1:9/a", at: Self.now) == .hostClosed(Self.after(600)))
  }

  @Test func `a feed whose claim may have expired is not polled`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    let feeds = try await prepare(["/a", "/b"].map { server.url($0) })
    let mine = claims()
    let requests = try await mine.take(feeds, dueOnly: true, at: Self.now).requests
    store.clock.set(Self.after(3600))
    let options = ImportOptions(userAgent: "test")
    let importer = FeedImporter(root: store.root, options: options)
    #expect(Set(try await importer.run(requests, claims: mine).withheld) == Set(requests.map(\.feed)))
    #expect(server.requests.isEmpty)
    // No other run has claimed the publisher, so they are polled once that is known.
    let again = try await mine.take(feeds, dueOnly: true, at: Self.after(3600)).requests
    #expect(try await importer.run(again, claims: mine).withheld.isEmpty)
    #expect(server.requests.count == 2)
  }

  /// Polls a feed whose answer arrives late, while another run polls it.
  ///
  /// - Parameter isPolling: True if the other run has no answer yet when the late one arrives.
  @Test(arguments: [false, true])
  func `an answer that arrives after another run has claimed the publisher is discarded`(isPolling: Bool)
    async throws
  {
    let (late, next) = (Gate(), Gate())
    let count = Counter()
    let server = try LoopbackHTTPServer { _ in
      count.increment()
      let isFirst = count.value == 1
      let feed = TestFeed.rss([("1", isFirst ? "Old title" : "New title")])
      let response = ScriptedResponse.ok(feed, headers: [isFirst ? "ETag: \"old\"" : "ETag: \"new\""])
      return response.after(isFirst ? late : next)
    }
    defer { server.stop() }
    let feeds = try await prepare([server.url("/")])
    let (mine, others) = (claims(), claims())
    let early = try await mine.take(feeds, dueOnly: true, at: Self.now).requests
    store.clock.set(Self.now)
    let options = ImportOptions(userAgent: "test")
    let importer = FeedImporter(root: store.root, options: options)
    async let end = importer.run(early, claims: mine)
    // The answer depends on which request is handled first, not on which arrives first.
    try await until("the first request is handled") { count.value == 1 }
    store.clock.set(Self.after(3600))
    let requests = try await others.take(feeds, dueOnly: true, at: Self.after(3600)).requests
    let other = FeedImporter(root: store.root, options: options)
    async let second = other.run(requests, claims: others)
    await server.waitForRequests(2)
    let answered: FeedImporter.End
    if isPolling {
      late.open()
      #expect(try await end.overtaken == feeds.map(\.feed))
      next.open()
      answered = try await second
    } else {
      next.open()
      answered = try await second
      late.open()
      #expect(try await end.overtaken == feeds.map(\.feed))
    }
    let feed = try #require(try await store.feeds().first)
    #expect(feed.etag == "\"new\"" && feed.fetches == 1, "\(answered)")
    #expect(try await store.articles().map(\.title) == ["New title"])
  }
}
