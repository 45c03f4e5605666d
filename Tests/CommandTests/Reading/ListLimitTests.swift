import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import NewsCommand

@Suite struct ListLimitTests {
  @Test func `a terminal has one limit for all commands, and a pipe that of the command`() {
    #expect(ListLimit(nil, isOnTerminal: true).limit == 100)
    #expect(ListLimit(nil, isOnTerminal: true, elsewhere: 20).limit == 100)
    #expect(ListLimit(nil, isOnTerminal: false).limit == nil)
    #expect(ListLimit(nil, isOnTerminal: false, elsewhere: 20).read == 20)
    #expect(ListLimit(7, isOnTerminal: true).read == 8 && ListLimit(7, isOnTerminal: false).read == 7)
  }

  @Test func `the line of a list that is cut has the number of all articles if it is known`() {
    let limit = ListLimit(nil, isOnTerminal: true)
    #expect(limit.text(of: 1204) == "100 of 1,204 articles; --limit N shows more\n")
    #expect(limit.text(of: nil) == "the first 100 articles; --limit N shows more\n")
  }

  @Test func `a list that the limit of a query cuts does not offer more`() async throws {
    let newsimport = try CommandRun()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 9)) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    _ = try await newsimport("fetch", "world", "-q")
    let file = try newsimport.folder.write("config.toml", "[query.some]\nlimit = 4\n".utf8)
    func shown(_ arguments: String...) async throws -> [Substring] {
      try await newsimport.run(arguments + ["--config", file], on: try Terminal(columns: 80)).out
        .split(separator: "\n")
    }
    for limit in [nil, "4", "9"] {
      let option = limit.map { ["--limit", $0] } ?? []
      let list = try await newsimport.run(
        ["list", "@some", "--config", file] + option, on: try Terminal(columns: 80))
      #expect(list.out.split(separator: "\n").count == 4, "\(option): \(list.out)")
    }
    #expect(try await shown("list", "@some", "--limit", "3").last == "3 of 9 articles; --limit N shows more")
    #expect(try await shown("search", "title", "--region", "@some").count == 4)
  }

  @Test func `a list that is cut says so on a terminal, and in a pipe is as before`() async throws {
    let newsimport = try CommandRun()
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 103)) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    _ = try await newsimport("fetch", "world", "-q")
    func shown(_ arguments: String...) async throws -> [Substring] {
      try await newsimport.run(arguments, on: try Terminal(columns: 80)).out.split(separator: "\n")
    }
    let all = try await shown("list", "world")
    #expect(all.count == 101 && all.last == "100 of 103 articles; --limit N shows more")
    let some = try await shown("list", "--limit", "3")
    #expect(some.count == 4 && some.last == "3 of 103 articles; --limit N shows more")
    let found = try await shown("search", "title", "--limit", "2")
    #expect(found.last == "2 of 103 articles; --limit N shows more")
    let named = try await shown("search", "title", "--region", "world", "--limit", "2")
    #expect(named.last == "2 of 103 articles; --limit N shows more")
    let match = try await shown("list", "--match", "title", "--limit", "2")
    #expect(match.last?.hasSuffix(" articles; --limit N shows more") == true)
    for list in [
      ["list", "--limit", "103"], ["list", "--limit", "104"], ["search", "title", "--limit", "103"],
    ] {
      let whole = try await newsimport.run(list, on: try Terminal(columns: 80))
      #expect(!whole.out.contains("--limit"), "\(list)")
    }
    let pipe = try await newsimport("list", "world")
    #expect(pipe.err == "" && pipe.out.split(separator: "\n").count == 103)
    let json = try await newsimport.run(["list", "--json"], on: try Terminal(columns: 80))
    #expect(json.out.split(separator: "\n").count == 103)
    let best = try await newsimport("search", "title", "--json")
    #expect(best.err == "" && best.out.split(separator: "\n").count == 20)
  }
}
