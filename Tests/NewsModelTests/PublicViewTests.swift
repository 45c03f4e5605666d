import Foundation
import GRDB
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing
import WebAddress

/// The views are a contract with users who open the store with SQL. These tests read them in the same way.
@Suite(.disabled(if: TestServer.replacesFiles, "they read the views of a file"))
struct PublicViewTests {
  private let store: NewsStore

  init() async throws {
    store = try NewsStore()
    let server = try LoopbackHTTPServer { request in
      request.path == "/feed" ? .ok(Self.feed, headers: ["ETag: \"a\""]) : .status(404, "Not Found")
    }
    defer { server.stop() }
    try await store.add([server.url("/feed"), server.url("/missing")])
    try await store.fetch()
  }

  private static let feed = """
    <rss version="2.0"><channel><title>The Daily</title><link>https://example.org/</link>
    <item><guid>one</guid><title>First</title><link>https://example.org/1</link><category>x</category>
    <pubDate>Wed, 03 Feb 2010 17:23:16 +0000</pubDate><author>a@example.org (Ann)</author>
    <description>&lt;p&gt;Text&lt;/p&gt;</description></item>
    <item><guid>two</guid><title>Undated</title></item></channel></rss>
    """

  private func rows(_ sql: String) throws -> [Row] {
    var configuration = Configuration()
    configuration.readonly = true
    return try DatabaseQueue(path: store.path, configuration: configuration).read {
      try Row.fetchAll($0, sql: sql)
    }
  }

  @Test(arguments: [
    (
      "articles",
      "id feed_id feed guid url title authors tags published modified summary content_html attachments image language imported edits read starred sequence last_change external_url comments_url members story date timeline"
    ),
    ("regions", "id name feeds"),
    (
      "feeds",
      "id url title home_page_url etag last_modified last_fetch last_outcome last_status last_error failures not_before moved_to gone regions next_fetch next_reason publisher_title language"
    ),
    (
      "fetches",
      "id feed_id feed date outcome status error inserted edited bytes first_byte_ms total_ms transferred_bytes markup_changes date_changes"
    ),
    (
      "versions",
      "article_id version seen kind title summary content_html url external_url comments_url authors tags language image attachments members published modified replaced changed merged"
    ),
  ]) func `a view keeps its columns in order`(view: String, columns: String) throws {
    let names = try rows("SELECT name FROM pragma_table_info('\(view)')").map { $0["name"] as String }
    #expect(names.joined(separator: " ") == columns)
  }

  @Test func `the example queries of the documentation about versions run`() throws {
    let text = try String(contentsOf: Repository.folder.appending(path: "docs/store.md"), encoding: .utf8)
    let section = try #require(text.components(separatedBy: "\n## Versions\n").dropFirst().first)
    let blocks = section.components(separatedBy: "\n## ")[0].components(separatedBy: "\n\n")
    let queries = blocks.filter { $0.hasPrefix("    SELECT ") }
    try #require(queries.count == 2)
    try DatabaseQueue(path: store.path).write {
      try $0.execute(sql: "UPDATE article SET title = 'Corrected' WHERE guid = 'one'")
    }
    let titles = try rows(queries[0])
    #expect(titles.map { $0["before"] as String } == ["First"])
    #expect(titles.map { $0["now"] as String } == ["Corrected"])
    #expect(try rows(queries[1]).map { $0["changes"] as Int } == [1])
  }

  @Test(arguments: ["regions", "feeds", "articles", "fetches", "versions"])
  func `every column has a declared type, which its values have`(view: String) throws {
    let columns = try rows("SELECT name, type FROM pragma_table_info('\(view)')")
    #expect(columns.count > 2)
    for column in columns {
      let (name, type): (String, String) = (column["name"], column["type"])
      let expected = ["TEXT": "text", "INTEGER": "integer", "NUMERIC": "real"][type]
      #expect(expected != nil, "\(view).\(name): \(type)")
      let found = try rows("SELECT DISTINCT typeof(\(name)) AS type FROM \(view)").map {
        $0["type"] as String
      }
      #expect(
        Set(found).isSubset(of: ["null", expected, "integer"].compactMap(\.self)), "\(view).\(name): \(found)"
      )
    }
  }

  @Test(arguments: ["feeds WHERE url", "articles WHERE feed", "fetches WHERE feed"])
  func `a feed is found by its address without reading the others`(condition: String) throws {
    let plan = try rows("EXPLAIN QUERY PLAN SELECT id FROM \(condition) = 'https://a.example/'")
    #expect(
      plan.contains {
        ($0["detail"] as String).contains("USING COVERING INDEX feed_address")
          || ($0["detail"] as String).contains("USING INDEX feed_address")
      }, "\(plan)")
  }

  @Test(arguments: ["ORDER BY timeline DESC, sequence DESC LIMIT 20", "WHERE timeline >= 1767225600"])
  func `the newest articles are found in an index`(rest: String) throws {
    let plan = try rows("EXPLAIN QUERY PLAN SELECT title, feed, date FROM articles \(rest)")
    let details = plan.map { $0["detail"] as String }
    #expect(details.contains { $0.contains(" a USING INDEX article_index0") }, "\(details)")
    #expect(!details.contains { $0.contains("TEMP B-TREE") }, "\(details)")
  }

  @Test func `timeline is the date as a number`() throws {
    let dates = try rows(
      "SELECT date, strftime('%Y-%m-%dT%H:%M:%SZ', timeline, 'unixepoch') AS same FROM articles")
    #expect(dates.count == 2 && dates.allSatisfy { $0["date"] as String == $0["same"] as String })
  }

  @Test func `dates are ISO 8601 in UTC, lists are JSON, and missing values are null`() throws {
    let article = try #require(try rows("SELECT * FROM articles WHERE guid = 'one'").first)
    #expect(article["published"] == "2010-02-03T17:23:16Z")
    #expect(article["tags"] == #"["x"]"#)
    #expect(article["authors"] == #"[{"name":"Ann","email":"a@example.org"}]"#)
    #expect(article["title"] == "First")
    #expect(article["content_html"] == "<p>Text</p>")
    let undated = try #require(try rows("SELECT * FROM articles WHERE guid = 'two'").first)
    #expect(undated["published"] == nil as String?)
    #expect(undated["authors"] == nil as String?)
    #expect((undated["imported"] as String?)?.hasSuffix("Z") == true)
  }

  @Test func `feeds show the result of the last fetch`() throws {
    let feeds = try rows("SELECT * FROM feeds ORDER BY id")
    #expect(feeds.map { $0["last_outcome"] as String? } == ["updated", "failed"])
    #expect(feeds.map { $0["last_status"] as Int? } == [200, 404])
    #expect(feeds[0]["etag"] == "\"a\"")
    #expect(feeds[0]["title"] == "The Daily")
    #expect(feeds[1]["last_error"] == "HTTP 404 (not found)")
    #expect(feeds.map { $0["regions"] as String } == [#"["world"]"#, #"["world"]"#])
    #expect(try rows("SELECT name, feeds FROM regions").map { $0["feeds"] as Int } == [2])
  }

  @Test(
    arguments: [
      ([0x22, 0x61, 0x22], "\"a\""), ([0x22, 0x63, 0xE9, 0x22], "x'2263E922'"), ([0xFF], "x'FF'"),
      (Array("é".utf8), "x'C3A9'"),
    ] as [([UInt8], String)])
  func `a header value that is not ASCII appears in hexadecimal digits`(value: [UInt8], shown: String)
    async throws
  {
    try await store.perform { (source) throws(StoreError) in
      for feed in try source.feeds() { (feed.etag, feed.lastModified) = (value, value) }
    }
    let feed = try #require(try rows("SELECT etag, last_modified FROM feeds").first)
    #expect(feed["etag"] == shown && feed["last_modified"] == shown)
  }

  @Test func `the fetch log keeps the last thirty answers of a feed`() async throws {
    let server = try LoopbackHTTPServer { _ in .status(404, "Not Found") }
    defer { server.stop() }
    let store = try NewsStore()
    try await store.add([server.url("/feed")])
    for _ in 1...33 { try await store.fetch() }
    let log = try DatabaseQueue(path: store.path).read { try Row.fetchAll($0, sql: "SELECT * FROM fetches") }
    #expect(log.count == 30)
    #expect(try await store.feeds().first?.fetches == 33)
  }

  @Test(arguments: [
    ("https://reader:secret@a.example/feed?x=1", "https://reader@a.example/feed?x=1"),
    ("https://reader:se:cr@et@a.example", "https://reader@a.example"),
    ("https://reader:secret@a.example?q=a/b", "https://reader@a.example?q=a/b"),
    ("https://a.example/feed/user:1@b", "https://a.example/feed/user:1@b"),
    ("https://a.example:8080/x@y", "https://a.example:8080/x@y"),
    ("https://reader@a.example:8080/x", "https://reader@a.example:8080/x"),
    ("https://a.example#x:y@z", "https://a.example#x:y@z"),
  ]) func `an address appears without its password`(url: String, shown: String) async throws {
    let store = try NewsStore()
    try await store.add([url])
    try await store.perform { (source) throws(StoreError) in
      for feed in try source.feeds() { feed.movedTo = WebAddress(url) }
    }
    let rows = try DatabaseQueue(path: store.path).read {
      try Row.fetchAll($0, sql: "SELECT url, moved_to FROM feeds")
    }
    #expect(rows.map { $0["url"] as String? } == [shown])
    #expect(rows.map { $0["moved_to"] as String? } == [shown])
  }
}
