import Foundation
import LoopbackServer
import TestSupport
import Testing
import TextOutput

@testable import ArticleDocuments
@testable import NewsCommand
@testable import NewsConfiguration

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
        // RSS has only the names of several authors.
        if format == "rss", name == "authors" { continue }
        #expect(item[name] == article[name], "\(format) \(name)")
      }
    }
  }

  @Test func `RSS has several authors as names, and one author with an address`() async throws {
    let feed = #"""
      {"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","title":"a","authors":[
      {"name":"Ada & Co"},{"name":"Ben","url":"https://ben.example.org/"},{"url":"mailto:cy@example.org"}]},
      {"id":"2","title":"b","authors":[{"name":"Dee","url":"https://dee.example.org/a b"}]},
      {"id":"3","title":"c","authors":[{"name":"Eve","url":"mailto:eve at example"}]}]}
      """#
    try await fetched([feed])
    let rss = try await newsimport("export", "world", "--format", "rss").out.replacing("\n", with: "")
    #expect(
      rss.contains(
        "<dc:creator>Ada &amp; Co</dc:creator><dc:creator>Ben</dc:creator><dc:creator>cy@example.org</dc:creator>"
      ))
    #expect(
      rss.contains(
        "<atom:author><atom:name>Dee</atom:name><atom:uri>https://dee.example.org/a%20b</atom:uri></atom:author>"
      ))
    #expect(rss.contains("<atom:author><atom:name>Eve</atom:name></atom:author>"))
  }

  @Test func `RSS has a description wherever it has content`() async throws {
    let feed = #"""
      {"version":"https://jsonfeed.org/version/1.1","title":"T","items":[
      {"id":"1","title":"a","content_html":"<p>Text</p>"},{"id":"2","title":"b","content_text":"","summary":"Short"},
      {"id":"3","title":"c","content_html":"<p>Long</p>","summary":"Short"},{"id":"4"}]}
      """#
    try await fetched([feed])
    let rss = try await newsimport("export", "world", "--format", "rss").out
    let texts = rss.components(separatedBy: "<item>").dropFirst().map { item in
      item.split(separator: "\n").filter { $0.hasPrefix("<description") || $0.hasPrefix("<content:encoded") }
    }
    #expect(
      texts == [
        ["<description>&lt;p&gt;Text&lt;/p&gt;</description>"], ["<description>Short</description>"],
        ["<description>Short</description>", "<content:encoded>&lt;p&gt;Long&lt;/p&gt;</content:encoded>"],
        ["<description></description>"],
      ])
  }

  @Test func `values that RSS does not allow are corrected or left out`() async throws {
    let feed = #"""
      {"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","title":"a",
      "url":"https://example.org/?a[]=|1","external_url":"x","language":"English (US)","image":"https://example.org/p q.png",
      "attachments":[{"url":"https://example.org/1.mp3?a{1}","mime_type":"audio"},
      {"url":"magnet:?xt=urn:btih:1","mime_type":"application/x-bittorrent","size_in_bytes":7}]}]}
      """#
    try await fetched([feed])
    let rss = try await newsimport("export", "world", "--format", "rss").out
    for line in [
      "<link>https://example.org/?a%5B%5D=%7C1</link>",
      "<media:thumbnail url=\"https://example.org/p%20q.png\"/>",
      "<enclosure url=\"https://example.org/1.mp3?a%7B1%7D\" type=\"application/octet-stream\" length=\"0\"/>",
      "<media:content url=\"magnet:?xt=urn:btih:1\" type=\"application/x-bittorrent\" fileSize=\"7\"/>",
    ] { #expect(rss.contains("\n\(line)\n"), "\(line)") }
    #expect(!rss.contains("<dc:language>"))
  }

  @Test func `a feed states its home, its own address and the time of the export`() async throws {
    try await fetched([Self.feed])
    let start = Date()
    let options = ["--self", "https://example.org/ä.xml", "--home", "https://bücher.example/"]
    let rss = try await newsimport.run(["export", "world", "--format", "rss"] + options).out
    #expect(rss.contains("\n<link>https://xn--bcher-kva.example/</link>\n"))
    #expect(
      rss.contains(
        "<atom:link rel=\"self\" type=\"application/rss+xml\" href=\"https://example.org/%C3%A4.xml\"/>\n"))
    let days = [start, Date()].map { "\n<lastBuildDate>\(CivilDate($0).mail.prefix(16))" }
    #expect(days.contains { rss.contains($0) })
    let json = try await newsimport.run(["export", "world", "--format", "jsonfeed"] + options).out
    #expect(
      json.contains(
        #""home_page_url":"https://xn--bcher-kva.example/","feed_url":"https://example.org/%C3%A4.xml","items":"#
      ))
  }

  @Test(arguments: [
    ([], "http://localhost/"),
    (["--self", "https://example.org:8443/feeds/world.xml"], "https://example.org:8443/"),
  ])
  func `the home of RSS without one is the site of the feed`(options: [String], home: String) async throws {
    try await fetched([Self.feed])
    let rss = try await newsimport.run(["export", "world", "--format", "rss"] + options).out
    #expect(rss.contains("<link>\(home)</link>\n<description>world</description>"))
  }

  @Test(arguments: [
    (
      ["--home", "https://example.org/"],
      "--home is an address in a feed; add --format rss or jsonfeed, or leave it out"
    ),
    (
      ["--format", "html", "--self", "https://example.org/"],
      "--self is an address in a feed; add --format rss or jsonfeed"
    ),
    (["--format", "rss", "--self", "world.xml"], "--self: world.xml is not an http or https address"),
    (["--format", "rss", "--home", "urn:x:y"], "--home: urn:x:y is not an http or https address"),
    (["--format", "jsonfeed", "--self", "https://u:secret@example.org/"], "--self has a user name"),
  ])
  func `an address that a format cannot state is refused`(options: [String], message: String) async throws {
    let result = try await newsimport.run(["export", "world"] + options)
    #expect(
      result.status == 64 && result.err.contains(message) && !result.err.contains("secret"), "\(result)")
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
