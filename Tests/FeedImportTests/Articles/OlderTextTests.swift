import Foundation
import LoopbackServer
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing
import Threading

@testable import FeedImport

/// Documents that are older than the store by the times that they state: their texts become versions, and are no edits.
@Suite struct OlderTextTests {
  private let store: NewsStore
  private let server: LoopbackHTTPServer
  private let document = Locked("")
  /// The time of the first fetch.
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)

  init() async throws {
    store = try NewsStore()
    store.clock.set(Self.start)
    let document = document
    server = try LoopbackHTTPServer { _ in .ok(document.withLock { $0 }) }
    try await store.add([server.url("/feed")])
  }

  /// Returns a date some hours before the first fetch.
  private static func date(_ hours: Double) -> Date { start.addingTimeInterval(-hours * 3600) }

  private static func atom(_ title: String, updated hours: Double, body: String = "") -> String {
    """
    <feed xmlns="http://www.w3.org/2005/Atom"><title>f</title><id>urn:f</id><updated>\(date(hours).ISO8601Format())</updated>
    <entry><id>urn:1</id><title>\(title)</title><updated>\(date(hours).ISO8601Format())</updated>
    <published>\(date(1000).ISO8601Format())</published><content>\(body.isEmpty ? "The text of \(title)" : body)</content></entry></feed>
    """
  }

  private static func rss(
    _ title: String, built hours: Double?, published: Double = 1000, body: String = ""
  ) -> String {
    let built = hours.map { "<lastBuildDate>\(date($0).ISO8601Format())</lastBuildDate>" } ?? ""
    return """
      <rss version="2.0"><channel><title>f</title>\(built)<item><guid isPermaLink="false">1</guid><title>\(title)</title>
      <pubDate>\(date(published).ISO8601Format())</pubDate><description>\(body.isEmpty ? "The text of \(title)" : body)</description>
      </item></channel></rss>
      """
  }

  /// Fetches a document, some days after the first one.
  private func fetch(_ text: String, day: Double = 0) async throws {
    document.withLock { $0 = text }
    store.clock.set(Self.start.addingTimeInterval(day * 86_400))
    try await store.fetch()
  }

  /// The current title, the number of edits, and the titles of the versions with the first words of their texts.
  private func state() async throws -> [String] {
    let article = try #require(try await store.articles().first)
    let rows = try store.store.fetch(StoreQuery(entity: NewsModel.Place.article, columns: []))
    let id = ManagedObjectID(entity: NewsModel.Place.article, store: store.store.number, key: rows.keys[0])
    let versions = try store.store.versions(of: id).map { version in
      let values = try store.store.values(ofVersion: version.number, of: id)
      return [values[0], values[1], values[2]].compactMap { value in
        if case .text(let text) = value { text } else { nil }
      }.joined(separator: ": ")
    }
    return ["\(article.title ?? "") \(article.edits)"] + versions
  }

  @Test func `an entry with an earlier time becomes a version, once`() async throws {
    defer { server.stop() }
    try await fetch(Self.atom("corrected", updated: 1))
    for _ in 0..<2 {
      try await fetch(Self.atom("first", updated: 90))
      #expect(try await state() == ["corrected 0", "first: The text of first"])
      try await fetch(Self.atom("corrected", updated: 1))
    }
    let token = try #require(try store.store.currentHistoryToken())
    try await fetch(Self.atom("second", updated: 80))
    #expect(try await state() == ["corrected 0", "first: The text of first", "second: The text of second"])
    let changes = try store.store.followedHistory(after: token, limit: 10).transactions
    #expect(
      changes.allSatisfy { $0.changes.updated.keys.allSatisfy { $0.entity != NewsModel.Place.article } })
    try await fetch(Self.atom("newest", updated: 0))
    #expect(
      try await state() == [
        "newest 1", "first: The text of first", "second: The text of second",
        "corrected: The text of corrected",
      ])
  }

  @Test func `a document with an earlier time has older texts of articles without times`() async throws {
    defer { server.stop() }
    try await fetch(Self.rss("corrected", built: 1))
    try await fetch(Self.rss("first", built: 90))
    #expect(try await state() == ["corrected 0", "first: The text of first"])
    try await fetch(Self.rss("newest", built: 0.5))
    #expect(try await state().first == "newest 1")
  }

  /// A document that states the date of its newest article, as many programs write it.
  private static func list(_ titles: [(String, hours: Double)]) -> String {
    let items = titles.map { title, hours in
      """
      <item><guid isPermaLink="false">\(hours)</guid><title>\(title)</title><description>The text of \(title)</description>
      <pubDate>\(date(hours).ISO8601Format())</pubDate></item>
      """
    }
    let built = date(titles.map(\.hours).min() ?? 0).ISO8601Format()
    return """
      <rss version="2.0"><channel><title>f</title><lastBuildDate>\(built)</lastBuildDate>\(items.joined())</channel></rss>
      """
  }

  @Test func `a correction beside a withdrawn article is an edit, and a text from before is none`()
    async throws
  {
    defer { server.stop() }
    try await fetch(Self.list([("first", 50)]))
    try await fetch(Self.list([("second", 50), ("news", 10)]))
    try await fetch(Self.list([("first", 50)]), day: 1)
    let titles = { [store] in try await store.articles().map { "\($0.title ?? "") \($0.edits)" }.sorted() }
    #expect(try await titles() == ["news 0", "second 1"])
    try await fetch(Self.list([("corrected", 50)]), day: 2)
    #expect(try await titles() == ["corrected 2", "news 0"])
  }

  @Test func `the newest article of a document may be in another part of it`() {
    func age(after newest: Int64?, isAnswer: Bool = true) -> StatedTime.Age {
      StatedTime(document: 1000, dates: [900], after: newest, at: 5000, isAnswer: isAnswer)
        .age(modified: nil, than: nil, stated: 2000)
    }
    #expect(age(after: nil) == .older && age(after: 950) == .older)
    #expect(age(after: 1000) == .doubtful && age(after: 1000, isAnswer: false) == .older)
  }

  @Test func `an edit has its own text in the history, also after an older one came`() async throws {
    defer { server.stop() }
    try await fetch(Self.atom("ten", updated: 90))
    let before = try #require(try store.store.currentHistoryToken())
    try await fetch(Self.atom("twelve", updated: 70))
    let edit = try #require(try store.store.followedHistory(after: before, limit: 10).transactions.first)
    let article = try #require(edit.changes.updated.keys.first { $0.entity == NewsModel.Place.article })
    let replaced = { [store] in
      try store.store.replacedValues(of: [article], in: edit.token.number)[article]?.values.first {
        $0.attribute == Article.schema.title.index
      }.map { [$0.old, $0.new] }
    }
    #expect(try replaced() == [.text("ten"), .text("twelve")])
    try await fetch(Self.atom("eleven", updated: 80, body: "other"))
    #expect(try await state().count == 3)
    #expect(try replaced() == [.text("ten"), .text("twelve")])
  }

  @Test func `a document that is older than an article's own time has older texts and dates of it`()
    async throws
  {
    defer { server.stop() }
    let first = Self.rss("first", built: 90)
    try await fetch(first)
    let change =
      "<atom:updated xmlns:atom=\"http://www.w3.org/2005/Atom\">\(Self.date(1).ISO8601Format())</atom:updated>"
    try await fetch(Self.rss("corrected", built: 1).replacing("<pubDate>", with: change + "<pubDate>"))
    try await fetch(first)
    #expect(try await state() == ["corrected 1", "first: The text of first"])
  }

  @Test func `a date alone is a correction in a newer document, and none in an older one`() async throws {
    defer { server.stop() }
    try await fetch(Self.rss("one", built: 9, published: 100))
    try await fetch(Self.rss("one", built: 8, published: 200))
    #expect(try await store.articles().first?.published == Self.date(200))
    try await fetch(Self.rss("one", built: 8.5, published: 100))
    #expect(try await store.articles().first?.published == Self.date(200))
  }

  private static func rdf(_ title: String, _ hours: Double) -> String {
    """
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
      xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>f</title></channel>
    <item rdf:about="https://a.example/1"><title>\(title)</title><link>https://a.example/1</link>
    <dc:date>\(date(hours).ISO8601Format())</dc:date><description>The text of \(title)</description></item></rdf:RDF>
    """
  }

  @Test func `a date of any kind may be that of the last change`() async throws {
    defer { server.stop() }
    try await fetch(Self.rdf("corrected", 1))
    try await fetch(Self.rdf("first", 90))
    #expect(try await state() == ["corrected 0", "first: The text of first"])
  }

  @Test func `versions from before an older text keep their values`() async throws {
    defer { server.stop() }
    try await fetch(Self.rss("one", built: 9, body: "Body"))
    try await fetch(Self.rss("two", built: 8, body: "Body"))
    try await fetch(Self.rss("three", built: 20, body: "Other"))
    #expect(try await state() == ["two 1", "one: Body", "three: Other"])
    try await fetch(Self.rss("four", built: 7, body: "Body"))
    #expect(try await state() == ["four 2", "one: Body", "three: Other", "two: Body"])
  }

  @Test func `an edit that leaves the time as it was is an edit`() async throws {
    defer { server.stop() }
    try await fetch(Self.atom("one", updated: 5))
    try await fetch(Self.atom("two", updated: 5))
    #expect(try await state().first == "two 1")
    try await fetch(Self.atom("three", updated: 4))
    #expect(try await state().first == "three 2")
  }

  @Test func `without a time in both documents, the last text is the current one`() async throws {
    defer { server.stop() }
    for (edits, built) in ([nil, 3, nil, 9, nil] as [Double?]).enumerated() {
      try await fetch(Self.rss("title \(edits)", built: built))
      #expect(try await state().first == "title \(edits) \(edits)")
    }
  }

  @Test func `a time before the dates of the articles is wrong`() async throws {
    defer { server.stop() }
    try await fetch(Self.rss("one", built: 1, published: 100))
    // The publisher's new program states the same time for ever.
    try await fetch(Self.rss("two", built: 9000, published: 100))
    #expect(try await state().first == "two 1")
  }

  @Test func `a time in the future is no reason to keep a text`() async throws {
    defer { server.stop() }
    try await fetch(Self.rss("one", built: -9000))
    try await fetch(Self.rss("two", built: 1))
    #expect(try await state().first == "two 1")
    try await fetch(Self.atom("three", updated: -9000))
    try await fetch(Self.atom("four", updated: 1))
    #expect(try await store.articles().map(\.title).contains("four"))
  }

  @Test func `a server that states an earlier time for a month is believed`() async throws {
    defer { server.stop() }
    try await fetch(Self.rss("one", built: 1))
    try await fetch(Self.rss("two", built: 500), day: 20)
    #expect(try await state().first == "one 0")
    // Another document, because the same one is not read again.
    try await fetch(Self.rss("two", built: 499), day: 31)
    #expect(try await state().first == "two 1")
  }

  @Test func `a corrected time lets later edits be edits`() async throws {
    defer { server.stop() }
    try await fetch(Self.atom("one", updated: 1))
    try await fetch(Self.atom("one", updated: 480))
    try await fetch(Self.atom("two", updated: 400))
    #expect(try await state().first == "two 1")
  }
}
