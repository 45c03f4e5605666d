import ArticleDocuments
import ManagedContext
import NewsModel
import TestSupport
import Testing

@Suite struct FeedRegionsTests {
  @Test func `the regions of a page's feeds are read together`() async throws {
    let store = try NewsStore()
    try await store.add(["https://a.example/", "https://b.example/", "https://c.example/"])
    let parent = CountingParent(store.root)
    let source = DataSource(ManagedObjectContext(parent: parent))
    let feeds = try source.context.fetch(FetchRequest(Feed.self))
    func queries(_ feeds: [Feed], ofPage page: [Feed]) throws -> Int {
      let before = parent.count
      let regions = FeedRegions(source)
      regions.begin(page)
      for feed in feeds { #expect(regions.names(of: feed).recordText == "[\"world\"]") }
      try regions.check()
      return parent.count - before
    }
    let ofOne = try queries([feeds[0]], ofPage: [])
    #expect(try queries(feeds, ofPage: feeds) == ofOne)
    #expect(try queries(feeds, ofPage: []) == 3 * ofOne)
  }
}
