import Foundation
import LoopbackServer
import PostgreSQLStore
import TestSupport
import Testing

/// The numbers of statements that commands send to a store.
@Suite struct StatementCountTests {
  @Test(arguments: StoreKind.lasting, [false, true])
  func `a command sends at most eight statements, however many feeds there are`(
    _ kind: StoreKind, haveCopies: Bool
  ) async throws {
    let publisher = try LoopbackHTTPServer { request in
      let name = haveCopies ? "" : request.path
      return request.path.hasPrefix("/gone")
        ? .status(404, "Not Found")
        : .ok(TestFeed.rss((1...8).map { ("guid\(name)-\($0)", "Title \($0) of \(name)") }))
    }
    defer { publisher.stop() }
    let newsimport = try CommandRun(onServer: kind == .postgresql)
    _ = try newsimport.folder.write(
      ".config/newsimport/config.toml", "[region.world]\ninterval = '1h'\n".utf8)
    func add(_ names: [String]) async throws {
      _ = try await newsimport.run(
        ["region", "add", "world"]
          + names.flatMap { [publisher.url("/\($0)"), publisher.url("/gone/\($0)")] })
      _ = try await newsimport("fetch", "world", "-q")
      _ = try await newsimport("search", "Title")
    }
    try await add(["a", "b"])
    let articles = [
      "list --limit 8", "list --json --limit 8", "list world --unread --limit 8", "search Title --limit 8",
      "export --limit 8",
    ]
    // Without a region, doctor also checks each table of a file.
    let commands =
      articles + [
        "stats", "stats --by feed", "doctor world", "region list", "feed list world", "feed list",
        "explain \(publisher.url("/a"))", "show 1", "hooks status", "fetch --due", "fetch world --due",
      ] + (kind == .postgresql ? ["doctor"] : [])
    let few = try await statements(commands, newsimport)
    for (command, found) in zip(commands, few) {
      // A page of articles is one more. Copies are compared by their titles, and others are listed instead.
      let more = articles.contains(command) ? 1 : 0
      #expect(found.count <= 8 + more + (haveCopies ? 8 : 0), "\(command): \(found)")
    }
    try await add((0..<20).map { "\($0)" })
    for (command, (few, many)) in zip(commands, zip(few, try await statements(commands, newsimport))) {
      #expect(many.count <= few.count + (haveCopies ? 14 : 0), "\(command): \(many)")
    }
  }

  /// Returns the statements that each command sends. For a file, they are those that read or write its tables.
  private func statements(_ commands: [String], _ newsimport: CommandRun) async throws -> [[String]] {
    var counts: [[String]] = []
    for command in commands {
      let arguments = command.split(separator: " ").map(String.init)
      let result: CommandRun.Result
      if let schema = newsimport.schema {
        let relay = try Relay()
        result = try await newsimport.run(arguments + ["--store", try relay.address(of: schema).text])
        counts.append(Array(repeating: "", count: relay.statements))
      } else {
        let log = try newsimport.folder.write("statements", [])
        result = try await newsimport.run(
          arguments,
          variables: ["LD_PRELOAD": Command.builtProducts + "/libStatementLog.so", "STATEMENT_LOG": log])
        let sent = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\0").map(String.init)
        counts.append(
          sent.filter {
            $0.contains(#/^(SELECT|WITH|INSERT|UPDATE|DELETE)/#) && !$0.contains(#/sqlite_|pragma_/#)
          })
      }
      #expect([0, 1, 75].contains(result.status), "\(command) \(result)")
    }
    return counts
  }
}
