import Foundation
import GRDB
import LoopbackServer
import TestSupport
import Testing

/// A history that another program has damaged.
@Suite struct ChangeFaultTests {
  private let feed: EditedFeed
  private static let trigger =
    "the trigger article_version_update, which keeps old values, is missing or was changed"
  private static let advice =
    "restore a backup, or copy what can be read with newsimport store check --repair FILE"

  /// A feed whose article was edited twice.
  init() async throws {
    feed = try EditedFeed()
    for title in ["One", "Two", "Three"] { try await feed.fetch(.init(title: title)) }
  }

  private func edit(_ sql: String) async throws {
    try feed.newsimport.execute(sql)
  }

  private func changes(_ arguments: String...) async throws -> CommandRun.Result {
    try await feed.newsimport.run(["changes", "--json"] + arguments)
  }

  @Test func `without its trigger, changes are refused, and readers of versions warn`() async throws {
    defer { feed.server.stop() }
    try await edit("DROP TRIGGER article_version_update")
    #expect(
      try await changes()
        == .init(
          status: 65, out: "",
          err: "newsimport: \(feed.newsimport.store): \(Self.trigger): changes are missed; \(Self.advice)\n"))
    let warning =
      "newsimport: \(feed.newsimport.store): \(Self.trigger): changes since then are missing here; \(Self.advice)\n"
    for arguments in [["diff", "1"], ["show", "1", "--version", "1"]] {
      let result = try await feed.newsimport.run(arguments)
      #expect(result.status == 0 && result.err == warning && !result.out.isEmpty, "\(arguments): \(result)")
    }
    #expect(try await feed.newsimport("show", "1").err == "")
  }

  @Test func `--follow ends if the trigger is removed`() async throws {
    defer { feed.server.stop() }
    let store = feed.newsimport.store
    let output = feed.newsimport.folder.file("out")
    let ended = try await Command.run(
      "/bin/sh", ["-c", "exec \(Command.builtProducts)/newsimport changes --json --follow > '\(output)'"],
      environment: ["NEWSIMPORT_STORE": store, "HOME": feed.newsimport.folder.path]
    ) { _ in
      try await until(
        "the first change", { !((try? String(contentsOfFile: output, encoding: .utf8)) ?? "").isEmpty })
      try await DatabaseQueue(path: store).write { db in
        try db.execute(sql: "DROP TRIGGER article_version_update")
      }
    }
    #expect(ended.status == 65 && ended.err.contains(Self.trigger))
  }

  @Test
  func `a removed table of the history is reported, and its tokens stay invalid after it was created again`()
    async throws
  {
    defer { feed.server.stop() }
    let tokens = try await changes().out.split(separator: "\n").map { line in
      String(try #require(line.firstMatch(of: #/"token":"([^"]+)"/#)).1)
    }
    _ = try await changes("--consumer", "new", "--limit", "1")
    try await edit("DROP TABLE persistent_history")
    let missing = try await changes()
    #expect(missing.status == 65)
    #expect(
      missing.err.contains("the table persistent_history, which has the changes, is missing: changes are"))
    #expect(
      try await feed.newsimport("store", "check").out.contains("the table persistent_history, which has"))
    try await feed.fetch(.init(title: "Four"))
    for token in tokens { #expect(try await changes("--since", token).status == 65) }
    #expect(try await changes("--consumer", "new").status == 65)
    let kept = try await changes().out
    #expect(kept.contains(#""old":{"title":"Three"},"new":{"title":"Four"}"#), "\(kept)")
    #expect(kept.split(separator: "\n").count == 1)
  }

  @Test func `a transaction that was deleted is reported, and what follows is printed`() async throws {
    defer { feed.server.stop() }
    let all = try await changes().out.split(separator: "\n")
    let number = try #require(all[1].firstMatch(of: #/"token":"(\d+)/#)).1
    try await edit("DELETE FROM persistent_history WHERE token = \(number)")
    let left = try await changes()
    #expect(left.status == 65)
    #expect(left.out.split(separator: "\n") == [all[0], all[2]])
    #expect(
      left.err
        == "newsimport: \(feed.newsimport.store): another program has deleted transaction \(number) of the history; changes are missed, and what follows is printed\n"
    )
    let token = try #require(all[2].firstMatch(of: #/"token":"([^"]+)"/#)).1
    #expect(try await changes("--since", String(token)) == .init(status: 0, out: "", err: ""))
    let check = try await feed.newsimport("store", "check")
    #expect(check.status == 65 && check.out == "  transaction \(number) of the history is missing\n")
  }

  @Test func `store check finds a transaction that cannot be read`() async throws {
    defer { feed.server.stop() }
    #expect(try await feed.newsimport("store", "check").status == 0)
    try await edit("UPDATE persistent_history SET changes = x'0105' WHERE token = 3")
    let check = try await feed.newsimport("store", "check")
    #expect(check.status == 65 && check.out == "  transaction 3 of the history cannot be read\n")
  }
}
