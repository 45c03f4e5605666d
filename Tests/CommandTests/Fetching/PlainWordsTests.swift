import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The messages about feeds that are not polled, or not polled yet.
@Suite struct PlainWordsTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @discardableResult
  private func configure(_ toml: String) throws -> String {
    try newsimport.folder.write(".config/newsimport/config.toml", toml.utf8)
  }

  @Test func `doctor and explain name a missing secret, even before the first fetch`()
    async throws
  {
    let path = try configure("[region.members]\nauth = { bearer_env = \"MISSING_TOKEN\" }\n")
    _ = try await newsimport("region", "add", "members", "http://127.0.0.1:1/a")
    let cause =
      "\(path): auth of region members: the environment variable MISSING_TOKEN is not set; "
      + "export it before the command"
    let doctor = try await newsimport("doctor")
    #expect(doctor.out == "secret   http://127.0.0.1:1/a   \(cause)\n")
    #expect(doctor.err == "1 finding: 1 secret\n")
    #expect(try await newsimport("doctor", "--json").out.contains("\"cause\":\"\(path): auth of region"))
    #expect(try await newsimport("explain", "/a").out.contains("not polled  \(cause)\n"))
    #expect(try await newsimport("explain", "/a", "--json").out.contains("\"not_asked\":\"\(path): auth"))
  }

  @Test func `config check names every missing secret`() async throws {
    let path = try configure(
      """
      [region.a]
      headers = { "X-A" = { env = "MISSING_A" }, "X-B" = { env = "MISSING_B" } }
      [region.b]
      auth = { bearer_env = "MISSING_C" }
      """)
    let check = try await newsimport("config", "check")
    #expect(check.status == 78)
    let lines = check.err.split(separator: "\n")
    #expect(lines.count == 3)
    for (line, name) in zip(lines, ["MISSING_A", "MISSING_B", "MISSING_C"]) {
      #expect(line.hasPrefix("newsimport: \(path): ") && line.contains(" \(name) is not set"))
    }
  }

  @Test func `a failure of a proxy names the proxy, and not the feed's host`() async throws {
    let urls = (0..<7).map { "http://news.example/\($0)" }
    // Without a server that answers, it would be the outage of all.
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world", server.url("/feed")] + urls)
    let run = try await Command.run(
      Command.builtProducts + "/newsimport", ["fetch", "world", "--per-host", "1"],
      environment: [
        "NEWSIMPORT_STORE": newsimport.store, "HOME": newsimport.folder.path,
        "http_proxy": "http://me:secret@127.0.0.1:1", "no_proxy": "127.0.0.1",
      ])
    let lines = run.err.split(separator: "\n")
    #expect(lines.count == 5)
    #expect(
      lines.last
        == "newsimport: proxy http://me@127.0.0.1:1: did not answer 4 feeds of http://news.example; its other 3 feeds were not polled; next try in 1 h"
    )
    let explained = try await newsimport("explain", urls[6]).out
    #expect(explained.contains("the proxy http://me@127.0.0.1:1 did not answer 4 other feeds\n"))
  }

  @Test func `a discovery whose usual paths are paused reports until when`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/page"
        ? .ok("<!DOCTYPE html><title>x</title>", headers: ["Content-Type: text/html"])
        : .status(429, "Busy", headers: ["Retry-After: 3600"])
    }
    defer { server.stop() }
    let result = try await newsimport("region", "add", "tech", "--discover", server.url("/page"))
    #expect(result.status == 69)
    #expect(!result.err.contains("no feed at the usual paths"))
    #expect(
      result.err.hasPrefix(
        "newsimport: \(server.url("/page")): an HTML page without a link to a feed, and its usual paths could not be "
          + "requested: \(server.url("/feed")): HTTP 429 (too many requests); try again after 2"))
    #expect(result.err.hasSuffix(" (Retry-After)\n"))
  }

  @Test func `a discovery of many addresses stops after two refusals`() async throws {
    let server = try LoopbackHTTPServer { _ in .status(429, "Busy", headers: ["Retry-After: 3600"]) }
    defer { server.stop() }
    let urls = (0..<20).map { server.url("/\($0)") }
    let result = try await newsimport.run(["region", "add", "tech", "--discover"] + urls)
    #expect(result.status == 69)
    #expect(result.err.split(separator: "\n").count == 20)
    #expect(result.err.split(separator: "\n").allSatisfy { $0.hasSuffix(" (Retry-After)") })
    // Four requests were in progress.
    #expect(server.requests.count <= 8)
  }

  @Test func `a move is not promised for a feed with a table in the configuration`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/old" ? .redirect(301, to: "/a") : .ok(TestFeed.rss(count: 1))
    }
    defer { server.stop() }
    try configure("[[feed]]\nurl = \"\(server.url("/old"))\"\ninterval = \"20min\"\n")
    _ = try await newsimport("region", "add", "world", server.url("/old"))
    _ = try await newsimport("fetch", "world", "-q")
    let doctor = try await newsimport("doctor")
    #expect(
      doctor.out
        == "moved   \(server.url("/old"))   -> \(server.url("/a")); write it in the feed's table of the configuration, which keeps the old one\n"
    )
    #expect(doctor.err == "1 finding: 1 moved.  Change the table, then apply with --fix\n")
    let explained = try await newsimport("explain", "/old").out
    #expect(
      explained.contains(
        "1 good answer; its table in the configuration keeps the old one: change it there, then newsimport doctor --fix\n"
      ))
  }

  @Test func `explain reports the same about a feed never polled in text and JSON`() async throws {
    _ = try await newsimport("region", "add", "world", "http://127.0.0.1:1/a")
    #expect(try await newsimport("explain", "/a").out.contains("next        now: it was never polled\n"))
    let json = try await newsimport("explain", "/a", "--json").out
    #expect(json.contains("\"next_fetch\":\"2") && json.contains("\"next_reason\":\"it was never polled\""))
  }

  @Test func `explain reports validators only for the address that sent them`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/feed"
        ? .redirect(302, to: "/signed") : .ok(TestFeed.rss(count: 1), headers: ["ETag: \"1\""])
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world", "-q")
    #expect(
      try await newsimport("explain", "/feed").out.contains(
        "validators  etag \"1\"   sent to \(server.url("/signed")) alone\n"))
  }

  @Test func `quiet and verbose exclude each other`() async throws {
    let run = try await newsimport("fetch", "--all", "-q", "-v")
    #expect(run.status == 64)
    #expect(run.err.contains("--quiet or --verbose, not both"))
  }
}
