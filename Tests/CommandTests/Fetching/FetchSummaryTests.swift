import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct FetchSummaryTests {
  private let newsimport: CommandRun
  private let server: LoopbackHTTPServer

  init() async throws {
    newsimport = try CommandRun()
    server = try LoopbackHTTPServer { request in
      request.path == "/bad" ? .status(500) : .ok(TestFeed.rss(count: 2, prefix: request.path))
    }
    _ = try await newsimport("region", "add", "world", server.url("/1"), server.url("/2"))
    _ = try await newsimport("region", "add", "tech", server.url("/3"))
  }

  @Test func `the summary of a weekly job prints the state of each region and nothing else`() async throws {
    defer { server.stop() }
    let first = try await newsimport("fetch", "--due", "--quiet", "--summary")
    #expect(first.status == 0 && first.err.isEmpty)
    let stats = try await newsimport("stats", "--days", "7")
    #expect(first.out == stats.out && first.out.contains("last 7 days"))
    let idle = try await newsimport("fetch", "--due", "--quiet", "--summary")
    #expect(idle == first, "also where nothing is due")
  }

  @Test func `the summary covers the named regions and follows the output of the fetch`() async throws {
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/bad"))
    let run = try await newsimport("fetch", "world", "--summary")
    #expect(run.status == 1, "the feeds that failed are told by the exit status all the same")
    let stats = try await newsimport("stats", "world", "--days", "7")
    #expect(run.out == "world   3 feeds   2 updated   4 new   1 failed\n\n" + stats.out)
    #expect(stats.out.contains("world") && !stats.out.contains("tech"))
  }

  @Test func `the event distinguishes lines of the summary from those of feeds`() async throws {
    defer { server.stop() }
    let lines = try await newsimport("fetch", "--all", "--json", "--summary").out.split(separator: "\n")
    let stats = try await newsimport("stats", "--days", "7", "--json").out
    #expect(lines.count == 5)
    #expect(lines.prefix(3).allSatisfy { $0.hasPrefix("{\"feed\":") })
    #expect(
      lines.suffix(2).map { $0 + "\n" }.joined()
        == stats.replacing("{\"region\":", with: "{\"event\":\"summary\",\"region\":"))
  }
}
