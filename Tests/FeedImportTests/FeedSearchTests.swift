import FeedParsing
import Testing

@testable import FeedImport
import WebAddress

@Suite struct FeedSearchTests {
  private static let home = "https://example.org/blog/"

  /// Returns the addresses requested, in order, if they answer with `answers`. All others are missing.
  private func run(
    _ answers: [String: FeedSearch.Answer], from home: String = home
  ) -> (asked: [String], result: Discovery) {
    var search = FeedSearch(WebAddress(home))
    var asked: [String] = []
    while let url = search.next?.text {
      asked.append(url)
      search.take(answers[url] ?? .failed(.init(cause: "HTTP 404 (not found)", status: 404)))
    }
    return (asked, search.result)
  }

  private func feed(_ url: String) -> FeedSearch.Answer {
    .feed(FoundFeed(address: WebAddress(url), title: nil, format: .rss20, items: 1, timeToLiveMinutes: nil))
  }

  private func page(_ links: [String], isDeclared: Bool = true) -> FeedSearch.Answer {
    .page(
      looksLike: "an HTML page", address: WebAddress(Self.home),
      links: links.map { FeedLink(url: $0, isDeclared: isDeclared) })
  }

  private func cause(_ result: Discovery) -> String? {
    if case .failure(let failure) = result.outcome { failure.cause } else { nil }
  }

  private func kind(_ result: Discovery) -> Discovery.Failure.Kind? {
    if case .failure(let failure) = result.outcome { failure.kind } else { nil }
  }

  @Test func `a feed is found with one request`() {
    let (asked, result) = run([Self.home: feed(Self.home)])
    #expect(asked == [Self.home])
    #expect(result.requests == 1)
    #expect(cause(result) == nil)
  }

  @Test func `a known site's feed is requested first, and its page if the feed does not exist`() {
    let (page, feed) = ("https://social.example/@ann", "https://social.example/@ann.rss")
    #expect(run([feed: self.feed(feed)], from: page).asked == [feed])
    let missing = run([page: self.page(["https://social.example/f"])], from: page)
    #expect(missing.asked == [feed, page, "https://social.example/f"])
    let other = run([feed: self.page([]), page: self.feed(page)], from: page)
    #expect(other.asked == [feed, page])
  }

  @Test(arguments: [nil, 429]) func `a known site's page is not requested if the server cannot answer`(
    status: Int?
  ) {
    let (page, feed) = ("https://social.example/@ann", "https://social.example/@ann.rss")
    let (asked, result) = run([feed: .failed(.init(cause: "no", status: status))], from: page)
    #expect(asked == [feed])
    #expect(cause(result) == "\(feed): no")
  }

  @Test func `the first three links of a page are tried until one is a feed, and nothing is guessed`() {
    let links = (1...5).map { "https://example.org/\($0)" }
    let none = run([Self.home: page(links)])
    #expect(none.asked == [Self.home] + links.prefix(3))
    #expect(kind(none.result) == .unavailable)
    let second = run([Self.home: page(links), links[0]: .unusable("cut off"), links[1]: feed(links[1])])
    #expect(second.asked == [Self.home] + links.prefix(2))
    #expect(second.result.others.map(\.url) == Array(links.suffix(3)))
  }

  @Test func `a link to another page is not followed further`() {
    let links = ["https://example.org/1"]
    let (asked, result) = run([Self.home: page(links), links[0]: page(["https://example.org/2"])])
    #expect(asked == [Self.home] + links)
    #expect(kind(result) == .noFeed)
    #expect(
      cause(result)
        == "an HTML page, and the feed that it links to is of no use: https://example.org/1: not a feed: an HTML page"
    )
  }

  @Test func `without a link the usual paths are tried at the root of the site`() {
    let usual = FeedSearch.usualPaths.map { "https://example.org" + $0 }
    let none = run([Self.home: page([])])
    #expect(none.asked == [Self.home] + usual)
    #expect(kind(none.result) == .noFeed)
    let third = run([Self.home: page([]), usual[2]: feed(usual[2])])
    #expect(third.asked == [Self.home] + usual.prefix(3))
  }

  @Test func `at most eight addresses are requested, each once`() {
    let links = [
      "https://example.org/feed", "https://example.org/b.rss", "https://example.org/c.rss", Self.home,
    ]
    let (asked, _) = run([Self.home: page(links, isDeclared: false)])
    #expect(asked.count == FeedSearch.mostRequests)
    #expect(Set(asked).count == asked.count)
    #expect(asked.prefix(4) == [Self.home] + links.prefix(3))
  }

  @Test(arguments: [nil, 429, 503]) func `a server that cannot answer gets no further request`(status: Int?) {
    let failure = FeedSearch.Answer.failed(.init(cause: "no", status: status))
    #expect(run([Self.home: failure]).asked.count == 1)
    #expect(run([Self.home: page([]), "https://example.org/feed": failure]).asked.count == 2)
    let links = ["https://example.org/1", "https://example.org/2", "https://other.example/3"]
    #expect(run([Self.home: page(links), links[0]: failure]).asked == [Self.home, links[0], links[2]])
  }

  @Test func `an address that cannot be requested is skipped`() {
    let links = ["https://user name@example.org/\u{A0}", "ftp://example.org/f", "https://example.org/f"]
    let (asked, result) = run([Self.home: page(links), links[2]: feed(links[2])])
    #expect(asked == [Self.home, links[2]])
    #expect(result.others == [])
  }

  @Test func `the error for a missing address contains advice`() {
    let (_, result) = run([:])
    #expect(
      result.outcome
        == .failure(.init(kind: .unavailable, cause: "HTTP 404 (not found)", advice: "check the address")))
  }
}
