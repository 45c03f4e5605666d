import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The addresses that messages name, and the secrets that they leave out.
@Suite struct AddressesInWordsTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @Test func `a failure behind a redirect names both addresses`() async throws {
    let server = try LoopbackHTTPServer { request in
      switch request.path {
      case "/away": .redirect(302, to: "http://reader:secret@127.0.0.1:1/feed")
      case "/moved": .redirect(301, to: "/missing")
      default: .status(404, "Not Found")
      }
    }
    defer { server.stop() }
    _ = try await newsimport.run(
      ["region", "add", "world"] + ["/away", "/moved", "/plain"].map { server.url($0) })
    let result = try await newsimport("fetch", "world")
    #expect(result.status == 69)
    let lines = result.err.split(separator: "\n").map(String.init)
    try #require(lines.count == 3)
    #expect(
      lines[0].hasPrefix("newsimport: \(server.url("/away")): could not connect to 127.0.0.1 port 1: no"))
    #expect(lines[0].contains(", at http://reader@127.0.0.1:1/feed; next try"))
    #expect(
      lines[1].hasPrefix(
        "newsimport: \(server.url("/moved")): HTTP 404 (not found), at \(server.url("/missing")); next try"))
    #expect(lines[2].hasPrefix("newsimport: \(server.url("/plain")): HTTP 404 (not found); next try"))
    #expect(!result.err.contains("secret"))
  }

  @Test func `an unreachable proxy is named without its password`() async throws {
    _ = try await newsimport("region", "add", "world", "http://news.example/feed")
    let result = try await Command.run(
      Command.builtProducts + "/newsimport", ["fetch", "world"],
      environment: [
        "NEWSIMPORT_STORE": newsimport.store, "HOME": newsimport.folder.path,
        "http_proxy": "http://me:secret@127.0.0.1:1",
      ])
    #expect(result.status == 69)
    #expect(
      result.err.hasPrefix(
        "newsimport: no server could be reached for 1 feed (http://news.example: proxy http://me@127.0.0.1:1: could not connect to 127.0.0.1 port 1: no server"
      ))
    #expect(!result.err.contains("secret"))
  }

  @Test func `with --public-only a private proxy is refused and named`() async throws {
    _ = try await newsimport("region", "add", "world", "http://news.example/feed")
    let result = try await Command.run(
      Command.builtProducts + "/newsimport", ["fetch", "world", "--public-only"],
      environment: [
        "NEWSIMPORT_STORE": newsimport.store, "HOME": newsimport.folder.path,
        "http_proxy": "http://me:secret@127.0.0.1:1",
      ])
    #expect(
      result.err.hasPrefix(
        "newsimport: http://news.example/feed: address refused: the proxy http://me@127.0.0.1:1 (127.0.0.1) is not public; "
      ), "\(result.err)")
  }

  @Test
  func `the password of an address is sent only to the server of the address`()
    async throws
  {
    let other = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { other.stop() }
    let away = other.url("/new")
    let server = try LoopbackHTTPServer { request in
      switch request.path {
      case "/away": .redirect(301, to: away)
      case "/old": .redirect(301, to: "http://\(request.text(of: "Host") ?? "")/new")
      case _ where request.value(of: "Authorization") == nil: .status(401, "Unauthorized")
      default: .ok(TestFeed.rss(count: 1))
      }
    }
    defer { server.stop() }
    let urls = ["/old", "/away"].map { "http://u:pw@127.0.0.1:\(server.port)\($0)" }
    _ = try await newsimport.run(["region", "add", "world"] + urls)
    for _ in 0..<2 {
      let run = try await newsimport("fetch", "world")
      #expect(run.status == 0, "\(run.err)")
    }
    #expect(server.requests.map(\.path).sorted() == ["/away", "/away", "/new", "/new", "/old"])
    let shown = "http://u@127.0.0.1:\(server.port)"
    let fixed = try await newsimport("doctor", "--fix")
    #expect(
      fixed.out == """
        moved   \(shown)/away   -> \(away), another host, to which its credentials or headers are not sent
        fixed   \(shown)/old    -> \(shown)/new

        """)
    let run = try await newsimport("fetch", "world")
    #expect(run.status == 0, "\(run.err)")
  }

  @Test func `doctor reports but does not fix a feed with credentials that moved to another host`()
    async throws
  {
    let other = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { other.stop() }
    let target = other.url("/new")
    let server = try LoopbackHTTPServer { _ in .redirect(301, to: target) }
    defer { server.stop() }
    let config = try newsimport.folder.write(
      "config.toml", "[region.world]\nheaders = { \"X-Key\" = \"open\" }\n".utf8)
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world", "-q", "--config", config)
    let told = try await newsimport("doctor", "--fix", "--config", config)
    #expect(
      told.out
        == "moved   \(server.url("/feed"))   -> \(target), another host, to which its credentials or headers are not sent\n"
    )
    #expect(
      told.err == "1 finding: 1 moved.  Add the new address, with its headers or credentials, yourself\n")
    // Nor where the configuration with the header is not in force.
    #expect(try await newsimport("doctor", "--fix") == told)
    #expect(try await newsimport("region", "list", "--json").out.contains(server.url("/feed")))
    _ = try await newsimport("fetch", "world", "-q", "--config", config)
    #expect(server.requests.count == 2 && server.requests.allSatisfy { $0.text(of: "X-Key") == "open" })
    #expect(other.requests.allSatisfy { $0.text(of: "X-Key") == nil })
  }

  @Test func `a pause of more than a week is reported as the week that is obeyed`() async throws {
    let server = try LoopbackHTTPServer { _ in
      .status(503, "Service Unavailable", headers: ["Retry-After: 2592000"])
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    _ = try await newsimport("fetch", "world", "-q")
    let explained = try await newsimport("explain", "/a").out
    #expect(
      explained.contains(
        "the server requested a pause longer than 7 d, the longest that is obeyed (Retry-After)\n"))
  }

  @Test func `explain prints the schedule that the document states as JSON`() async throws {
    let document = TestFeed.rss(count: 1).replacingOccurrences(
      of: "<link>https://example.org/</link>",
      with:
        "<ttl>90</ttl><skipHours><hour>3</hour><hour>4</hour></skipHours><skipDays><day>Sunday</day></skipDays>"
    )
    let server = try LoopbackHTTPServer { _ in .ok(document) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    _ = try await newsimport("fetch", "world", "-q")
    let json = try await newsimport("explain", "/a", "--json").out
    #expect(json.contains(#""time_to_live":5400"#))
    #expect(json.contains(#""skip_hours":[3,4]"#))
    #expect(json.contains(#""skip_days":["Sun"]"#))
  }

  @Test func `a discovery sends the user's headers to the given host only, and the agent to all`()
    async throws
  {
    let other = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { other.stop() }
    let link = other.url("/feed")
    let server = try LoopbackHTTPServer { request in
      request.text(of: "X-Key") == "open"
        ? .ok(
          "<html><link rel=alternate type=application/rss+xml href=\"\(link)\">",
          headers: ["Content-Type: text/html"])
        : .status(401, "Unauthorized")
    }
    defer { server.stop() }
    let config = try newsimport.folder.write(
      "config.toml", "[region.world]\nuser_agent = \"mine/1\"\nheaders = { \"X-Key\" = \"open\" }\n".utf8)
    let result = try await newsimport(
      "region", "add", "world", "--discover", server.url("/"), "--config", config)
    // The feed is found but not added: the region's fetches would send the header to its host.
    #expect(result.status == 1 && result.err.contains("its feed is at \(link), another host"))
    #expect(server.requests.map { $0.text(of: "X-Key") } == ["open"])
    #expect(other.requests.map { $0.text(of: "X-Key") } == [nil])
    #expect((server.requests + other.requests).allSatisfy { $0.text(of: "User-Agent") == "mine/1" })
  }
}
