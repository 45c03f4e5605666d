import Foundation
import LoopbackServer
import TestSupport
import Testing
import Threading

/// `newsimport store copy`, and `store backup` of a server.
@Suite struct StoreCopyTests {
  private let server: LoopbackHTTPServer
  private let edition = Locked(0)

  init() throws {
    let edition = edition
    server = try LoopbackHTTPServer { _ in .ok(Self.feed(edition.withLock { $0 })) }
  }

  /// A feed with long texts, of which a later edition changes some words, so that a file has versions as differences.
  private static func feed(_ edition: Int) -> String {
    let items = (0..<4 + edition).map { number in
      let words = (0..<80).map { "word\($0 == 40 + number && edition > 0 ? "-\(edition)" : "\($0)")" }
      return """
        <item><guid isPermaLink="false">g\(number)</guid><title>T\(number) é \(number == 1 ? edition : 0)</title>
        <description>\(words.joined(separator: " "))</description></item>
        """
    }
    return "<rss version=\"2.0\"><channel><title>Feed</title>\(items.joined())</channel></rss>"
  }

  /// Makes a store with articles, versions, marks, deleted articles, a history and a consumer of it.
  private func fill(_ run: CommandRun) async throws {
    _ = try await run("region", "add", "world", server.url("/a"))
    _ = try await run("region", "add", "tech", server.url("/b"))
    for number in 0..<3 {
      edition.withLock { $0 = number }
      #expect(try await run("fetch", "--all", "-q").status == 0)
    }
    _ = try await run("mark", "read", "1")
    _ = try await run("mark", "starred", "2")
    let lines = try await run("changes", "--consumer", "mail", "--json").out.split(separator: "\n")
    let token = try #require(lines.dropLast(2).last?.firstMatch(of: #/"token":"([^"]+)"/#)?.output.1)
    #expect(try await run("changes", "--consumer", "mail", "--ack", String(token)).status == 0)
    _ = try await run("prune", "--keep-last", "5", "--yes")
    #expect(try await run("feed", "rename", server.url("/a"), "--title", "Mine").status == 0)
  }

  /// What users see of a store.
  private func contents(_ run: CommandRun) async throws -> [String] {
    var outputs: [String] = []
    for arguments in [
      ["list", "--json", "--full"], ["changes", "--json", "--marks"],
      ["changes", "--consumer", "mail", "--json"], ["changes", "--list"], ["diff", "2"], ["diff", "3"],
      ["show", "2", "--version", "1"], ["region", "list"], ["feed", "list", "--json"], ["search", "T1"],
      [
        "sql",
        "SELECT article_id, version, seen, kind, summary, replaced, changed, merged FROM versions ORDER BY 1, 2",
      ],
    ] {
      let result = try await run.run(arguments)
      #expect(result.status == 0, "\(arguments): \(result)")
      outputs.append(
        result.out.replacing(run.store, with: "STORE").replacing(#/seen [-0-9]+ [:0-9]+/#, with: "seen"))
    }
    return outputs
  }

  /// An empty place for a store of the other kind.
  private func target(onServer: Bool) throws -> CommandRun { try CommandRun(onServer: onServer) }

  @Test(
    .enabled(if: TestServer.address != nil, "there is no server; make test-postgresql starts one"),
    arguments: [(false, true), (true, false), (true, true)])
  func `a copy has the same articles, versions, marks, log and history`(fromServer: Bool, toServer: Bool)
    async throws
  {
    defer { server.stop() }
    let (original, copy) = (try CommandRun(onServer: fromServer), try CommandRun(onServer: toServer))
    try await fill(original)
    let made = try await original("store", "copy", original.store, copy.store)
    #expect(
      made
        == .init(status: 0, out: "copied  \(copy.store)  2 regions, 2 feeds, 10 articles\n", err: ""))
    let expected = try await contents(original)
    for (found, expected) in zip(try await contents(copy), expected) { #expect(found == expected) }
    let check = try await copy("store", "check")
    #expect(check.status == 0, "\(check)")
    // A new article has a new number, and readers go on where they were.
    edition.withLock { $0 = 3 }
    for run in [original, copy] {
      for arguments in [["fetch", "--all", "-q"], ["changes", "--consumer", "mail", "--json"]] {
        let result = try await run.run(arguments)
        #expect(result.status == 0, "\(arguments): \(result)")
      }
    }
    let numbers = ["sql", "SELECT id, guid, feed_id FROM articles WHERE guid = 'g6' ORDER BY id"]
    #expect(try await copy.run(numbers).out.split(separator: "\n").count == 3)
  }

  @Test func `a copy is made only where no store is`() async throws {
    defer { server.stop() }
    let (original, copy) = (try CommandRun(onServer: false), try CommandRun(onServer: false))
    try await fill(original)
    try await fill(copy)
    let before = try await contents(copy)
    #expect(
      try await original("store", "copy", original.store, copy.store)
        == .init(
          status: 73, out: "",
          err:
            "newsimport: \(copy.store) already exists; name a file that does not exist yet, in a folder that exists\n"
        ))
    #expect(try await contents(copy) == before)
    #expect(
      try await original("store", "copy", "none.sqlite", copy.store)
        == .init(status: 66, out: "", err: "newsimport: none.sqlite: no such store\n"))
    let mistake = try await original("store", "copy", original.store, "mysql://host/news")
    #expect(mistake.status == 64 && mistake.err.contains("a store is a file, or an address"))
  }

  @Test(.enabled(if: TestServer.address != nil, "there is no server; make test-postgresql starts one"))
  func `a copy to a server needs a schema without a store, and a source without attached stores`()
    async throws
  {
    defer { server.stop() }
    let (original, copy) = (try CommandRun(onServer: false), try CommandRun(onServer: true))
    try await fill(original)
    _ = try await copy("region", "add", "world", server.url("/c"))
    let refused = try await original("store", "copy", original.store, copy.store)
    #expect(
      refused
        == .init(
          status: 73, out: "",
          err:
            "newsimport: \(copy.store): there is a store already; name another database, or another schema in search_path\n"
        ))
    #expect(try await copy("region", "list").out.hasPrefix("world"))
    let other = try CommandRun(onServer: false)
    try await fill(other)
    #expect(try await original("store", "attach", other.store, "--name", "old").status == 0)
    let empty = try CommandRun(onServer: true)
    let attached = try await original("store", "copy", original.store, empty.store)
    #expect(attached.status == 64 && attached.err.contains("store detach old"), "\(attached)")
    #expect(try await original("store", "detach", "old").status == 0)
    #expect(
      try await original("store", "copy", original.store, empty.store, "--json").out.contains(
        "\"articles\":10"))
  }

  @Test(.enabled(if: TestServer.address != nil, "there is no server; make test-postgresql starts one"))
  func `a backup of a server is a store in a file`() async throws {
    defer { server.stop() }
    let original = try CommandRun(onServer: true)
    try await fill(original)
    let file = original.folder.file("backup.sqlite")
    let made = try await original("store", "backup", file)
    #expect(made.status == 0 && made.out.hasPrefix("saved  \(file)  "))
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    for arguments in [["list", "--json", "--full"], ["changes", "--json"]] {
      #expect(
        try await original.run(arguments + ["--store", file]).out == original.run(arguments).out,
        "\(arguments)")
    }
    #expect(
      try await original("store", "backup", file)
        == .init(
          status: 73, out: "",
          err:
            "newsimport: \(file) already exists; name a file that does not exist yet, in a folder that exists\n"
        ))
  }
}
