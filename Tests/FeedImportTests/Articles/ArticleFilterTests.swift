import FeedParsing
import Foundation
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing

@testable import FeedImport

@Suite struct ArticleFilterTests {
  private static func patterns(_ texts: [String]) -> [ArticleFilter.Pattern] {
    texts.compactMap(ArticleFilter.Pattern.init)
  }

  private static let feed = """
    <rss version="2.0"><channel><title>t</title>
    <item><guid isPermaLink="false">a</guid><title>SPONSORED: Ünsere Wahl</title><link>https://e.org/ads/1</link></item>
    <item><guid isPermaLink="false">b</guid><title>Ferry</title><author>ann@e.org (Ann)</author><category>Ports</category></item>
    <item><guid isPermaLink="false">c</guid><description>no title, sponsored text</description></item>
    </channel></rss>
    """

  @Test(
    arguments: [
      (["title:sponsored"], [], ["b", "c"]), (["title:ÜNSERE"], [], ["b", "c"]),
      (["url:/ADS/"], [], ["b", "c"]),
      (["author:ann"], [], ["a", "c"]), (["author:Ann@E.org"], [], ["a", "c"]),
      (["tag:port"], [], ["a", "c"]),
      (["tag:ports", "title:sponsored"], [], ["c"]), ([], ["tag:ports", "url:ads"], ["a", "b"]),
      (["title:ferry"], ["tag:ports"], []), (["title:nothing of it"], [], ["a", "b", "c"]),
    ] as [([String], [String], [String])])
  func `articles are left out by the content of a field, ignoring case`(
    skip: [String], only: [String], left: [String]
  ) throws {
    let parser = FeedParser(source: DocumentSource())
    try parser.push(Array(Self.feed.utf8))
    _ = try parser.finish()
    let filter = ArticleFilter(skip: Self.patterns(skip), only: Self.patterns(only))
    var rows = ArticleRows(
      feed: ManagedObjectID(entity: 1, store: .none, key: 7), known: KnownArticles(),
      now: .init(timeIntervalSince1970: 0),
      filter: filter)
    let guids = try rows.rows(of: parser.takeItems()).flatMap { batch in
      (0..<batch.rows.count).map { batch.rows.value(row: $0, column: 1, model: NewsModel.model) }
    }
    #expect(guids == left.map { .text($0) })
    #expect(rows.counts.skipped == 3 - left.count && rows.counts.inserted == left.count)
  }

  @Test(arguments: ["sponsored", "titel:x", "title:", ":x", ""])
  func `a pattern without a known field or without a text is refused`(words: String) {
    #expect(ArticleFilter.Pattern(words) == nil)
    #expect(ArticleFilter(skip: [], only: []) == nil)
  }

  @Test func `a feed's result contains the number of articles left out`() async throws {
    let store = try NewsStore()
    let server = try LoopbackHTTPServer { _ in .ok(Self.feed) }
    defer { server.stop() }
    try await store.add([server.url("/feed")])
    let filter = ArticleFilter(skip: Self.patterns(["title:sponsored"]), only: [])
    var selection = ImportSelection()
    for feed in try await store.feedIDs() { selection.settings[feed] = .init(filter: filter) }
    let report = try await store.importNews(selection)
    #expect(try await store.results(of: report).map { $0?.skipped } == [1])
    #expect(try await store.articles().map(\.guid) == ["b", "c"])
  }
}
