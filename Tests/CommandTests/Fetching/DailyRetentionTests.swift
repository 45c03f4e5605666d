import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import NewsCommand

@Suite struct DailyRetentionTests {
  @Test func `a day has one deletion, whatever the clock said before`() {
    let now = Date(timeIntervalSince1970: 1_790_000_000)
    #expect(DailyRetention.isDue(last: nil, now: now))
    #expect(!DailyRetention.isDue(last: now, now: now))
    #expect(DailyRetention.isDue(last: now.addingTimeInterval(-86400), now: now))
    #expect(DailyRetention.isDue(last: now.addingTimeInterval(400 * 86400), now: now))
  }

  private let newsimport: CommandRun
  private let server: LoopbackHTTPServer

  init() throws {
    newsimport = try CommandRun()
    server = try LoopbackHTTPServer { request in
      .ok(TestFeed.rss(count: 5, prefix: String(request.path.dropFirst())))
    }
  }

  /// A time zone in which a test begins at noon, so that no day ends in it.
  private let noon: [String: String] = {
    let hour = Int(Date().timeIntervalSince1970) / 3600 % 24
    // POSIX counts the hours to the west of Greenwich.
    return ["TZ": "NOON\(hour - 12 < 0 ? "" : "+")\(hour - 12)"]
  }()

  private func fetch(_ retention: String, _ arguments: String...) async throws -> CommandRun.Result {
    let file = try newsimport.folder.write("config.toml", retention.utf8)
    return try await newsimport.run(["fetch", "--all", "--config", file] + arguments, variables: noon)
  }

  private func count() async throws -> String {
    try await newsimport("sql", "SELECT count(*) AS n FROM articles").out
  }

  /// Sets the day of the last deletion to the day before.
  private func goOneDayBack() async throws {
    try newsimport.execute("UPDATE upkeep SET retained = retained - 86400")
  }

  @Test func `a fetch deletes old articles once a day if the configuration says so`() async throws {
    defer { server.stop() }
    let auto = "[retention]\nkeep_last = 2\nauto = true\n"
    _ = try await newsimport("region", "add", "world", server.url("/a"), server.url("/b"))
    #expect(try await fetch("[retention]\nkeep_last = 2\n", "-q").status == 0)
    #expect(try await count() == "n\n10\n")
    let first = try await fetch(auto, "-v")
    #expect(first.status == 0 && first.err == "")
    #expect(
      first.out.hasSuffix("\ndeleted  6 articles of 2 feeds, not among the newest 2 ([retention])\n"),
      "\(first.out)")
    #expect(try await count() == "n\n4\n")
    #expect(try await fetch(auto.replacing("2", with: "1"), "-v").out.contains("deleted") == false)
    try await goOneDayBack()
    let quiet = try await fetch(auto.replacing("2", with: "1"))
    #expect(quiet == .init(status: 0, out: "", err: ""))
    #expect(try await count() == "n\n2\n")
    try await goOneDayBack()
    _ = try await newsimport("region", "add", "world", server.url("/c"))
    let json = try await fetch(auto, "--json").out.split(separator: "\n")
    #expect(json.last == #"{"event":"retention","feeds":1,"articles":3,"starred":0,"waiting":0}"#)
    // What was deleted does not come back.
    #expect(try await fetch("", "-q").status == 0)
    #expect(try await count() == "n\n4\n")
  }

  @Test func `old articles of files are deleted, too, although no feed can be polled`() async throws {
    server.stop()
    let feed = try newsimport.folder.write("a.xml", TestFeed.rss(count: 5).utf8)
    _ = try await newsimport("import", "--region", "world", "--feed", "file:a", feed)
    let run = try await fetch("[retention]\nkeep_last = 2\nauto = true\n", "-v")
    #expect(run.out == "deleted  3 articles of 1 feed, not among the newest 2 ([retention])\n", "\(run)")
    #expect(try await count() == "n\n2\n")
  }

  @Test func `a prune that only shows what it would delete does not count as a deletion`() async throws {
    defer { server.stop() }
    let auto = "[retention]\nkeep_last = 2\nauto = true\n"
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    _ = try await fetch("", "-q")
    let file = try newsimport.folder.write("config.toml", auto.utf8)
    #expect(try await newsimport("prune", "--dry-run", "--config", file).status == 0)
    #expect(try await count() == "n\n5\n")
    _ = try await fetch(auto, "-q")
    #expect(try await count() == "n\n2\n")
  }
}
