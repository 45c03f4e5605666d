import Testing

@testable import FeedImport

@Suite struct LinkIdentityTests {
  private let links = LinkIdentity(ofFeedAt: [
    "https://Feeds.example/feed", "http://user:pw@b.example:8080/x", "no address",
  ])

  private func key(_ link: String) -> UInt64 { links.key(Array(link.utf8).span) }

  @Test(arguments: [
    ("http://a.example/1?q", "https://a.example/1?q", true),
    ("https://feeds.example/1", "http://b.example:8080/1", true),
    ("https://FEEDS.example/1", "https://feeds.example/1", true),
    ("https://feeds.example/1", "https://a.example/1", false),
    ("https://feeds.example/1", "https://feeds.example/2", false),
    ("https://a.example/1", "https://b.example/1", false), ("1", "2", false), ("urn:1", "urn:1", true),
    ("https://", "http://", false), ("http://a.example:80/1", "https://a.example/1", true),
    ("http://a.example:80/1", "https://a.example:443/1", true),
    ("http://a.example:443/1", "https://a.example/1", false),
    ("https://feeds.example:443/1", "http://feeds.example/1", true),
  ])
  func `addresses are equal regardless of http or https, and of the feed's hosts`(
    one: String, other: String, isSame: Bool
  ) {
    #expect((key(one) == key(other)) == isSame)
  }

  @Test func `the alternative addresses of an article are those with the same key`() {
    func others(_ link: String) -> [String] {
      links.others(Array(link.utf8).span).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(
      others("https://a.example/1") == [
        "http://a.example/1", "https://a.example:443/1", "http://a.example:80/1",
      ])
    #expect(others("http://a.example:80/1").contains("https://a.example/1"))
    #expect(
      others("https://feeds.example/1") == [
        "https://b.example:8080/1", "http://feeds.example/1", "http://b.example:8080/1",
        "https://feeds.example:443/1", "http://feeds.example:80/1",
      ])
    #expect(others("g") == [])
    for link in ["https://feeds.example/1", "http://a.example", "https://a.example:443/x"] {
      #expect(others(link).allSatisfy { key($0) == key(link) })
    }
  }
}
