import Testing
import WebAddress

@testable import FeedImport

@Suite struct SiteFeedsTests {
  @Test(arguments: [
    ("https://www.reddit.com/r/swift", "https://www.reddit.com/r/swift/.rss"),
    ("https://old.reddit.com/r/a+b/", "https://www.reddit.com/r/a+b/.rss"),
    ("https://reddit.com/u/ann?sort=new", "https://www.reddit.com/user/ann/.rss"),
    ("https://www.reddit.com/user/ann#top", "https://www.reddit.com/user/ann/.rss"),
    (
      "https://www.youtube.com/playlist?si=1&list=PL3",
      "https://www.youtube.com/feeds/videos.xml?playlist_id=PL3"
    ),
    ("https://m.youtube.com/channel/UC_9-x", "https://www.youtube.com/feeds/videos.xml?channel_id=UC_9-x"),
    ("https://github.com/apple/swift", "https://github.com/apple/swift/releases.atom"),
    ("http://github.com/apple/swift/releases/?page=2", "https://github.com/apple/swift/releases.atom"),
    ("https://github.com/apple/swift/commits", "https://github.com/apple/swift/commits.atom"),
    ("https://github.com/apple/swift/commits/main", "https://github.com/apple/swift/commits/main.atom"),
    ("https://github.com/apple/swift/commits/a/b/", "https://github.com/apple/swift/commits/a/b.atom"),
    ("https://social.example/@ann_1", "https://social.example/@ann_1.rss"),
    ("http://social.example:8080/@ann/", "http://social.example:8080/@ann.rss"),
  ]) func `a page on a known site has a feed`(page: String, feed: String) {
    #expect(SiteFeeds.feed(ofPage: WebAddress(page))?.text == feed)
  }

  @Test(arguments: [
    "https://www.reddit.com/r/swift.rss", "https://www.reddit.com/r/swift/.rss", "https://www.reddit.com/",
    "https://www.reddit.com/r//", "https://www.youtube.com/feeds/videos.xml?channel_id=UC1",
    "https://www.youtube.com/@ann", "https://www.youtube.com/channel/x", "https://www.youtube.com/playlist",
    "https://www.youtube.com/playlist?list=", "https://www.youtube.com/watch?v=1&list=PL3",
    "https://github.com/apple", "https://github.com/apple/swift/releases.atom",
    "https://github.com/apple/swift/commits/main.atom", "https://github.com/apple/swift/issues",
    "https://gist.github.com/apple/swift", "https://github.com.example/apple/swift",
    "https://social.example/@ann.rss", "https://social.example/@ann@other.example",
    "https://social.example/@",
    "https://social.example/@ann/1", "https://social.example/@e\u{301}", "https://u:p@social.example/@ann",
    "https://example.org/r/swift", "not an address", "",
  ]) func `other addresses stay as they are`(address: String) {
    #expect(SiteFeeds.feed(ofPage: WebAddress(address)) == nil)
  }
}
