import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct ShowCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private static let feed = """
    <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>The Daily</title>
    <item><guid>one</guid><title>Storm closes &#27;[31mports</title><link>https://example.org/1</link>
    <pubDate>Wed, 03 Feb 2010 17:23:16 +0000</pubDate><author>ann@example.org (Ann)</author>
    <enclosure url="https://example.org/1.mp3" type="audio/mpeg" length="1204"/>
    <content:encoded><![CDATA[<p>Wind &amp; <a href="/map">map</a>.</p><p>More\u{1B}]0;x</p>]]></content:encoded></item>
    </channel></rss>
    """

  private func fetched() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(Self.feed) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    #expect(try await newsimport("fetch", "world").status == 0)
  }

  @Test func `an article is shown as text with numbered links and without control characters`() async throws {
    try await fetched()
    let result = try await newsimport("show", "1")
    #expect(result.status == 0 && result.err.isEmpty)
    let lines = result.out.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(
      lines.prefix(6) == [
        "Storm closes \u{FFFD}[31mports", "The Daily  2010-02-03 17:23  Ann", "https://example.org/1", "",
        "Wind & map[1].", "",
      ])
    #expect(lines.contains("More]0;x"))
    #expect(lines.contains { $0.hasPrefix("[1] http") && $0.hasSuffix("/map") })
    #expect(lines.suffix(2) == ["attachment  https://example.org/1.mp3  audio/mpeg  1,204 bytes", ""])
    #expect(!result.out.unicodeScalars.contains("\u{1B}"))
  }

  @Test func `a link that is not a web address is not shown as one`() async throws {
    let feed = TestFeed.rss(count: 1).replacing("https://example.org/item-1", with: "urn:isbn:0451450523")
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world")
    #expect(
      try await newsimport("show", "1").out.contains("\nlink  urn:isbn:0451450523  (no page on the web)\n"))
  }

  @Test func `several articles are separated by a rule with the number and the marks of the next`()
    async throws
  {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 2)) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world", "-q")
    _ = try await newsimport("mark", "starred", "1")
    _ = try await newsimport("mark", "read", "1")
    let shown = try await newsimport.run(["show", "1", "2"], on: Terminal(columns: 30)).out
    let rules = shown.split(separator: "\n").filter { $0.hasPrefix("──") }
    #expect(rules == ["── 1  read, starred ──────────", "── 2 ─────────────────────────"])
    #expect(shown.contains("item-1\n\n── 2 ─"))
    #expect(try await newsimport("show", "2").out.hasPrefix("Title of item-2\n"))
  }

  @Test func `HTML is printed as the publisher wrote it, and JSON has every field`() async throws {
    try await fetched()
    let html = try await newsimport("show", "1", "--html")
    #expect(html.out.hasPrefix("<p>Wind &amp; <a href=\"http") && html.out.hasSuffix("</p>\n"))
    let json = try await newsimport("show", "1", "--json")
    let object = try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: Any]
    #expect(object?["id"] as? Int == 1 && object?["content_html"] is String && object?.count == 25)
  }

  @Test func `a plain text keeps the publisher's line breaks`() async throws {
    let feed = #"""
      {"version": "https://jsonfeed.org/version/1.1", "title": "Poems", "items": [{"id": "1", "title": "Roses",
      "content_text": "Roses are <red>,\nviolets are blue.\r\n\r\nEnd\rof it"}]}
      """#
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    #expect(try await newsimport("fetch", "world").status == 0)
    let text = try await newsimport("show", "1").out
    #expect(text.hasSuffix("\n\nRoses are <red>,\nviolets are blue.\n\nEnd\nof it\n"))
    let html = try await newsimport("show", "1", "--html").out
    #expect(html == "Roses are &lt;red&gt;,<br>\nviolets are blue.<br>\n<br>\nEnd<br>\nof it\n")
  }

  @Test func `a missing article is reported with the way to find others`() async throws {
    let none = try await newsimport("show", "7")
    #expect(
      none.status == 66
        && none.err.hasSuffix(
          "\(newsimport.store): no such store; newsimport region add NAME URL creates one\n")
    )
    try await fetched()
    let result = try await newsimport("show", "7")
    #expect(result.status == 66 && result.out.isEmpty)
    #expect(result.err == "newsimport: 7: no such article; newsimport list shows the numbers\n")
    #expect(try await newsimport("show", "x").status == 64)
    #expect(try await newsimport("show", "1", "--html", "--json").status == 64)
  }
}
