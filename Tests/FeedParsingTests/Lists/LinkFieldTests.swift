import Testing

@testable import FeedParsing

/// Feeds in the Link field of an answer.
@Suite struct LinkFieldTests {
  private func links(_ field: String, page: String = "<p>hi") -> [FeedLink] {
    FeedLink.all(in: Array(page.utf8), from: DocumentSource(url: "https://h.example/a/"), linkField: field)
  }

  @Test(arguments: [
    #"</f.atom>; rel="alternate"; type="application/atom+xml""#,
    "</f.atom>;rel=alternate;type=application/atom+xml",
    #"<x>; rel=next, </f.atom> ; type="application/atom+xml" ; REL="other Alternate""#,
    #"<../f.atom>; title="a, \"b\"; c"; rel="feed""#, "<https://h.example/f.atom>; rel=feed",
    "</f.atom>; rel=feed; anchor=\"#top\"", "</f.atom>; rel=feed; anchor=\"/a/#x\"",
    "</f.atom>; rel=feed; anchor=",
  ])
  func `a feed in the Link field is found`(field: String) {
    #expect(links(field).map(\.url) == ["https://h.example/f.atom"])
    #expect(links(field).allSatisfy { $0.isDeclared })
  }

  @Test(arguments: [
    "", "<", "</f.atom", "</f.atom>", "</style>; rel=stylesheet", "</f>; rel=alternate; type=text/html",
    "</f>; rel=\"alternate", "</f>; rel=feed; anchor=\"https://other.example/\"",
    "</f>; anchor=\"/b/\"; rel=feed", ";;;,<>,;=\"",
  ])
  func `other links and damaged fields have no feed`(field: String) {
    #expect(links(field).isEmpty)
  }

  @Test func `the page's base does not apply to the field`() {
    let found = links(
      "<f.rss>; rel=feed", page: "<base href='https://other.example/'><link rel=feed href=p.rss>")
    #expect(found.map(\.url) == ["https://other.example/p.rss", "https://h.example/a/f.rss"])
  }
}
