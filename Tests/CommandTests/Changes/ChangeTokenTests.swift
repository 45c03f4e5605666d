import Foundation
import GRDB
import LoopbackServer
import ManagedContext
import NewsModel
import TestSupport
import Testing
import Threading

/// Tokens and consumers of `changes`.
@Suite struct ChangeTokenTests {
  private let newsimport: CommandRun
  private let server: LoopbackHTTPServer
  private let count = Locked(3)

  /// The region `world` with a feed of three articles, which was fetched.
  init() async throws {
    newsimport = try CommandRun()
    let count = count
    server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: count.withLock { $0 })) }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world", "-q")
  }

  private func fetch(_ articles: Int) async throws {
    count.withLock { $0 = articles }
    #expect(try await newsimport("fetch", "world", "-q").status == 0)
  }

  private func lines(_ arguments: String...) async throws -> [String] {
    let result = try await newsimport.run(["changes", "--json"] + arguments)
    #expect(result.status == 0 && result.err == "", "\(result)")
    return result.out.split(separator: "\n").map(String.init)
  }

  private func token(_ line: String?) throws -> String {
    let object = try JSONSerialization.jsonObject(with: Data(try #require(line).utf8)) as? [String: Any]
    return try #require(object?["token"] as? String)
  }

  private func refusal(_ arguments: String...) async throws -> String {
    let result = try await newsimport.run(["changes", "--json"] + arguments)
    #expect(result.status == 65 && result.out == "", "\(result)")
    return result.err
  }

  // MARK: Tokens

  @Test(arguments: [
    "", "x", "1", "1.1", "1-", "1.-00000000", "1.+1-00000000", "1.1.1-00000000", "+1-00000000",
  ])
  func `a text that is no token is refused`(text: String) async throws {
    #expect(ChangeToken(text: text) == nil)
    #expect(
      try await refusal("--since", text.isEmpty ? " " : text).contains("not a token; give the token of"))
    server.stop()
  }

  @Test func `the number of an event that its transaction does not have is refused`() async throws {
    let last = try token(try await lines().last)
    let parts = last.split(separator: "-")
    let transaction = try #require(parts.first?.split(separator: ".").first)
    _ = try await newsimport("changes", "--consumer", "index")
    for number in ["0", "4", "99", "9223372036854775807"] {
      let invented = "\(transaction).\(number)-\(parts[1])"
      let message = "newsimport: \(invented): not a token; its transaction has no event of this number\n"
      #expect(try await refusal("--since", invented) == message)
      #expect(
        try await newsimport("changes", "--consumer", "index", "--ack", invented)
          == .init(status: 65, out: "", err: message))
    }
    #expect(try await lines("--since", "\(transaction).2-\(parts[1])") == [try await lines()[2]])
    server.stop()
  }

  @Test func `a consumer continues at its position, whatever --since is`() async throws {
    #expect(try await lines("--consumer", "index", "--since", "now").isEmpty)
    try await fetch(5)
    // A script that always gives the same options misses nothing.
    let new = try await lines("--consumer", "index", "--since", "now")
    #expect(new.count == 2)
    #expect(try await lines("--consumer", "index", "--since", "0") == new)
    #expect(try await newsimport("changes", "--consumer", "index", "--ack", try token(new.first)).status == 0)
    #expect(try await lines("--consumer", "index", "--since", "0") == Array(new.dropFirst()))
    server.stop()
  }

  @Test func `the text of a token is read again`() {
    let transaction = HistoryToken(4711, check: 0x9f3a_c2d1)
    #expect(ChangeToken(transaction, position: 3).text == "4711.3-9f3ac2d1")
    for token in [ChangeToken(transaction, position: 3), ChangeToken(transaction), .start] {
      #expect(ChangeToken(text: token.text) == token)
    }
    server.stop()
  }

  @Test func `a token of another store is refused, and one of a backup is not`() async throws {
    let last = try token(try await lines().last)
    let copy = newsimport.folder.file("copy.db")
    #expect(try await newsimport("store", "backup", copy).status == 0)
    #expect(try await lines("--store", copy, "--since", last).isEmpty)
    let other = newsimport.folder.file("other.db")
    _ = try await newsimport("region", "add", "world", server.url("/feed"), "--store", other)
    _ = try await newsimport("fetch", "world", "-q", "--store", other)
    let message = try await refusal("--store", other, "--since", last)
    #expect(
      message.hasPrefix("newsimport: \(last): the token belongs to another store, or the store was restored"))
    #expect(message.contains("the oldest valid token is "))
    server.stop()
  }

  @Test func `a token stays valid over vacuum, and not over the return of a backup`() async throws {
    let first = try token(try await lines().last)
    let copy = newsimport.folder.file("copy.db")
    #expect(try await newsimport("store", "backup", copy).status == 0)
    try await fetch(5)
    let second = try token(try await lines().last)
    #expect(try await newsimport("store", "vacuum").status == 0)
    #expect(try await lines("--since", first).count == 2)
    #expect(try await lines("--since", second).isEmpty)
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: newsimport.store + ending)
    }
    try FileManager.default.moveItem(atPath: copy, toPath: newsimport.store)
    #expect(try await lines("--since", first).isEmpty)
    try await fetch(6)
    #expect(try await lines("--since", first).count == 3)
    #expect(try await refusal("--since", second).contains("the store was restored from a backup"))
    server.stop()
  }

  @Test func `a token stays valid when a store of version 10 is migrated`() async throws {
    let all = try await lines()
    try await DatabaseQueue(path: newsimport.store).writeWithoutTransaction { db in
      for statement in [
        "DROP VIEW versions", "DROP TRIGGER article_version_update", "DROP TRIGGER article_version_delete",
        "DROP TABLE article_version", "DROP INDEX persistent_history_followed",
        "ALTER TABLE persistent_history DROP COLUMN followed", "PRAGMA user_version = 10",
      ] { try db.execute(sql: statement) }
    }
    #expect(try await lines("--since", try token(all.first)) == Array(all.dropFirst()))
    try await fetch(4)
    #expect(try await lines("--since", try token(all.last)).count == 1)
    server.stop()
  }

  @Test func `a token whose transaction was purged is refused, with the oldest valid one`() async throws {
    let first = try token(try await lines().first)
    let consumer = ["--consumer", "index"]
    #expect(try await newsimport.run(["changes"] + consumer).status == 0)
    #expect(try await newsimport.run(["changes", "--ack", first] + consumer).status == 0)
    try await fetch(5)
    try newsimport.execute(
      "DELETE FROM persistent_history WHERE token < (SELECT max(token) FROM persistent_history)")
    let message = try await refusal("--since", first)
    #expect(
      message.hasPrefix("newsimport: \(first): the store no longer keeps the changes after this token; "))
    #expect(
      message.contains("the oldest valid token is ") && message.contains("--since 0 prints what is kept"))
    let lost = try await refusal("--consumer", "index")
    #expect(lost.hasPrefix("newsimport: consumer index at ") && lost.contains("--consumer index --since 0"))
    let kept = try await lines("--consumer", "index", "--since", "0")
    #expect(kept.count == 2)
    #expect(try await newsimport("changes", "--consumer", "index", "--ack", try token(kept.last)).status == 0)
    #expect(try await lines("--consumer", "index").isEmpty)
    server.stop()
  }

  // MARK: Consumers

  @Test func `a consumer reads the same events again until it acknowledges them`() async throws {
    let first = try await lines("--consumer", "index")
    #expect(first.count == 3)
    #expect(try await lines("--consumer", "index") == first)
    // A position inside a transaction is kept, too.
    for place in first.indices {
      let ack = try await newsimport(
        "changes", "--consumer", "index", "--ack", try token(first[place]))
      #expect(ack == .init(status: 0, out: "", err: ""))
      #expect(try await lines("--consumer", "index") == Array(first[(place + 1)...]))
    }
    // An older acknowledgement that arrives late moves nothing back.
    #expect(try await newsimport("changes", "--consumer", "index", "--ack", try token(first[0])).status == 0)
    try await fetch(4)
    let next = try await lines("--consumer", "index")
    #expect(next.count == 1)
    #expect(try await lines("--consumer", "new").count == 4)
    #expect(try await lines("--consumer", "late", "--since", "now").isEmpty)
    try await fetch(5)
    #expect(try await lines("--consumer", "late").count == 1)
    server.stop()
  }

  @Test func `a consumer passes over transactions that have no events for it`() async throws {
    let events = try await lines("--consumer", "index")
    #expect(
      try await newsimport("changes", "--consumer", "index", "--ack", try token(events.last)).status == 0)
    #expect(try await newsimport("mark", "read", "1").status == 0)
    #expect(try await newsimport("changes", "--list", "--json").out.contains(#""behind":1}"#))
    #expect(try await lines("--consumer", "index").isEmpty)
    #expect(try await newsimport("changes", "--list", "--json").out.contains(#""behind":0}"#))
    server.stop()
  }

  @Test func `consumers are listed and removed`() async throws {
    let none = try await newsimport("changes", "--list")
    #expect(
      none == .init(status: 0, out: "", err: "no consumers.   Next: newsimport changes --consumer NAME\n"))
    _ = try await lines("--consumer", "index")
    let listed = try await lines("--list")
    #expect(
      listed.count == 1 && listed[0].hasPrefix(#"{"consumer":"index","token":"0","acknowledged":0,"seen":""#))
    #expect(listed[0].hasSuffix(#","behind":1}"#))
    #expect(try await newsimport("changes", "--list").out.contains("index   at 0   seen "))
    let forgotten = try await newsimport("changes", "--consumer", "index", "--forget")
    #expect(forgotten == .init(status: 0, out: "", err: ""))
    #expect(try await lines("--list").isEmpty)
    let unknown = try await newsimport("changes", "--consumer", "index", "--ack", "0")
    #expect(unknown.status == 66 && unknown.err.hasPrefix("newsimport: index: no such consumer; "))
    server.stop()
  }

  @Test(arguments: [
    ["--ack", "0"], ["--forget"], ["--consumer", "a", "--ack", "0", "--since", "0"], ["--full"],
    ["--limit", "0"],
    ["--list", "--marks"], ["--consumer", ""],
    ["--consumer", String(repeating: "é", count: 101)],
  ]) func `options that do not fit together are refused`(arguments: [String]) async throws {
    #expect(try await newsimport.run(["changes"] + arguments).status == 64)
    server.stop()
  }

  /// The loop of the manual: see docs/changes.md.
  @Test func `a loop in the shell handles each event, even if it is killed between its work and --ack`()
    async throws
  {
    let page = try String(
      contentsOf: Repository.folder.appending(path: "docs/changes.md"), encoding: .utf8)
    let part = try #require(page.split(separator: "```sh\n").dropFirst().first?.split(separator: "```").first)
    let script = String(part)
    let bin = newsimport.folder.file("bin")
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: bin + "/newsimport", withDestinationPath: Command.builtProducts + "/newsimport")
    let done = newsimport.folder.file("done")
    // The work appends each event to a file. The first run dies after the work.
    func run(dies: Bool) async throws -> Command.Result {
      let handle = "#!/bin/sh\ncat >> \(done)\n" + (dies ? "kill -9 $PPID\n" : "")
      _ = try newsimport.folder.write("bin/handle", handle.utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bin + "/handle")
      return try await Command.run(
        "/bin/sh", ["-c", script],
        environment: [
          "NEWSIMPORT_STORE": newsimport.store, "HOME": newsimport.folder.path,
          "TMPDIR": newsimport.folder.path,
          "PATH": bin + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/bin:/usr/bin"),
        ])
    }
    #expect(try await run(dies: true).status != 0)
    let first = try String(contentsOfFile: done, encoding: .utf8).split(separator: "\n")
    #expect(first.count == 3)
    let second = try await run(dies: false)
    #expect(second.status == 0 && second.err == "", "\(second)")
    #expect(try String(contentsOfFile: done, encoding: .utf8).split(separator: "\n") == first + first)
    #expect(try await run(dies: false).status == 0)
    try await fetch(4)
    #expect(try await run(dies: false).status == 0)
    let all = try String(contentsOfFile: done, encoding: .utf8).split(separator: "\n")
    #expect(all.count == 7 && Set(all).count == 4)
    server.stop()
  }

  // MARK: Following

  @Test func `events of other processes are printed until SIGINT, and none is missed`() async throws {
    let output = newsimport.folder.file("out")
    @Sendable func lines() -> [String] {
      let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
      return text.split(separator: "\n").map(String.init)
    }
    let result = try await Command.run(
      "/bin/sh",
      ["-c", "exec \(Command.builtProducts)/newsimport changes --json --follow --since 0 > \(output)"],
      environment: ["NEWSIMPORT_STORE": newsimport.store, "HOME": newsimport.folder.path]
    ) { signal in
      for articles in 4...6 {
        try await fetch(articles)
        // Each try is a process of some milliseconds, so this gives the command about ten seconds.
        for _ in 0..<1000 where lines().count < articles { _ = try await newsimport("region", "list") }
      }
      signal(SIGINT)
    }
    #expect(result.status == 130 && result.err == "")
    #expect(lines().count == 6)
    #expect(try await self.lines("--since", "0") == lines())
    server.stop()
  }

  @Test func `the end of the reader ends --follow`() async throws {
    let result = try await Command.run(
      "/bin/sh",
      [
        "-c",
        "{ \(Command.builtProducts)/newsimport changes --follow; echo $? > \(newsimport.folder.file("status")); } | head -1",
      ],
      environment: ["NEWSIMPORT_STORE": newsimport.store, "HOME": newsimport.folder.path])
    #expect(result.status == 0 && result.err == "")
    #expect(try String(contentsOfFile: newsimport.folder.file("status"), encoding: .utf8) == "0\n")
    server.stop()
  }
}
