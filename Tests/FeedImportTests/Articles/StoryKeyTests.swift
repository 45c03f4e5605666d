import Testing

@testable import FeedImport

@Suite struct StoryKeyTests {
  @Test(arguments: [
    ("http://a.example/1", "https://a.example/1"), ("https://a.example/1", "https://A.example/1/"),
    ("https://www.a.example/1", "https://m.a.example/1"), ("https://amp.a.example/1", "https://a.example/1"),
    ("https://www.mobile.a.example/1", "https://a.example/1"),
    ("https://a.example:443/1", "http://a.example:80/1"), ("https://u:p@a.example/1", "https://a.example./1"),
    ("https://a.example/amp/1", "https://a.example/1/amp"),
    ("https://a.example/1.amp", "https://a.example/1/amp/"),
    ("https://a.example/1.amp.html", "https://a.example/1.html"),
    ("https://a.example/1.html/amp", "https://a.example/1.html"),
    ("https://a.example/1/amp.html", "https://a.example/1"),
    ("https://a.example/1#top", "https://a.example/1"),
    ("https://a.example/1?utm_source=rss&id=2&UTM_medium=x", "https://a.example/1?id=2"),
    ("https://a.example/1?fbclid=a&gclid=b", "https://a.example/1"),
    ("https://a.example/1?", "https://a.example/1"),
    ("https://a.example/1?ref=rss", "https://a.example/1?amp=1"),
    ("https://a.example/1?amp", "https://a.example/1"),
    ("https://a.example/?p=1&&", "https://a.example/?p=1"),
  ])
  func `addresses of one page have one key`(one: String, other: String) throws {
    #expect(StoryKey.of(one) != nil)
    #expect(StoryKey.of(one) == StoryKey.of(other))
  }

  @Test(arguments: [
    ("https://a.example/1", "https://a.example/2"), ("https://a.example/1", "https://b.example/1"),
    ("https://a.example/A", "https://a.example/a"), ("https://a.example/1?id=1", "https://a.example/1?id=2"),
    ("https://a.example/1?a=1&b=2", "https://a.example/1?b=2&a=1"),
    ("https://a.example/1?ref=9", "https://a.example/1"), ("https://a.example:8080/1", "https://a.example/1"),
    ("https://a.example/#!/1", "https://a.example/#!/2"),
    ("https://a.example/example", "https://a.example/ex"),
    ("https://m.co/1", "https://co/1"), ("https://a.example/ab", "https://a.exampl/eab"),
  ])
  func `addresses of different pages have different keys`(one: String, other: String) {
    #expect(StoryKey.of(one) != StoryKey.of(other))
  }

  @Test(arguments: [
    nil, "", "urn:uuid:1", "1", "https://", "https://a.example", "https://www.a.example/",
    "http://a.example/amp/",
    "https://a.example/?utm_source=rss", "https://a.example//#top", "https:///", "http://@",
    "https://a.example/#",
  ])
  func `a home page, and what is no page, has no key`(address: String?) {
    #expect(StoryKey.of(address) == nil)
  }
}
