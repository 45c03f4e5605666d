@testable import FeedImport
import Foundation
import LoopbackServer
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing
import Threading
import WebAddress

/// The identity of articles when a feed moves, when several share an identifier, and when the program hashes more
/// fields.
@Suite struct MovedArticlesTests {
  private let store: NewsStore
  private let answers = Locked<[String: ScriptedResponse]>([:])

  init() throws {
    store = try NewsStore()
  }

  private func server() throws -> LoopbackHTTPServer {
    let answers = answers
    return try LoopbackHTTPServer { request in
      answers.withLock { $0[request.path] } ?? .status(404, "Not Found")
    }
  }

  private func answer(_ path: String, _ response: ScriptedResponse) {
    answers.withLock { $0[path] = response }
  }

  private static func feed(_ items: [String]) -> ScriptedResponse {
    .ok("<rss version='2.0'><channel><title>T</title>\(items.joined())</channel></rss>")
  }

  /// Returns an item of the first days of February 2010.
  private static func item(guid: String? = nil, link: String? = nil, _ title: String, day: Int) -> String {
    let guid = guid.map { "<guid isPermaLink='false'>\($0)</guid>" } ?? ""
    let link = link.map { "<link>\($0)</link>" } ?? ""
    let date = "<pubDate>\(day) Feb 2010 17:23:16 GMT</pubDate>"
    return
      "<item>\(guid)\(link)<title>\(title)</title>\(date)<description>About \(title)</description></item>"
  }

  private func titles() async throws -> [String?] {
    try await store.articles().map(\.title).sorted { $0 ?? "" < $1 ?? "" }
  }

  private func edits() async throws -> Int { try await store.articles().reduce(0) { $0 + $1.edits } }

  @Test func `articles with one link stay separate, whatever later documents contain`() async throws {
    let server = try server()
    defer { server.stop() }
    try await store.add([server.url("/status")])
    func document(_ days: [Int]) -> ScriptedResponse {
      Self.feed(days.map { Self.item(link: "https://status.example/", "incident \($0)", day: $0) })
    }
    // One item alone with its link, then together with the others.
    for days in [[1], [2, 1], [3, 2, 1], [9, 8, 3], [9, 8, 3], [3]] {
      answer("/status", document(days))
      try await store.fetch()
    }
    #expect(try await titles() == [1, 2, 3, 8, 9].map { "incident \($0)" })
    #expect(try await edits() == 0)
  }

  @Test func `an edit of an article that shares its guid affects that article`() async throws {
    let server = try server()
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    let items = [2, 1].map { Self.item(guid: "g", "Title \($0)", day: $0) }
    answer("/feed", Self.feed(items))
    try await store.fetch()
    answer("/feed", Self.feed([items[0], items[1].replacing("About", with: "More about")]))
    try await store.fetch()
    let articles = try await store.articles()
    #expect(articles.count == 2)
    #expect(articles.map { "\($0.title ?? "") \($0.edits)" }.sorted() == ["Title 1 1", "Title 2 0"])
  }

  @Test(arguments: [301, 302])
  func `articles identified by their links are not imported again from another host`(status: Int) async throws
  {
    let (home, mirror) = (try server(), try server())
    defer {
      home.stop()
      mirror.stop()
    }
    try await store.add([home.url("/feed")])
    func items(_ days: ClosedRange<Int>) -> [String] {
      days.reversed().map { Self.item(link: "/2010/\($0).html", "Title \($0)", day: $0) }
    }
    answer("/feed", Self.feed(items(1...5)))
    try await store.fetch()
    answer("/feed", .redirect(status, to: mirror.url("/moved")))
    answer("/moved", Self.feed(items(1...6)))
    try await store.fetch()
    #expect(try await titles().count == 6)
    #expect(try await edits() == 0)
    // Their links lead to the current host.
    #expect(try await store.articles().allSatisfy { $0.url?.hasPrefix(mirror.url("/")) == true })
    // Back at the first host, with a real edit.
    answer("/feed", Self.feed(items(1...6).map { $0.replacing("About Title 2", with: "Edited") }))
    try await store.fetch()
    if status == 302 {
      #expect(try await titles().count == 6)
      #expect(try await edits() == 1)
    }
  }

  @Test
  func `articles identified by their links are not imported again when the site changes to https`()
    async throws
  {
    let server = try server()
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    for scheme in ["http", "https"] {
      answer(
        "/feed",
        Self.feed((1...3).map { Self.item(link: "\(scheme)://a.example/\($0)", "Title \($0)", day: $0) }))
      try await store.fetch()
    }
    #expect(try await titles().count == 3)
    #expect(try await edits() == 0)
    #expect(try await store.articles().allSatisfy { $0.url?.hasPrefix("https:") == true })
  }

  @Test func `a redirect to another feed with the same guids overwrites nothing`() async throws {
    let server = try server()
    defer { server.stop() }
    try await store.add([server.url("/blog"), server.url("/main")])
    answer(
      "/blog",
      Self.feed(
        (1...5).map { Self.item(guid: "\($0)", link: "https://blog.example/\($0)", "blog \($0)", day: $0) }))
    answer(
      "/main",
      Self.feed(
        (1...3).map { Self.item(guid: "\($0)", link: "https://main.example/\($0)", "main \($0)", day: $0) }))
    try await store.fetch()
    try await store.perform { (source) throws(StoreError) in
      _ = try source.setMark(.starred, true, where: \.title == "blog 1")
    }
    answer("/blog", .redirect(301, to: "/main"))
    let start = Date()
    for day in 1...3 {
      store.clock.set(start.addingTimeInterval(Double(day) * 86400))
      try await store.fetch()
    }
    #expect(try await edits() == 0)
    let all = (1...5).map { "blog \($0)" } + (1...3).map { "main \($0)" }
    #expect(try await Set(titles().compactMap(\.self)) == Set(all))
    let feed = try #require(try await store.feedIDs().first)
    let moves = try await FeedMoves.settle([feed], by: store.deletion())
    #expect(moves.map(\.lostArticles) == [0])
    #expect(try await titles() == all)
    #expect(try await edits() == 0)
    let starred = try await store.perform { (source) throws(StoreError) in
      try source.context.fetch(FetchRequest(Article.self, where: ArticleMark.starred.articles)).map(\.title)
    }
    #expect(starred == ["blog 1"])
    // The articles also stay the same after the next fetch.
    try await store.fetch()
    #expect(try await titles() == all)
    #expect(try await edits() == 0)
  }

  @Test(arguments: [301, 302])
  func `the numbers of two feeds stay separate after an edit and after the redirect ends`(
    status: Int
  ) async throws {
    let server = try server()
    defer { server.stop() }
    try await store.add([server.url("/a")])
    func document(_ name: String, _ numbers: ClosedRange<Int>, _ mark: String = "") -> ScriptedResponse {
      Self.feed(
        numbers.reversed().map {
          Self.item(guid: "\($0)", link: "https://\(name).example/\($0)", "\(name) \($0)\(mark)", day: $0)
        })
    }
    answer("/a", document("a", 1...3))
    try await store.fetch()
    answer("/a", .redirect(status, to: "/b"))
    answer("/b", document("b", 1...3))
    // The permanent redirect becomes the feed's address.
    let start = Date()
    for day in 1...4 {
      store.clock.set(start.addingTimeInterval(Double(day) * 86400))
      try await store.fetch()
      _ = try await FeedMoves.settle(try await store.feedIDs(), by: store.deletion())
    }
    #expect(try await titles() == [1, 2, 3].map { "a \($0)" } + [1, 2, 3].map { "b \($0)" })
    answer("/b", document("b", 1...4, " corrected"))
    try await store.fetch()
    let corrected = (1...4).map { "b \($0) corrected" }
    #expect(try await titles() == [1, 2, 3].map { "a \($0)" } + corrected)
    #expect(try await edits() == 3)
    answer("/a", document("a", 1...5))
    try await store.fetch()
    #expect(try await titles() == (1...(status == 302 ? 5 : 3)).map { "a \($0)" } + corrected)
    #expect(try await edits() == 3)
  }

  @Test func `a deleted article overwrites no other one with its number`() async throws {
    let server = try server()
    defer { server.stop() }
    try await store.add([server.url("/a")])
    for name in ["a", "b"] {
      answer(
        "/\(name)",
        Self.feed([Self.item(guid: "1", link: "https://\(name).example/1", "\(name) 1", day: 1)]))
    }
    try await store.fetch()
    answer("/a", .redirect(301, to: "/b"))
    let start = Date()
    for day in 1...4 {
      store.clock.set(start.addingTimeInterval(Double(day) * 86400))
      try await store.fetch()
      _ = try await FeedMoves.settle(try await store.feedIDs(), by: store.deletion())
    }
    let deleted = try await store.perform { (source) throws(StoreError) in
      let rows = try source.context.rows(
        FetchRequest(Article.self, where: \.title == "b 1"), columns: [Article.schema.guid.index])
      return (0..<rows.count).map { RowVersion(id: rows.id(row: $0), version: rows.versions[$0]) }
    }
    _ = try await store.deletion().delete(deleted, at: start)
    #expect(try await titles() == ["a 1"])
    answer(
      "/b",
      Self.feed([
        Self.item(guid: "2", link: "https://b.example/2", "b 2", day: 2),
        Self.item(guid: "1", link: "https://b.example/1", "b 1", day: 1),
      ]))
    try await store.fetch()
    #expect(try await titles() == ["a 1", "b 2"])
    #expect(try await edits() == 0)
  }

  @Test func `a single article in a document is distinct from the others of a feed with one guid`()
    async throws
  {
    let server = try server()
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    for days in [[1], [2, 1], [3, 2, 1], [4], [5], [4]] {
      answer(
        "/feed",
        Self.feed(
          days.map { Self.item(guid: "g", link: "https://a.example/\($0)", "Title \($0)", day: $0) }))
      try await store.fetch()
    }
    #expect(try await titles() == (1...5).map { "Title \($0)" })
    #expect(try await edits() == 0)
    answer("/feed", Self.feed([Self.item(guid: "g", link: "https://a.example/5", "Another title", day: 5)]))
    try await store.fetch()
    #expect(try await titles() == ["Another title"] + (1...4).map { "Title \($0)" })
  }

  @Test func `an edit of an article whose feed has moved is an edit`() async throws {
    let server = try server()
    defer { server.stop() }
    try await store.add([server.url("/old")])
    let item = Self.item(guid: "1", link: "https://a.example/1", "Title", day: 1)
    answer("/old", Self.feed([item]))
    try await store.fetch()
    answer("/old", .redirect(301, to: "/new"))
    answer("/new", Self.feed([item.replacing(">Title<", with: ">Another title<")]))
    try await store.fetch()
    #expect(try await titles() == ["Another title"])
    #expect(try await edits() == 1)
  }

  @Test func `a feed merged with one that is gone is polled again`() async throws {
    let server = try server()
    defer { server.stop() }
    try await store.add([server.url("/old"), server.url("/new")])
    answer("/old", Self.feed([Self.item(guid: "1", "Title", day: 1)]))
    answer("/new", .status(410, "Gone"))
    try await store.fetch()
    #expect(try await store.feeds().map(\.isGone) == [false, true])
    let feed = try #require(try await store.feedIDs().first)
    _ = try await FeedMoves.rename(feed, to: WebAddress(server.url("/new")), by: store.deletion())
    let left = try await store.feeds()
    #expect(left.map(\.url) == [server.url("/new")])
    #expect(left.map(\.isGone) == [false] && left.map(\.failures) == [0] && left.map(\.nextFetch) == [nil])
  }

  @Test func `articles deleted during the fetch of their feed do not return`() async throws {
    let server = try server()
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    func items(_ text: String) -> [String] {
      (1...9).map { Self.item(guid: "\($0)", "Title \($0)\(text)", day: $0) }
    }
    answer("/feed", Self.feed(items("")))
    try await store.fetch()
    let feed = try #require(try await store.feedIDs().first)
    // The response is parsed before the deletion, and saved after it.
    answer("/feed", Self.feed(items(" edited") + [Self.item(guid: "new", "New", day: 10)]))
    let store = store
    try await store.fetch { options in
      options.random = {
        // Called when the answer is complete, before it is saved.
        Self.prune(feed, in: store)
        return 0
      }
    }
    #expect(try await titles() == ["New", "Title 9 edited"])
  }

  /// Deletes all but the newest article of a feed.
  private static func prune(_ feed: ManagedObjectID, in store: NewsStore) {
    do {
      let coordinator = PersistentStoreCoordinator(model: NewsModel.model, store: store.store)
      let context = ManagedObjectContext(parent: coordinator)
      let selection = try Pruning(feed: feed, retention: Retention(count: 1), now: Date())
        .selection(in: context)
      let ids = selection.articles.map(\.id)
      context.insert(
        Pruning.tombstones(
          of: try context.rows(
            FetchRequest(Article.self, where: .ids(ids)),
            columns: [Article.schema.feed.index, Article.schema.guid.index]), at: Date()))
      context.deleteAll(BatchDelete(entity: NewsModel.Place.article, predicate: .ids(ids)))
      try context.save()
    } catch {
      Issue.record(error)
    }
  }
}
