import Foundation
import LoopbackServer
import TestSupport
import Testing
import Threading

/// Changes that are not edits, in the output of commands.
@Suite struct ChangeKindCommandTests {
  private static func feed(date: String, markup: String) -> String {
    """
    <rss version="2.0"><channel><title>T</title>
    <item><guid isPermaLink="false">a</guid><title>A</title><pubDate>\(date)</pubDate><description>a</description></item>
    <item><guid isPermaLink="false">b</guid><title>B</title><description>&lt;\(markup)&gt;b&lt;/\(markup)&gt;</description>
    </item></channel></rss>
    """
  }

  @Test func `fetch and stats tell changes of markup and dates from edits`() async throws {
    let newsimport = try CommandRun()
    let body = Locked(Self.feed(date: "Wed, 03 Feb 2010 17:23:16 GMT", markup: "b"))
    let server = try LoopbackHTTPServer { _ in .ok(body.withLock { $0 }) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    #expect(try await newsimport("fetch", "world").out.contains("2 new"))
    body.withLock { $0 = Self.feed(date: "Thu, 04 Feb 2010 17:23:16 GMT", markup: "i") }
    let second = try await newsimport("fetch", "world", "-v")
    #expect(second.status == 0 && second.err.isEmpty)
    #expect(second.out.contains("1 with new markup  1 with new dates") && !second.out.contains("edited"))
    let statistics = try await newsimport("stats", "--json")
    #expect(statistics.out.contains(#""edit_rate":0.0,"#))
    #expect(statistics.out.contains(#""markup_changes":1,"date_changes":1,"missed_answers":0}"#))
    let table = try await newsimport("stats")
    #expect(table.out.contains("minor edits  304 rate") && table.out.contains("            2 "))
    let rows = try await newsimport("sql", "SELECT title, last_change, edits FROM articles ORDER BY title")
    #expect(rows.out.contains(#"A\#t["dates"]\#t0"#) && rows.out.contains(#"B\#t["markup"]\#t0"#))
    let log = try await newsimport(
      "sql", "SELECT markup_changes, date_changes FROM fetches ORDER BY id DESC LIMIT 1")
    #expect(log.out.hasSuffix("1\t1\n"))
    // The page is the new one.
    #expect(try await newsimport("show", "1").out.contains("2010-02-04"))
    #expect(try await newsimport("show", "2", "--html").out == "<i>b</i>\n")
  }
}
