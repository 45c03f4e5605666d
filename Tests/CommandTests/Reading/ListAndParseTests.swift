import Foundation
import LoopbackServer
import TestSupport
import Testing
import Threading

@Suite struct ListAndParseTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private static let feed = """
    <rss version="2.0"><channel><title>The Daily</title>
    <item><guid>one</guid><title>First</title><link>https://example.org/1</link>
    <pubDate>Wed, 03 Feb 2010 17:23:16 +0000</pubDate><author>a@example.org (Ann)</author><category>x</category>
    <description>Short</description></item>
    <item><guid>two</guid><title>&#27;]0;owned&#7;Sec\u{9B}ond\u{202E}</title>
    <pubDate>Thu, 04 Feb 2010 08:00:00 +0000</pubDate></item>
    </channel></rss>
    """

  private func fetched() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(Self.feed) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    #expect(try await newsimport("fetch", "world").status == 0)
  }

  @Test func `articles are listed newest first, one line each, without control characters`() async throws {
    try await fetched()
    let result = try await newsimport("list", "world")
    let lines = result.out.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("  2010-02-04 08:00  The Daily             ") == true)
    #expect(lines.last == "  2010-02-03 17:23  The Daily             First  1")
    #expect(!result.out.unicodeScalars.contains { "\u{1B}\u{7}\u{9B}\u{202E}".unicodeScalars.contains($0) })
  }

  @Test func `articles appear under the dates that order them, even with dates in future years`()
    async throws
  {
    let ahead = """
      <rss version="2.0"><channel><title>Ahead</title>
      <item><guid>1</guid><title>Far</title><pubDate>Thu, 21 Nov 2099 10:00:00 +0000</pubDate></item>
      <item><guid>2</guid><title>Old</title><pubDate>Wed, 03 Feb 2010 17:23:16 +0000</pubDate></item>
      <item><guid>3</guid><title>Near</title><pubDate>Thu, 21 Nov 2098 10:00:00 +0000</pubDate></item></channel></rss>
      """
    let edited = ahead.replacing("03 Feb 2010 17", with: "03 Feb 2010 18")
    let isEdited = Locked(false)
    let server = try LoopbackHTTPServer { _ in .ok(isEdited.withLock { $0 } ? edited : ahead) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world")
    isEdited.withLock { $0 = true }
    _ = try await newsimport("fetch", "world")
    let lines = try await newsimport("list", "world").out.split(separator: "\n")
    let dates = lines.map { String($0.prefix(18)) }
    #expect(lines.count == 3 && dates == dates.sorted(by: >) && dates.last == "  2010-02-03 18:23")
    let page = try await newsimport("export", "world", "--format", "html").out
    #expect(page.split(separator: "<section ").count == 3 && !page.contains("2099"))
  }

  @Test func `a closed pipe ends list quietly`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 3000)) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world")
    let command = "\(Command.builtProducts)/newsimport list world --store '\(newsimport.store)'"
    let result = try await Command.run(
      "bash", ["-c", "\(command) | head -n 1 | wc -l; echo ${PIPESTATUS[0]}"])
    #expect(result == .init(status: 0, out: "1\n0\n", err: ""))
    let full = try await Command.run("bash", ["-c", "\(command) > /dev/full; echo $?"])
    #expect(full.out == "74\n")
    #expect(full.err == "newsimport: standard output: cannot be written: No space left on device\n")
  }

  @Test func `an article as JSON has the documented fields`() async throws {
    try await fetched()
    let lines = try await newsimport("list", "world", "--json", "--full").out.split(separator: "\n")
    let last = try #require(lines.last)
    let article = try #require(try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
    #expect(
      Set(article.keys) == [
        "id", "guid", "feed", "title", "url", "published", "modified", "authors", "tags", "summary",
        "also_in", "feed_title", "regions", "content_html", "attachments", "image", "language", "imported",
        "edits", "read",
        "starred", "last_change", "external_url", "comments_url", "members",
      ])
    #expect(article["guid"] as? String == "one")
    #expect(article["published"] as? String == "2010-02-03T17:23:16Z")
    #expect(article["tags"] as? [String] == ["x"])
    #expect(article["modified"] is NSNull)
  }

  @Test func `--limit and --since bound a list`() async throws {
    try await fetched()
    #expect(
      try await newsimport("list", "world", "--json", "--fields", "guid", "--limit", "1").out
        == "{\"guid\":\"two\"}\n")
    #expect(
      try await newsimport("list", "world", "--json", "--fields", "guid", "--since", "2010-02-04").out
        == "{\"guid\":\"two\"}\n")
    #expect(try await newsimport("list", "world", "--json", "--since", "1d").out == "")
  }

  @Test func `parse prints a file as a line of JSON Feed`() async throws {
    let file = try newsimport.folder.write("feed.xml", Self.feed.utf8)
    let result = try await newsimport("parse", file, "--format", "jsonl")
    #expect(result.status == 0)
    let feed = try #require(
      try JSONSerialization.jsonObject(with: Data(result.out.utf8)) as? [String: Any])
    #expect(feed["title"] as? String == "The Daily")
    #expect((feed["items"] as? [Any])?.count == 2)
    #expect((feed["_newsimport"] as? [String: Any])?["file"] as? String == file)
  }

  @Test func `parse reports a file that is not a feed and a missing file`() async throws {
    let good = try newsimport.folder.write("feed.xml", Self.feed.utf8)
    let page = try newsimport.folder.write("page.html", "<html><body>Hello</body></html>".utf8)
    #expect(try await newsimport("parse", page).status == 65)
    #expect(try await newsimport("parse", good, page).status == 1)
    let missing = try await newsimport("parse", good, "/no/such/file")
    #expect(missing.status == 66)
    #expect(missing.err == "newsimport: /no/such/file: no such file\n")
    #expect(missing.out.split(separator: "\n").count == 2)
  }

  @Test func `a feed on a server is parsed without a store`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/feed" ? .ok(Self.feed) : .status(404, "Not Found")
    }
    defer { server.stop() }
    #expect(try await newsimport("parse", server.url("/feed")).status == 0)
    let missing = try await newsimport("parse", server.url("/other"))
    #expect(missing.status == 69)
    #expect(missing.err == "newsimport: \(server.url("/other")): HTTP 404 (not found)\n")
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
  }
}
