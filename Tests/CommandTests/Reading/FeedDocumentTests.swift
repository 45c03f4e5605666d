import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import NewsCommand

/// Lists in feed formats, which `parse` must read back unchanged.
@Suite struct FeedDocumentTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// Text that breaks careless writers: ends of CDATA, markup in titles, references, line ends, quotation marks, emoji.
  private static let feed = #"""
    {"version":"https://jsonfeed.org/version/1.1","title":"A & B <i>","items":[
    {"id":"one","url":"https://example.org/1?a=1&b='2'","title":"How to use <select> & &amp; &lt;b>",
    "content_html":"<p>]]> ]]&gt; &amp;lt; \"q\" 'a'\r\n\ttab &#13; <script>1<2</script></p><!-- x -->",
    "summary":"A <b>short</b> &amp; one","date_published":"2010-02-03T17:23:16Z",
    "date_modified":"2011-12-31T23:59:59+02:00","tags":["a, b","<i>","c;d","R&D","&amp;"],"language":"en-GB",
    "authors":[{"name":"Lace, Ada; & Co"},{"name":"Ben","url":"https://ben.example.org/?a&b"},
    {"name":"Cy","url":"mailto:cy@example.org"},{"url":"mailto:dee@example.org"}],
    "image":"https://example.org/p.png?x=1&y=2",
    "attachments":[{"url":"https://example.org/1.mp3?a&b","mime_type":"audio/mpeg","size_in_bytes":1204,
    "duration_in_seconds":3750},{"url":"https://example.org/2.pdf","mime_type":"application/pdf"}]},
    {"id":"two]]>","title":"مرحبا \u2068بالعالم\u2069 🎉 e\u0301","content_html":"<p>日本</p>",
    "date_published":"1969-07-20T20:17:40Z"},
    {"id":"three","url":"https://example.org/3","content_html":"x"}]}
    """#

  private func fetched(_ feeds: [String]) async throws {
    let server = try LoopbackHTTPServer { request in
      .ok(feeds[Int(request.path.dropFirst()) ?? 0], headers: ["Content-Type: application/feed+json"])
    }
    defer { server.stop() }
    for place in feeds.indices { _ = try await newsimport("region", "add", "world", server.url("/\(place)")) }
    #expect(try await newsimport("fetch", "world").status == 0)
  }

  @Test func `the title of the feed in RSS is text, not markup`() async throws {
    try await fetched([Self.feed])
    let rss = try await newsimport("export", "world", "--format", "rss").out
    #expect(rss.contains("\">A &amp; B &lt;i&gt;</source>"), "\(rss)")
  }

  /// The values in the store, each as JSON by its name in JSON Feed.
  private func stored() async throws -> [[String: String]] {
    let fields =
      "guid,feed,url,title,content_html,summary,published,modified,authors,tags,language,image,attachments"
    let result = try await newsimport("list", "world", "--json", "--fields", fields)
    let names = ["guid": "id", "published": "date_published", "modified": "date_modified"]
    return try result.out.split(separator: "\n").map { line in
      var object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      let feed = object.removeValue(forKey: "feed") as? String
      object["guid"] = ArticleID.text(guid: object["guid"] as? String ?? "", feedURL: feed)
      return try object.reduce(into: [:]) { object, member in
        let text = try json(member.value)
        if text != "null" && text != "[]" { object[names[member.key] ?? member.key] = text }
      }
    }
  }

  private func json(_ value: Any) throws -> String {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes]
    return String(
      decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
  }

  /// The values that our parser reads from a document, in the same form.
  private func parsed(_ document: String) async throws -> [[String: String]] {
    let file = try newsimport.folder.write("feed", document.utf8)
    let result = try await newsimport("parse", file)
    #expect(result.status == 0 && result.err.isEmpty)
    let feed = try JSONSerialization.jsonObject(with: Data(result.out.utf8)) as? [String: Any] ?? [:]
    #expect((feed["_newsimport"] as? [String: Any])?["recovered"] as? Bool == false)
    let items = feed["items"] as? [[String: Any]] ?? []
    return try items.map { item in
      try item.filter { !$0.key.hasPrefix("_") }.mapValues { value in
        // RSS has 0 for an unknown size.
        try json(value).replacing(",\"size_in_bytes\":0", with: "").replacing(
          "\"size_in_bytes\":0,", with: "")
      }
    }
  }

  @Test(arguments: ["rss", "jsonfeed"])
  func `a region printed as a feed is read back unchanged`(format: String) async throws {
    try await fetched([Self.feed])
    let result = try await newsimport("list", "world", "--format", format)
    #expect(result.status == 0 && result.err.isEmpty)
    let (stored, parsed) = (try await stored(), try await parsed(result.out))
    #expect(parsed.count == 3 && stored.count == 3)
    for (item, article) in zip(parsed, stored) {
      for name in Set(item.keys).union(article.keys) {
        #expect(item[name] == article[name], "\(format) \(name)")
      }
    }
  }

  @Test func `a feed in JSON has the titles of attachments`() async throws {
    let feed = #"""
      {"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","title":"a","attachments":[
      {"url":"https://example.org/1.mp3","mime_type":"audio/mpeg","title":"Part \"1\""}]}]}
      """#
    try await fetched([feed])
    let (stored, parsed) = (
      try await stored(),
      try await parsed(try await newsimport("export", "world", "--format", "jsonfeed").out)
    )
    #expect(parsed.first?["attachments"] == stored.first?["attachments"])
    #expect(parsed.first?["attachments"]?.contains(#""title":"Part \"1\"""#) == true)
  }

  @Test func `only the characters that XML forbids are replaced`() async throws {
    let feed = #"""
      {"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","title":"a\uFFFEb\uFFFFc\u0085d",
      "content_html":"x\u000by\u0001z"}]}
      """#
    try await fetched([feed])
    let result = try await newsimport("list", "world", "--format", "rss")
    let items = try await parsed(result.out)
    let title = items.first?["title"] ?? ""
    #expect(title == "\"a\u{FFFD}b\u{FFFD}c\u{2026}d\"")
    let content = items.first?["content_html"] ?? ""
    #expect(content == "\"x y z\"")
  }

  @Test(arguments: ["rss", "jsonfeed"])
  func `articles of two feeds with the same id stay distinct`(format: String) async throws {
    let feed = #"{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","title":"a"}]}"#
    try await fetched([feed, feed])
    let items = try await parsed(try await newsimport("list", "world", "--format", format).out)
    let ids = items.compactMap { $0["id"] }
    #expect(Set(ids).count == 2 && ids.allSatisfy { $0.hasPrefix("\"http") && $0.hasSuffix("#1\"") })
    // The id is the same without the other article.
    let alone = try await parsed(
      try await newsimport("list", "world", "--limit", "1", "--format", format).out)
    #expect(alone.first?["id"] == ids.first)
    let exported = try await parsed(try await newsimport("export", "world", "--format", format).out)
    #expect(exported.compactMap { $0["id"] } == ids)
  }

  @Test(arguments: ["rss", "jsonfeed"])
  func `an article of two feeds is printed once if both use its address as the id`(format: String)
    async throws
  {
    func feed(_ title: String, _ day: Int) -> String {
      #"{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"https://example.org/1","#
        + #""title":"\#(title)","date_published":"2010-02-0\#(day)T00:00:00Z"}]}"#
    }
    try await fetched([feed("new", 4), feed("old", 3)])
    let items = try await parsed(try await newsimport("list", "world", "--format", format).out)
    #expect(items.map { $0["id"] } == ["\"https://example.org/1\""] && items.first?["title"] == "\"new\"")
    let file = newsimport.folder.file("out")
    let export = try await newsimport("export", "world", "--format", format, "-o", file)
    #expect(export.out.contains("  1 article  "))
    #expect(try await newsimport("parse", file).status == 0)
  }

  @Test(arguments: [
    ("https://example.org/1", true), ("HTTP://example.org", true), ("tag:example.org,2010:1", true),
    ("urn:uuid:1", true), ("tag:", false), ("1", false), ("post:1", false), ("12:30 Uhr", false),
    ("http:///1", false), ("http://", false), ("://x", false), ("1a://x", false), ("", false),
    ("é://x", false),
    ("a b://x", false),
  ]) func `a globally unique guid is the id, and others are prefixed with the feed`(
    guid: String, isAddress: Bool
  ) {
    let id = ArticleID.text(guid: guid, feedURL: "https://feed.example/")
    #expect(id == (isAddress ? guid : "https://feed.example/#\(guid)"))
    #expect(ArticleID.text(guid: guid, feedURL: nil) == guid)
  }

  @Test(arguments: ["rss", "jsonfeed"])
  func `a region without articles is a feed without items`(format: String) async throws {
    _ = try await newsimport("region", "add", "world", "http://127.0.0.1:1/")
    let result = try await newsimport("list", "world", "--format", format)
    #expect(result.status == 0 && result.err.isEmpty)
    #expect(try await parsed(result.out).isEmpty)
  }
}
