import FeedImport
import Foundation
import LoopbackServer
import ManagedContext
import NewsModel
import Synchronization
import TestSupport
import Testing
import Threading

@Suite struct ImportTests {
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  private static let wordPress = Repository.fixtures.appending(path: "wordpress-multithreading.xml")

  @Test
  func `a real feed is imported completely, is then not modified, and an edited title is one edit`()
    async throws
  {
    let original = try String(contentsOf: Self.wordPress, encoding: .utf8)
    let body = Mutex((text: original, etag: "\"one\""))
    let server = try LoopbackHTTPServer { request in
      let (text, etag) = body.withLock { $0 }
      if request.text(of: "If-None-Match") == etag { return .status(304, "Not Modified") }
      return .ok(text, headers: ["ETag: \(etag)"])
    }
    defer { server.stop() }
    try await store.add([server.url("/feed")])

    try await store.fetch()
    let article = try #require(try await store.articles().first)
    #expect(article.title == "Multithreading with core Data")
    #expect(article.authors == #"[{"name":"admin"}]"#)
    #expect(article.tags == #"["Development","core data","iPhone","multithreading","sqllite"]"#)
    #expect(article.published == Date(timeIntervalSince1970: 1_265_217_796))
    #expect((article.contentHTML?.count ?? 0) > 10_000)
    #expect(article.edits == 0)

    try await store.fetch()
    #expect(try await store.feeds().first?.outcome == .unchanged)
    #expect(server.requests.last?.text(of: "If-None-Match") == "\"one\"")

    body.withLock {
      $0 = (original.replacing("<title>Multithreading with", with: "<title>Threads and"), "\"two\"")
    }
    try await store.fetch()
    let articles = try await store.articles()
    #expect(articles.map(\.title) == ["Threads and core Data"])
    #expect(articles.map(\.edits) == [1])
    let feed = try #require(try await store.feeds().first)
    #expect(feed.outcome == .updated && feed.inserted == 0 && feed.edited == 1)
  }

  @Test(.disabled(if: TestServer.replacesFiles, "it is about the log of a file"), arguments: [true, false])
  func `a first import uses a bulk load if enabled, and restores the store's log`(
    isWanted: Bool
  ) async throws {
    let feed = Array("<rss><channel><title>F</title><item><title>A</title></item></channel></rss>".utf8)
    let server = try LoopbackHTTPServer { _ in .status(200, body: feed) }
    defer { server.stop() }
    let store = try NewsStore()
    try await store.add([server.url("/feed")])
    var options = ImportOptions(userAgent: "test")
    options.loadsInBulk = isWanted
    options.leastBulkFeeds = 1
    let log = store.path + "-wal"
    let hadLog = Locked<Bool?>(nil)
    let requests = try await store.requests()
    let observation = store.root.didSave.observe { _ in
      hadLog.withLock { $0 = FileManager.default.fileExists(atPath: log) }
    }
    try await FeedImporter(root: store.root, options: options).run(requests)
    observation.cancel()
    #expect(hadLog.withLock { $0 } == !isWanted)
    try await store.add([server.url("/other")])
    #expect(FileManager.default.fileExists(atPath: log))
  }

  @Test func `a missing feed and a broken feed do not affect the others`() async throws {
    let server = try LoopbackHTTPServer { request in
      switch request.path {
      case "/good": .ok(TestFeed.rss(count: 3))
      case "/page": .ok("<!DOCTYPE html><html><head><title>Hello</title></head><body>No feed</body></html>")
      default: .status(404, "Not Found")
      }
    }
    defer { server.stop() }
    try await store.add(["/good", "/page", "/missing"].map(server.url))
    try await store.fetch()
    #expect(try await store.articles().count == 3)
    let feeds = try await store.feeds()
    #expect(feeds.map(\.outcome) == [.updated, .failed, .failed])
    #expect(feeds[1].error?.contains("HTML page") == true)
    #expect(feeds[2].error == "HTTP 404 (not found)")
    #expect(feeds.map(\.failures) == [0, 1, 1])
  }

  @Test func `the same body without validators contains no news`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 3)) }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    try await store.fetch()
    try await store.fetch()
    #expect(try await store.feeds().map(\.outcome) == [.unchanged])
    #expect(try await store.articles().map(\.edits) == [0, 0, 0])
  }

  @Test func `validators of an unreadable body are not stored`() async throws {
    let count = Mutex(0)
    let server = try LoopbackHTTPServer { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return number == 2
        ? .ok("<html><body>Please log in</body></html>", headers: ["ETag: \"bad\""])
        : .ok(TestFeed.rss(count: number), headers: ["ETag: \"good \(number)\""])
    }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    for _ in 1...3 { try await store.fetch() }
    #expect(
      server.requests.map { $0.text(of: "If-None-Match") } == [nil, "\"good 1\"", "\"good 1\""])
    #expect(try await store.articles().count == 3)
    #expect(try await store.feeds().first?.etag == "\"good 3\"")
  }

  @Test
  func `a truncated document keeps its complete articles, fails, and is requested again without validators`()
    async throws
  {
    let whole = TestFeed.rss(count: 5)
    let cut = whole.prefix(upTo: whole.range(of: "Title of item-4")?.lowerBound ?? whole.endIndex)
    let isCut = Locked(true)
    let server = try LoopbackHTTPServer { _ in
      .ok(isCut.withLock { $0 } ? String(cut) : whole, headers: ["ETag: \"x\""])
    }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    try await store.fetch()
    #expect(try await store.articles().map(\.guid) == ["item-1", "item-2", "item-3"])
    let feed = try #require(try await store.feeds().first)
    #expect(feed.outcome == .failed && feed.etag == nil)
    #expect(feed.error?.hasPrefix("truncated") == true)

    isCut.withLock { $0 = false }
    try await store.fetch()
    #expect(try await store.articles().count == 5)
    #expect(server.requests.map { $0.text(of: "If-None-Match") } == [nil, nil])
  }

  @Test func `a validator that the server no longer sends is deleted`() async throws {
    let count = Mutex(0)
    let server = try LoopbackHTTPServer { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return .ok(TestFeed.rss(count: number), headers: number == 1 ? ["ETag: \"one\""] : [])
    }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    for _ in 1...3 { try await store.fetch() }
    #expect(server.requests.map { $0.text(of: "If-None-Match") } == [nil, "\"one\"", nil])
  }

  @Test func `a partial feed adds its articles and its validators, and changes nothing else`()
    async throws
  {
    let whole = TestFeed.rss(count: 3)
    let server = try LoopbackHTTPServer { request in
      switch request.text(of: "If-None-Match") {
      case nil: .ok(whole, headers: ["ETag: \"1\""])
      case "\"1\"":
        .status(
          226, "IM Used", headers: ["ETag: \"2\"", "IM: feed"],
          body: Array(TestFeed.rss([("new", "New")]).utf8))
      case "\"2\"": .status(304, "Not Modified")
      default: .status(500)
      }
    }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    try await store.fetch()
    let hash = try await store.feeds().first?.bodyHash
    try await store.fetch()
    #expect(try await store.articles().count == 4)
    let feed = try #require(try await store.feeds().first)
    #expect(feed.outcome == .updated && feed.inserted == 1 && feed.etag == "\"2\"")
    #expect(hash != nil && feed.bodyHash == hash)
    try await store.fetch()
    #expect(try await store.feeds().map(\.outcome) == [.unchanged])
    #expect(server.requests.map { $0.text(of: "A-IM") } == [nil, "feed", "feed"])
  }

  @Test func `after an unreadable partial feed the whole feed is requested`() async throws {
    let server = try LoopbackHTTPServer { request in
      if request.text(of: "A-IM") != nil {
        return .status(226, "IM Used", headers: ["IM: feed"], body: Array("<p>Not a feed</p>".utf8))
      }
      let isFirst = request.text(of: "If-None-Match") == nil
      return .ok(TestFeed.rss(count: isFirst ? 1 : 2), headers: [isFirst ? "ETag: \"1\"" : "ETag: \"2\""])
    }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    for _ in 1...3 { try await store.fetch() }
    #expect(server.requests.map { $0.text(of: "A-IM") } == [nil, "feed", nil])
    #expect(try await store.articles().count == 2)
    #expect(try await store.feeds().map(\.etag) == ["\"2\""])
  }

  @Test
  func `articles that a feed drops, reorders or repeats are neither lost nor duplicated`() async throws {
    let bodies = [
      TestFeed.rss([("a", "A"), ("b", "B"), ("c", "C")]), TestFeed.rss([("c", "C"), ("a", "A"), ("c", "C")]),
      TestFeed.rss([]), TestFeed.rss([("d", "D"), ("c", "C")]),
    ]
    let count = Mutex(0)
    let server = try LoopbackHTTPServer { _ in
      .ok(
        bodies[
          count.withLock { count in
            defer { count += 1 }
            return count
          }])
    }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    for _ in bodies { try await store.fetch() }
    #expect(try await store.articles().map(\.guid) == ["a", "b", "c", "d"])
    #expect(try await store.articles().map(\.edits) == [0, 0, 0, 0])
  }

  @Test func `a response larger than a transaction is saved completely, in parts`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 2000), headers: ["ETag: \"x\""]) }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    try await store.fetch { $0.atomicBytes = 20_000 }
    #expect(Set(try await store.articles().map(\.guid)).count == 2000)
    let feed = try #require(try await store.feeds().first)
    #expect(feed.inserted == 2000 && feed.etag == "\"x\"")
  }

  @Test
  func
    `a response with more articles than are saved together fails and leaves nothing, until it may be larger`()
    async throws
  {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 9000), headers: ["ETag: \"x\""]) }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    try await store.fetch { $0.atomicArticles = 100 }
    let feed = try #require(try await store.feeds().first)
    #expect(
      feed.outcome == .failed
        && feed.error
          == "over the limit of 100 for articles in a response (a larger --max-body takes them in parts)"
    )
    #expect(feed.inserted == 0 && feed.etag == nil && feed.title == nil)
    #expect(try await store.articles().isEmpty)
    try await store.fetch {
      $0.atomicArticles = 100
      $0.maxBody = 64 << 20
    }
    #expect(try await store.articles().count == 9000)
  }

  @Test(arguments: [20_000, 32 << 20])
  func `the properties of a feed that cannot be read to its end are stored with its articles`(
    atomicBytes: Int
  ) async throws {
    let whole = TestFeed.rss(count: 2000)
    let deep = String(repeating: "<x>", count: 300) + "</channel></rss>"
    let body = whole.replacing("</channel></rss>", with: deep)
    let server = try LoopbackHTTPServer { _ in .ok(body, headers: ["ETag: \"x\""]) }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    try await store.fetch { $0.atomicBytes = atomicBytes }
    #expect(try await store.articles().count == 2000)
    let feed = try #require(try await store.feeds().first)
    #expect(feed.outcome == .failed && feed.etag == nil && feed.failures == 1)
    #expect(feed.title == "Test feed" && feed.homePage == "https://example.org/")
  }

  @Test func `a document that is not a feed leaves the title unchanged`() async throws {
    let isPage = Locked(false)
    let server = try LoopbackHTTPServer { _ in
      .ok(isPage.withLock { $0 } ? "<html><title>Page</title></html>" : TestFeed.rss(count: 1))
    }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    try await store.fetch()
    isPage.withLock { $0 = true }
    try await store.fetch()
    let feed = try #require(try await store.feeds().first)
    #expect(feed.outcome == .failed && feed.title == "Test feed" && feed.homePage == "https://example.org/")
  }

  @Test func `with little memory large responses take turns and are all imported`() async throws {
    let server = try LoopbackHTTPServer { request in .ok(TestFeed.rss(count: 3000, prefix: request.path)) }
    defer { server.stop() }
    try await store.add((0..<6).map { server.url("/feed\($0)-") })
    try await store.fetch {
      $0.heldBytes = 100_000
      $0.perHost = 6
      $0.hostPatience = .zero
    }
    #expect(Set(try await store.articles().map(\.guid)).count == 18_000)
    #expect(try await store.feeds().allSatisfy { $0.outcome == .updated })
  }

  @Test func `stalled servers do not keep other large responses waiting`() async throws {
    let gate = Gate()
    let large = Locked(0)
    let server = try LoopbackHTTPServer { request in
      let bytes = Array(TestFeed.rss(count: 1000, prefix: request.path).utf8)
      if request.path.hasPrefix("/stalled") {
        let head = ScriptedResponse.head(200, "OK", headers: ["Content-Length: \(bytes.count)"])
        return ScriptedResponse(
          .send(head + bytes.prefix(1000)), .wait(gate), .send(Array(bytes.dropFirst(1000))))
      }
      let count = large.withLock { count in
        count += 1
        return count
      }
      if count == 30 { gate.open() }
      return .status(200, body: bytes)
    }
    defer { server.stop() }
    try await store.add(
      (0..<5).map { server.url("/stalled\($0)") } + (0..<30).map { server.url("/large\($0)") })
    try await store.fetch {
      $0.heldBytes = 2_000_000
      $0.jobs = 8
      $0.perHost = 8
      $0.hostPatience = .zero
      // The stalled answers end after all others, however slow the machine is.
      ($0.timeout, $0.silenceTimeout) = (300, 300)
      $0.stallInterval = .milliseconds(20)
    }
    #expect(try await store.feeds().allSatisfy { $0.outcome == .updated })
  }

  @Test func `responses of known large articles do not wait for one another`() async throws {
    let text = String(repeating: "<b>large</b> text ", count: 30_000)
    let isSecond = Locked(false)
    let server = try LoopbackHTTPServer { request in
      let items = (0..<6).map { index in
        "<item><guid>\(request.path)-\(index)</guid><description><![CDATA[\(text)]]></description></item>"
      }
      let title = isSecond.withLock { $0 } ? "second" : "first"
      return .ok("<rss version='2.0'><channel><title>\(title)</title>\(items.joined())</channel></rss>")
    }
    defer { server.stop() }
    try await store.add((0..<6).map { server.url("/feed\($0)") })
    for _ in 0..<2 {
      try await store.fetch {
        $0.heldBytes = 100_000
        $0.perHost = 6
        $0.workers = 1
      }
      isSecond.withLock { $0 = true }
    }
    #expect(Set(try await store.articles().map(\.guid)).count == 36)
    #expect(try await store.feeds().allSatisfy { $0.outcome == .unchanged && $0.title == "second" })
  }

  @Test func `many feeds are imported in one run, each article once`() async throws {
    let server = try LoopbackHTTPServer { request in
      .ok(TestFeed.rss(count: 5, prefix: request.path.dropFirst() + "-"))
    }
    defer { server.stop() }
    try await store.add((0..<60).map { server.url("/feed\($0)") })
    try await store.fetch { $0.workers = 3 }
    #expect(Set(try await store.articles().map(\.guid)).count == 300)
    #expect(try await store.feeds().allSatisfy { $0.outcome == .updated && $0.inserted == 5 })
    #expect(server.mostRequestsAtOnce <= 4)
  }

  @Test func `a stopped run keeps saved articles and counts no failures`() async throws {
    let gate = Gate()
    let server = try LoopbackHTTPServer { request in
      let response = ScriptedResponse.ok(TestFeed.rss(count: 1, prefix: request.path))
      return request.path == "/slow" ? response.after(gate) : response
    }
    defer {
      gate.open()
      server.stop()
    }
    try await store.add([server.url("/fast"), server.url("/slow")])
    let importer = FeedImporter(root: store.root, options: ImportOptions(userAgent: "test"))
    let requests = try await store.requests()
    let run = Task { try await importer.run(requests) }
    await server.waitForRequests(2)
    importer.stop()
    _ = try await run.value
    let slow = try #require(try await store.feeds().last)
    #expect(slow.failures == 0 && slow.fetches == 0)
  }

  @Test(arguments: [2, 0])
  func `a feed removed during its poll is reported as removed and stops no other`(
    articles: Int
  ) async throws {
    let server = try LoopbackHTTPServer { request in
      .ok(TestFeed.rss(count: request.path == "/kept" ? 2 : articles, prefix: request.path))
    }
    defer { server.stop() }
    try await store.add([server.url("/kept"), server.url("/deleted")])
    let requests = try await store.requests()
    try await store.perform { (source) throws(StoreError) in
      if let region = try source.region(named: "world") { source.context.delete(region) }
      if let feed = source.context.object(Feed.self, with: requests[1].feed) { source.context.delete(feed) }
    }
    let importer = FeedImporter(root: store.root, options: ImportOptions(userAgent: "test"))
    let end = try await importer.run(requests)
    #expect(Array(end.removed.keys) == [requests[1].feed] && end.unsaved.isEmpty)
    #expect(try await store.articles().map(\.guid) == ["/kept1", "/kept2"])
  }

  @Test func `an item without content is not an article`() async throws {
    let server = try LoopbackHTTPServer { _ in
      .ok("<rss version='2.0'><channel><title>t</title><item/><item><title>a</title></item></channel></rss>")
    }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    try await store.fetch()
    #expect(try await store.articles().map(\.title) == ["a"])
  }

  @Test func `a permanent redirect is polled at its target from then on`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/old" ? .redirect(301, to: "/new") : .ok(TestFeed.rss(count: 1))
    }
    defer { server.stop() }
    try await store.add([server.url("/old")])
    try await store.fetch()
    try await store.fetch()
    #expect(server.requests.map(\.path) == ["/old", "/new", "/new"])
    #expect(try await store.feeds().map(\.url) == [server.url("/old")])
  }

  @Test func `a Retry-After and a 410 are stored`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/gone"
        ? .status(410, "Gone") : .status(429, "Too Many Requests", headers: ["Retry-After: 120"])
    }
    defer { server.stop() }
    try await store.add([server.url("/gone"), server.url("/busy")])
    try await store.fetch()
    let feeds = try await store.feeds()
    #expect(feeds[0].isGone)
    #expect(feeds[1].error == "HTTP 429 (too many requests)")
    let wait = try #require(feeds[1].notBefore).timeIntervalSinceNow
    #expect(wait > 60 && wait <= 120)
  }
}
