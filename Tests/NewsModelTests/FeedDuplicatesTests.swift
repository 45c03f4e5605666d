import Testing
import WebAddress

@testable import NewsModel

@Suite struct FeedDuplicatesTests {
  @Test(arguments: [
    ("http://example.org/feed", "https://www.example.org/feed/"),
    ("https://EXAMPLE.org:443/feed#top", "http://example.org:80/feed"),
    ("http://example.org", "http://example.org/"),
  ]) func `addresses that servers rarely distinguish are nearly the same`(one: String, other: String) {
    #expect(
      FeedDuplicates.key(ofAddress: WebAddress(one)) == FeedDuplicates.key(ofAddress: WebAddress(other)))
  }

  @Test(arguments: [
    ("https://example.org/a", "https://example.org/b"), ("https://example.org/a", "https://example.org/a?x"),
    ("https://example.org:8080/a", "https://example.org/a"),
    ("https://ann@example.org/a", "https://example.org/a"),
    ("https://example.org/A", "https://example.org/a"),
  ]) func `other addresses are not nearly the same`(one: String, other: String) {
    #expect(
      FeedDuplicates.key(ofAddress: WebAddress(one)) != FeedDuplicates.key(ofAddress: WebAddress(other)))
  }
}
