import FeedImport
import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import NewsCommand
@testable import NewsConfiguration

/// The text of cron's mails while the network is down.
@Suite struct OutageCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private func makeDue() throws {
    try newsimport.execute("UPDATE feed SET next_fetch = 1")
  }

  // The last is the name before version 1.
  @Test(arguments: [[], ["--report-after", "3"], ["--mail-after", "3"]])
  func `an outage is reported once when it begins and once when it is over`(mail: [String]) async throws {
    var server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    _ = try await newsimport.run(["region", "add", "world"] + (1...3).map { server.url("/\($0)") })
    _ = try await newsimport("fetch", "world", "-q")
    server.stop()
    func run() async throws -> CommandRun.Result {
      try makeDue()
      return try await newsimport.run(["fetch", "--due", "--quiet"] + mail)
    }
    let began = try await run()
    let cause =
      "could not connect to 127.0.0.1 port \(server.port): no server listens there (connection refused)"
    #expect(
      began
        == .init(
          status: 69, out: "",
          err:
            "newsimport: no server could be reached for 3 feeds (http://127.0.0.1:\(server.port): \(cause)); is the "
            + "network down? No failure was counted, the next fetch tries again\n"))
    for _ in 1...3 {
      #expect(try await run() == .init(status: mail.isEmpty ? 69 : 0, out: "", err: ""))
    }
    // A run by hand reports the outage each time.
    #expect(try await newsimport("fetch", "world", "-q").err == began.err)
    server = try LoopbackHTTPServer(port: server.port) { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    let over = try await run()
    #expect(over.status == 0 && over.out == "")
    #expect(
      over.err.wholeMatch(of: #/newsimport: servers can be reached again, after \d+ (s|min)( \d+ s)?\n/#)
        != nil)
    #expect(try await run() == .init(status: 0, out: "", err: ""))
    let failures = try await newsimport("sql", "SELECT max(failures) FROM feeds", "--format", "tsv")
    #expect(failures.out.hasSuffix("\n0\n"))
  }

  @Test func `a message states how many feeds were not polled because of an outage`() {
    func line(left: Int) -> String {
      OutageNotice.line(.network, unreachable: 4160, example: "https://a.example: no route", left: left)
    }
    let start =
      "no server could be reached for 4,160 feeds (https://a.example: no route); is the network down? "
    #expect(line(left: 0) == start + "No failure was counted, the next fetch tries again")
    #expect(
      line(left: 1)
        == start + "No failure was counted, and 1 other feed was not polled; the next fetch tries again")
    #expect(
      line(left: 9000)
        == start + "No failure was counted, and 9,000 other feeds were not polled; the next fetch tries again"
    )
  }

  @Test func `a JSON object states that nothing was counted`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world", "-q")
    server.stop()
    let result = try await newsimport("fetch", "world", "--json")
    #expect(result.out.contains("\"outcome\":\"failed\",\"status\":null,\"new\":null"))
    #expect(result.out.contains("(connection refused)\""))
    let verbose = try await newsimport("fetch", "world", "-v")
    #expect(
      verbose.out.contains("  failed        \(server.url("/feed"))  not counted: could not connect to "))
    #expect(verbose.out.contains("world   1 feed   1 failed\n"))
  }
}
