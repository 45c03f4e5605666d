import FeedParsing
import Testing

@Suite struct FeedLinkRankingTests {
  private static let page = "https://www.example.org/blog/"

  private func ranked(_ links: [FeedLink], of page: String? = Self.page) -> [String] {
    FeedLink.ranked(links, of: page).map(\.url)
  }

  @Test func `the page's order is kept among equal links`() {
    let urls = [
      "https://example.org/atom.xml", "https://example.org/rss.xml", "https://example.org/feed.json",
    ]
    #expect(ranked(urls.map { FeedLink(url: $0) }) == urls)
  }

  private static let pairs: [(better: FeedLink, worse: FeedLink)] = [
    (FeedLink(url: "https://example.org/f"), FeedLink(url: "https://other.example/f")),
    (FeedLink(url: "https://feeds.example.org/f"), FeedLink(url: "https://other.example/f")),
    (FeedLink(url: "https://example.org/feed/"), FeedLink(url: "https://example.org/comments/feed/")),
    (
      FeedLink(url: "https://e.org/f"),
      FeedLink(url: "https://example.org/g", title: "Blog \u{BB} Kommentar-Feed")
    ),
    (FeedLink(url: "https://example.org/f"), FeedLink(url: "https://example.org/g", title: "Comentarios")),
    (FeedLink(url: "https://example.org/f"), FeedLink(url: "https://example.org/tag/x/feed")),
    (
      FeedLink(url: "https://e.org/f"),
      FeedLink(url: "https://example.org/x", title: "Blog \u{BB} News Category Feed")
    ),
    (FeedLink(url: "https://e.org/f"), FeedLink(url: "https://example.org/f", isDeclared: false)),
    (
      FeedLink(url: "https://example.org/tag/x/feed", isDeclared: false),
      FeedLink(url: "https://example.org/g?comments=1")
    ),
    (FeedLink(url: "https://comments.example/f"), FeedLink(url: "https://comments.example/comments")),
  ]

  @Test(arguments: pairs) func `the feed that a reader wants is first`(better: FeedLink, worse: FeedLink) {
    #expect(ranked([worse, better]) == [better.url, worse.url])
    #expect(ranked([better, worse]) == [better.url, worse.url])
  }

  @Test func `addresses with small differences are one`() {
    let links = [
      "https://example.org/feed/", "http://example.org/feed", "https://WWW.example.org/feed",
      "https://example.org/Feed",
      "https://example.org/feed?x", "http://user@example.org/feed/",
    ]
    #expect(
      ranked(links.map { FeedLink(url: $0) })
        == ["https://example.org/feed/", "https://example.org/Feed", "https://example.org/feed?x"])
  }

  @Test func `relative addresses and pages without one are ranked too`() {
    #expect(ranked([FeedLink(url: "/comments"), FeedLink(url: "/f")], of: nil) == ["/f", "/comments"])
    #expect(ranked([], of: nil) == [])
  }
}
