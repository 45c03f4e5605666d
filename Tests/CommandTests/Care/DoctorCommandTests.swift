import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import NewsCommand

@Suite struct DoctorCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @Test func `duplicate feeds are reported with the command that merges them`() async throws {
    let server = try LoopbackHTTPServer { request in
      .ok(TestFeed.rss(count: 2, prefix: request.path == "/other" ? "other-" : "item-"))
    }
    defer { server.stop() }
    let (one, two) = (server.url("/one"), server.url("/two"))
    _ = try await newsimport("region", "add", "world", one, two, server.url("/other"))
    _ = try await newsimport("region", "add", "tech", "https://a.example/feed", "http://www.a.example/feed/")
    _ = try await newsimport("fetch", "world", "-q")
    let found = try await newsimport("doctor")
    let gap = String(repeating: " ", count: max(0, two.count - "http://www.a.example/feed/".count))
    #expect(
      found
        == .init(
          status: 0,
          out: """
            duplicate   http://www.a.example/feed/\(gap)   nearly the same address as https://a.example/feed; \
            newsimport feed rename http://www.a.example/feed/ https://a.example/feed makes them one
            duplicate   \(two)   the same document as \(one); newsimport feed rename \(two) \(one) makes them one

            """.split(separator: "\n").sorted { $0.split(separator: " ")[1] < $1.split(separator: " ")[1] }
              .joined(separator: "\n") + "\n",
          err: "2 findings: 2 duplicate.  Merge duplicates with newsimport feed rename\n"))
    let json = try await newsimport("doctor", "--json").out
    #expect(json.contains(#","other":"https://a.example/feed"}"#))
    _ = try await newsimport("feed", "rename", two, one)
    #expect(try await newsimport("doctor", "world").err == "no findings: all feeds are well\n")
  }

  @Test func `machines that poll with different configurations are named`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    let one = try newsimport.folder.write("one.toml", "[fetch]\nper_host = 2\n".utf8)
    let same = try newsimport.folder.write("same.toml", "# The same.\n[fetch]\n  per_host = 2\n\n".utf8)
    let other = try newsimport.folder.write("other.toml", "[fetch]\nper_host = 3\n".utf8)
    _ = try await newsimport("region", "add", "world", server.url("/"))
    for file in [one, same, other] { _ = try await newsimport("fetch", "world", "-q", "--config", file) }
    #expect(try await newsimport("doctor").err == "no findings: all feeds are well\n")
    for file in [one, other] { _ = try await newsimport("fetch", "world", "-q", "--config", file) }
    let found = try await newsimport("doctor")
    let words = try #require(
      found.err.wholeMatch(
        of:
          #/newsimport: feeds are polled with different configurations: (.+) \(last at [-\d]+ [:\d]+\), (.+) \(last at [-\d]+ [:\d]+\); newsimport config check prints that of this machine\n/#
      ), "\(found)")
    #expect(words.output.1 == words.output.2)
    let json = try await newsimport("doctor", "--json").out
    #expect(
      json.hasPrefix(#"{"feed":null,"finding":"configuration","cause":"feeds are polled with "#), "\(json)")
  }

  @Test func `a variable that names other certificates than the one in use is named`() async throws {
    _ = try await newsimport("region", "add", "world", "--no-check", "https://a.example/feed")
    let (one, other) = (["CURL_CA_BUNDLE": "/one.pem"], ["SSL_CERT_FILE": "/other.pem"])
    func found(_ variables: [String: String]) async throws -> Bool {
      try await newsimport.run(["doctor"], variables: variables).err.contains(
        "SSL_CERT_FILE is ignored, because CURL_CA_BUNDLE names another file")
    }
    #expect(try await found(one.merging(other) { $1 }))
    #expect(try await !found(other))
    #expect(try await !found(one.merging(["SSL_CERT_FILE": "/one.pem"]) { $1 }))
  }

  @Test func `a moved feed is repaired only with --fix`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/old"
        ? .status(301, headers: ["Location: /new"]) : .ok(TestFeed.rss(count: 1))
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/old"))
    _ = try await newsimport("fetch", "world", "-q")
    for _ in 0..<2 {
      let found = try await newsimport("doctor")
      #expect(found.out == "moved   \(server.url("/old"))   -> \(server.url("/new"))\n")
      #expect(found.err == "1 finding: 1 moved.  Apply with --fix\n")
    }
    #expect(try await newsimport("doctor", "--fix").out.hasPrefix("fixed"))
  }

  @Test func `a feed that fails repeatedly is reported with the time`() async throws {
    let server = try LoopbackHTTPServer { _ in .status(500) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    for _ in 0..<5 { _ = try await newsimport("fetch", "world", "-q") }
    let found = try await newsimport("doctor")
    #expect(found.out.hasPrefix("failing   \(server.url("/a"))   5 failures in a row, broken for "))
  }

  @Test func `a damaged store is reported`() async throws {
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    _ = try await newsimport("store", "vacuum")
    let handle = try #require(FileHandle(forUpdatingAtPath: newsimport.store))
    // The pages of the tables and indexes follow the first page, which has the schema.
    let size = try handle.seekToEnd()
    try handle.seek(toOffset: size - 16384 * 3)
    try handle.write(contentsOf: Data(repeating: 0x5A, count: 16384))
    try handle.close()
    let result = try await newsimport("doctor")
    #expect(result.status == 65)
    #expect(result.err.contains("corrupt") || result.err.contains("damaged"))
    #expect(!result.err.contains("all feeds are well") && !result.err.contains("***"))
  }
}
