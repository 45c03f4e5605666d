import LoopbackServer
import TestSupport
import Testing

/// What several processes do that fetch from one store at the same time.
@Suite struct ClaimCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @Test func `a fetch by hand leaves to another run what that is asking, and says so`() async throws {
    let gate = Gate()
    let server = try LoopbackHTTPServer { request in
      request.path == "/free" ? .ok(TestFeed.rss(count: 1)) : .ok(TestFeed.rss(count: 1)).after(gate)
    }
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world"] + ["/a", "/b"].map { server.url($0) })
    _ = try await newsimport.run(["region", "add", "tech", server.url("/a"), server.url("/free")])
    let first = try await newsimport.run(["fetch", "world"]) { _ in
      await server.waitForRequests(2)
      let second = try await newsimport("fetch", "world", "tech", "-v")
      #expect(second.status == 0)
      #expect(second.err == "newsimport: 2 feeds are being fetched by another run, and were left to it\n")
      #expect(second.out.contains("not asked     \(server.url("/a"))  being fetched by another run\n"))
      #expect(second.out.contains("tech    2 feeds   1 updated   1 new   1 not asked\n"))
      let quiet = try await newsimport("fetch", "world", "-q")
      #expect(quiet == .init(status: 0, out: "", err: ""))
      let cron = try await newsimport("fetch", "--due")
      #expect(cron == .init(status: 0, out: "", err: ""))
      gate.open()
    }
    #expect(first == .init(status: 0, out: "world   2 feeds   2 updated   2 new\n", err: ""))
    #expect(server.requests.map(\.path).sorted() == ["/a", "/b", "/free"])
  }

  @Test(arguments: [["fetch", "world"], ["fetch", "--due"]])
  func `a run that was killed holds nothing up`(arguments: [String]) async throws {
    let gate = Gate()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)).after(gate) }
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world", server.url("/a")])
    let killed = try await newsimport.run(arguments) { signal in
      await server.waitForRequests(1)
      signal(9)
    }
    #expect(killed.status == -9)
    gate.open()
    let next = try await newsimport.run(arguments)
    #expect(next == .init(status: 0, out: "world   1 feed   1 updated   1 new\n", err: ""))
    #expect(server.requests.count == 2)
  }

  @Test func `a run that was stopped gives up its claims`() async throws {
    let gate = Gate()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)).after(gate) }
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world", server.url("/a")])
    _ = try await newsimport.run(["fetch", "world"]) { signal in
      await server.waitForRequests(1)
      signal(15)
    }
    #expect(try await !newsimport("explain", "/a").out.contains("claimed"))
  }
}
