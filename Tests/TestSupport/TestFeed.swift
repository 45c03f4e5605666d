/// Small RSS feeds for tests.
public enum TestFeed {
  /// Returns a feed of items with their guids as links.
  public static func rss(_ items: [(guid: String, title: String)], title: String = "Test feed") -> String {
    let texts = items.map { item in
      """
      <item><guid isPermaLink="false">\(item.guid)</guid><title>\(item.title)</title>\
      <link>https://example.org/\(item.guid)</link><pubDate>Wed, 03 Feb 2010 17:23:16 +0000</pubDate>\
      <description>About \(item.guid)</description></item>
      """
    }
    return """
      <?xml version="1.0"?>
      <rss version="2.0"><channel><title>\(title)</title><link>https://example.org/</link>
      \(texts.joined(separator: "\n"))
      </channel></rss>
      """
  }

  /// Returns a feed of `count` items with guids from `prefix`1.
  public static func rss(count: Int, prefix: String = "item-") -> String {
    rss((0..<count).map { ("\(prefix)\($0 + 1)", "Title of \(prefix)\($0 + 1)") })
  }
}
