import ArticleDocuments
import Foundation
import GRDB
import LoopbackServer
import ManagedContext
import ManagedContextTesting
import NewsModel
import TestSupport
import Testing

/// The field `regions` of articles.
@Suite struct FeedRegionsTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private func fetch(feeds: Int) async throws {
    let server = try LoopbackHTTPServer { .ok(TestFeed.rss(count: 2, prefix: $0.path)) }
    defer { server.stop() }
    let urls = (0..<feeds).map { server.url("/\($0)") }
    _ = try await newsimport.run(["region", "add", "all"] + urls)
    let thirds = urls.enumerated().filter { $0.offset.isMultiple(of: 3) }.map(\.element)
    _ = try await newsimport.run(["region", "add", "third"] + thirds)
    _ = try await newsimport("fetch", "--all", "-q")
  }

  @Test func `each article has the regions of its feed, however many feeds there are`() async throws {
    try await fetch(feeds: 25)
    let rows = try await newsimport("list", "--fields", "feed,regions", "--copies").out.split(separator: "\n")
    #expect(rows.count == 50)
    for row in rows {
      let feed = try #require(row.firstMatch(of: #//(\d+)\t/#)?.output.1)
      let isThird = try #require(Int(feed)).isMultiple(of: 3)
      #expect(row.hasSuffix(isThird ? "\t[\"all\",\"third\"]" : "\t[\"all\"]"), "\(row)")
    }
  }

  @Test(arguments: [1, 25])
  func `regions that cannot be read are a failure`(feeds: Int) async throws {
    try await fetch(feeds: feeds)
    _ = try await newsimport("store", "index")
    let (size, pages) = try await DatabaseQueue(path: newsimport.store).read { db in
      (
        try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0,
        try Int.fetchAll(db, sql: "SELECT rootpage FROM sqlite_master WHERE tbl_name = 'membership'")
      )
    }
    let url = URL(fileURLWithPath: newsimport.store)
    var bytes = try Data(contentsOf: url)
    for page in pages { for place in (page - 1) * size..<page * size { bytes[place] = 0x55 } }
    try bytes.write(to: url)
    for command in [["list", "--json"], ["search", "--json", "title"], ["show", "--json", "1"]] {
      let run = try await newsimport.run(command)
      #expect(run.status == 65 && run.err.hasPrefix("newsimport: \(newsimport.store)"), "\(command): \(run)")
      #expect(run.out.contains("\"regions\":[]"))
    }
    #expect(try await newsimport("list", "--fields", "title").status == 0)
  }

  @Test func `the regions of a page's feeds are read together`() async throws {
    let store = try NewsStore()
    try await store.add(["https://a.example/", "https://b.example/", "https://c.example/"])
    let counting = TestStore(store.store)
    let coordinator = PersistentStoreCoordinator(model: NewsModel.model, store: counting)
    let source = DataSource(ManagedObjectContext(parent: coordinator))
    let feeds = try source.context.fetch(FetchRequest(Feed.self))
    func queries(_ feeds: [Feed], ofPage page: [Feed]) throws -> Int {
      let before = counting.readCount()
      let regions = FeedRegions(source)
      regions.begin(page)
      for feed in feeds { #expect(regions.names(of: feed).recordText == "[\"world\"]") }
      try regions.check()
      return counting.readCount() - before
    }
    let ofOne = try queries([feeds[0]], ofPage: [])
    #expect(try queries(feeds, ofPage: feeds) == ofOne)
    #expect(try queries(feeds, ofPage: []) == 3 * ofOne)
  }
}
