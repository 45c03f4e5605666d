import Foundation
import GRDB
import LoopbackServer
import TestSupport
import Testing

/// Several processes that use one store at the same time.
@Suite struct SeveralProcessesTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// Runs the same command in several processes at once.
  private func run(_ count: Int, _ arguments: [String]) async throws -> [CommandRun.Result] {
    try await withThrowingTaskGroup { group in
      for _ in 0..<count { group.addTask { try await newsimport.run(arguments) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  private func ask(_ sql: String) throws -> [String] {
    try newsimport.rows(sql)
  }

  /// A server of feeds with three articles each.
  private func server(after gate: Gate? = nil) throws -> LoopbackHTTPServer {
    try LoopbackHTTPServer { request in
      let response = ScriptedResponse.ok(TestFeed.rss(count: 3, prefix: request.path))
      return gate.map { response.after($0) } ?? response
    }
  }

  private func expectWhole(feeds: Int) throws {
    #expect(
      try ask("SELECT count(*) || ' of ' || count(DISTINCT guid) FROM article") == [
        "\(3 * feeds) of \(3 * feeds)"
      ])
    #expect(try ask("SELECT count(*) FROM feed WHERE failures > 0") == ["0"])
    #expect(try ask("SELECT origin FROM publisher_claim") == [])
    guard newsimport.schema == nil else { return }
    #expect(try ask("PRAGMA integrity_check") == ["ok"])
    #expect(try ask("PRAGMA journal_mode") == ["wal"])
  }

  @Test(arguments: [2, 8]) func `importers at the same time save every article once`(count: Int) async throws
  {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world"] + (0..<12).map { server.url("/\($0)") })
    let results = try await run(count, ["fetch", "world", "-q"])
    #expect(results.map(\.status) == Array(repeating: 0, count: count))
    #expect(results.map(\.err).joined() == "")
    try expectWhole(feeds: 12)
  }

  @Test func `four processes that begin without a store create one`() async throws {
    let server = try server()
    defer { server.stop() }
    let results = try await run(4, ["region", "add", "world"] + (0..<12).map { server.url("/\($0)") })
    #expect(results.map(\.status) == [0, 0, 0, 0])
    let fetches = try await run(4, ["fetch", "world", "-q"])
    #expect(fetches == Array(repeating: .init(status: 0, out: "", err: ""), count: 4))
    try expectWhole(feeds: 12)
  }

  @Test func `first imports in bulk at the same time save every article once`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world"] + (0..<250).map { server.url("/\($0)") })
    let results = try await run(3, ["fetch", "world", "-q"])
    #expect(results == Array(repeating: .init(status: 0, out: "", err: ""), count: 3))
    try expectWhole(feeds: 250)
  }

  @Test func `overlapping fetches of due feeds poll each feed exactly once`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world"] + (0..<12).map { server.url("/\($0)") })
    let results = try await run(8, ["fetch", "--due", "-q"])
    #expect(results.map(\.status) == Array(repeating: 0, count: 8))
    #expect(server.requests.map(\.path).sorted() == (0..<12).map { "/\($0)" }.sorted())
    try expectWhole(feeds: 12)
  }

  @Test func `a run that was stopped for longer than its claim does not overwrite a newer answer`()
    async throws
  {
    let gate = Gate()
    let count = Counter()
    let server = try LoopbackHTTPServer { _ in
      count.increment()
      let isFirst = count.value == 1
      let feed = TestFeed.rss([("1", isFirst ? "Old title" : "New title")])
      let response = ScriptedResponse.ok(feed, headers: [isFirst ? "ETag: \"old\"" : "ETag: \"new\""])
      return isFirst ? response.after(gate) : response
    }
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world", server.url("/")])
    let late = try await newsimport.run(["fetch", "world"]) { signal in
      await server.waitForRequests(1)
      signal(SIGSTOP)
      // Its claim expires.
      try newsimport.execute(
        "UPDATE publisher_claim SET expiry = expiry - 400")
      let next = try await newsimport("fetch", "world")
      #expect(next == .init(status: 0, out: "world   1 feed   1 updated   1 new\n", err: ""))
      gate.open()
      signal(SIGCONT)
    }
    #expect(late.status == 0)
    #expect(try ask("SELECT title FROM article") == ["New title"])
    let etag = newsimport.schema == nil ? "x'226e657722'" : "'\\x226e657722'"
    #expect(try ask("SELECT fetches FROM feed WHERE etag = \(etag)") == ["1"])
  }

  // MARK: Locks

  /// Holds the write lock of the store while `body` runs.
  private func locked<Value>(_ body: (DatabaseQueue) async throws -> Value) async throws -> Value {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let holder = try DatabaseQueue(path: newsimport.store, configuration: configuration)
    try holder.inDatabase { db in try db.execute(sql: "BEGIN IMMEDIATE") }
    return try await body(holder)
  }

  @Test func `a fetch waits for a process that holds the lock of the store for long`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world", server.url("/")])
    let terminal = try Terminal(columns: 100)
    let result = try await locked { holder in
      try await newsimport.run(["fetch", "world"], on: terminal) { _ in
        await terminal.wait(for: "newsimport: waiting for another process that uses the store")
        try holder.inDatabase { db in try db.execute(sql: "COMMIT") }
      }
    }
    #expect(result.status == 0)
    try expectWhole(feeds: 1)
  }

  @Test func `a fetch gives up if the store stays locked`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world", server.url("/")])
    let result = try await locked { _ in try await newsimport("fetch", "world") }
    #expect(
      result
        == .init(
          status: 75, out: "",
          err:
            "newsimport: \(newsimport.store): the store is busy, another process is using it; try again later\n"
        ))
    #expect(server.requests.isEmpty)
    #expect(try await newsimport("fetch", "world").status == 0)
    try expectWhole(feeds: 1)
  }
}
