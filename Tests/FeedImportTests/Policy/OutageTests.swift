import FeedImport
import Foundation
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing

/// Runs while servers cannot be reached.
@Suite struct OutageTests {
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  private func run(countsUnreachable: Bool = false) async throws -> FeedImporter.End {
    var options = ImportOptions(userAgent: "newsimport-test")
    options.connectTimeout = 2
    return try await FeedImporter(root: store.root, options: options)
      .run(try await store.requests(), countsUnreachable: countsUnreachable)
  }

  private func server(_ name: String) throws -> LoopbackHTTPServer {
    try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1, prefix: name)) }
  }

  @Test func `if no server can be reached no failure is counted, and the feeds stay due`() async throws {
    let servers = [try server("a"), try server("b")]
    try await store.add(servers.map { $0.url("/feed") } + ["http://127.0.0.1:1/never-worked"])
    _ = try await run()
    let before = try await store.feeds()
    for server in servers { server.stop() }
    let end = try await run()
    #expect(end.unreachable.count == 3 && !end.isReached)
    #expect(
      end.unreachable.values.allSatisfy {
        $0.code == .noConnection && $0.description.hasSuffix("(connection refused)")
      })
    #expect(try await store.feeds() == before)
  }

  @Test func `one server that answers shows that the others have failed`() async throws {
    let (dead, living) = (try server("a"), try server("b"))
    defer { living.stop() }
    try await store.add([dead.url("/feed"), living.url("/feed")])
    _ = try await run()
    dead.stop()
    let end = try await run()
    #expect(end.unreachable.isEmpty && end.isReached)
    #expect(try await store.feeds().map(\.failures) == [1, 0])
  }

  @Test func `an answer with an error status is an answer`() async throws {
    let (dead, failing) = (try server("a"), try LoopbackHTTPServer { _ in .status(500) })
    defer { failing.stop() }
    try await store.add([dead.url("/feed"), failing.url("/feed")])
    _ = try await run()
    dead.stop()
    _ = try await run()
    #expect(try await store.feeds().map(\.failures) == [1, 2])
  }

  @Test func `feeds that have never worked fail even if nothing can be reached`() async throws {
    try await store.add(["http://127.0.0.1:1/a", "http://127.0.0.1:1/b"])
    for count in 1...2 {
      let end = try await run()
      #expect(end.unreachable.isEmpty)
      #expect(try await store.feeds().map(\.failures) == [count, count])
    }
  }

  @Test func `failures are counted if the caller requests it`() async throws {
    let server = try server("a")
    try await store.add([server.url("/feed")])
    _ = try await run()
    server.stop()
    #expect(try await run(countsUnreachable: true).unreachable.isEmpty)
    #expect(try await store.feeds().map(\.failures) == [1])
  }

  @Test(arguments: ["511", "same page", "redirect"])
  func `answers of a network that wants a login are no failures`(kind: String) async throws {
    let portal = try LoopbackHTTPServer { _ in .ok("<!DOCTYPE html><title>Log in</title>") }
    defer { portal.stop() }
    let login = portal.url("/login")
    let servers = try (1...3).map { number in
      try LoopbackHTTPServer { request in
        switch kind {
        case "511": .status(511, "Network Authentication Required")
        case "same page":
          .ok("<!DOCTYPE html><title>Log in</title><a href='/login?for=\(number)'>to \(number)</a>")
        default: .redirect(302, to: login + "?from=" + request.path)
        }
      }
    }
    defer { for server in servers { server.stop() } }
    try await store.add(servers.map { $0.url("/feed") })
    let end = try await run()
    #expect(end.unreachable.count == 3 && !end.isReached && end.isOffline && end.outageCause == .loginPage)
    #expect(try await store.feeds().allSatisfy { $0.failures == 0 && $0.nextFetch == nil })
    // With a feed that can be reached the others have failed.
    let living = try server("a")
    defer { living.stop() }
    try await store.add([living.url("/feed")])
    let other = try await run()
    #expect(other.unreachable.isEmpty && other.outageCause == nil)
    #expect(try await store.feeds().map(\.failures).sorted() == [0, 1, 1, 1])
  }
}
