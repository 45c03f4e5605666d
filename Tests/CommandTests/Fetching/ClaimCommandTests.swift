import LoopbackServer
import TestSupport
import Testing

/// Several processes that fetch from one store at the same time.
@Suite struct ClaimCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @Test func `a fetch of what is due leaves publishers to another run that holds them, and says so`()
    async throws
  {
    let gate = Gate()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)).after(gate) }
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world"] + ["/a", "/b"].map { server.url($0) })
    let first = try await newsimport.run(["fetch", "world"]) { _ in
      await server.waitForRequests(2)
      let second = try await newsimport.run(["fetch", "--due"])
      gate.open()
      #expect(
        second == .init(status: 0, out: "", err: "nothing due; another run is fetching 2 feeds\n"))
    }
    #expect(first == .init(status: 0, out: "world   2 feeds   2 updated   2 new\n", err: ""))
    #expect(server.requests.map(\.path).sorted() == ["/a", "/b"])
  }

  @Test func `a fetch by hand waits for a publisher that another run holds`() async throws {
    let gate = Gate()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)).after(gate) }
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world", server.url("/a")])
    let results = try await withThrowingTaskGroup(of: CommandRun.Result.self) { group in
      for _ in 0..<2 { group.addTask { try await newsimport.run(["fetch", "world"]) } }
      await server.waitForRequests(1)
      gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    // The run that comes second finds the news of the first, or begins after it.
    #expect(results.map(\.status) == [0, 0])
    #expect(results.contains(.init(status: 0, out: "world   1 feed   1 updated   1 new\n", err: "")))
    #expect(server.mostRequestsAtOnce == 1)
  }

  @Test func `feeds that another run has not claimed are fetched`() async throws {
    let gate = Gate()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)).after(gate) }
    defer { server.stop() }
    let free = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { free.stop() }
    _ = try await newsimport.run(["region", "add", "world", server.url("/a")])
    _ = try await newsimport.run(["region", "add", "tech", server.url("/a"), free.url("/free")])
    _ = try await newsimport.run(["fetch", "world"]) { _ in
      await server.waitForRequests(1)
      let second = try await newsimport("fetch", "tech", "--due", "-v")
      gate.open()
      #expect(second.status == 0)
      #expect(second.err == "")
      #expect(second.out.contains("not polled    \(server.url("/a"))  being fetched by another run\n"))
      #expect(
        second.out.contains(
          "tech   2 feeds   1 updated   1 new   1 not polled (being fetched by another run)\n"))
    }
    #expect((server.requests + free.requests).map(\.path) == ["/a", "/free"])
  }

  @Test(arguments: [["fetch", "world"], ["fetch", "--due"]])
  func `the claims of a killed run delay no other run`(arguments: [String]) async throws {
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

  @Test func `a stopped run releases its claims`() async throws {
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
