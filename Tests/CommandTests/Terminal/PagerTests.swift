import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import NewsCommand

@Suite struct PagerCommandTests {
  @Test(
    arguments: [
      ([:], nil, nil), (["TERM": "dumb", "PAGER": "more"], nil, nil), (["TERM": "xterm"], nil, "less"),
      (["TERM": "xterm", "PAGER": "more"], nil, "more"),
      (["TERM": "xterm", "PAGER": "more"], "most -x", "most -x"),
      (["TERM": "xterm", "NEWSIMPORT_PAGER": "less -S", "PAGER": "more"], "most", "less -S"),
      (["NEWSIMPORT_PAGER": "less -S"], nil, "less -S"),
      (["TERM": "xterm", "NEWSIMPORT_PAGER": ""], nil, nil),
      (["TERM": "xterm", "PAGER": " cat "], nil, nil), (["TERM": "xterm"], "", nil),
    ] as [([String: String], String?, String?)])
  func `the first place that names a pager decides`(
    environment: [String: String], configured: String?, command: String?
  ) {
    #expect(PagerCommand.text(configured: configured, environment) == command)
  }

  @Test func `a shell starts only commands that need one`() {
    #expect(PagerCommand.words(of: " less  -S ") == ["less", "-S"])
    #expect(PagerCommand.words(of: "less | tee x").first == "/bin/sh")
  }

  @Test func `the user's options of less are kept`() {
    #expect(PagerCommand.environment([:])["LESS"] == "FRX")
    #expect(PagerCommand.environment(["LESS": "S"])["LESS"] == "S")
  }
}

@Suite struct PagerTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private func fetch() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 5)) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    _ = try await newsimport("fetch", "world", "-q")
  }

  private func list(_ pager: String, _ arguments: String...) async throws -> CommandRun.Result {
    try await newsimport.run(
      ["list", "world"] + arguments, on: try Terminal(columns: 80), variables: ["NEWSIMPORT_PAGER": pager])
  }

  @Test func `a pager gets the output, in the width of the terminal`() async throws {
    try await fetch()
    let plain = try await list("cat")
    #expect(plain.status == 0 && plain.out.split(separator: "\n").count == 5)
    for pager in ["sed -e s/^/P:/", "sed 's/^/P:/' | cat"] {
      let paged = try await list(pager)
      #expect(paged.status == 0 && paged.out == plain.out.replacing(/(?m)^(?=.)/, with: "P:"), "\(pager)")
    }
    #expect(try await list("sed -e s/^/P:/", "--no-pager") == plain)
  }

  @Test func `a pager has the user's mask for new files`() async throws {
    try await fetch()
    let mask = try await Command.run("sh", ["-c", "umask"]).out
    #expect(try await list("cat > /dev/null; umask").out.contains(mask.trimmingCharacters(in: .newlines)))
  }

  @Test(arguments: ["no-such-pager", "no-such-pager -x", "/"])
  func `a pager that cannot be started does no harm`(pager: String) async throws {
    try await fetch()
    #expect(try await list(pager) == list("cat"))
  }

  @Test func `a pager that ends early does no harm`() async throws {
    try await fetch()
    #expect(try await list("true") == .init(status: 0, out: "", err: ""))
    #expect(try await list("head -n 1").out.split(separator: "\n").count == 1)
    // The shell's message is all that is added.
    let missing = try await list("no-such-pager; exit $?")
    #expect(missing.status == 0)
  }

  @Test func `a message appears in its order, in the pager once that has begun`() async throws {
    let result = try await list("sed -e s/^/P:/")
    #expect(result.status == 66 && result.out.hasPrefix("newsimport:"))
    try await fetch()
    func run(_ arguments: String...) async throws -> CommandRun.Result {
      try await newsimport.run(
        arguments, on: try Terminal(columns: 80), variables: ["NEWSIMPORT_PAGER": "sed -e s/^/P:/"])
    }
    let id = try await newsimport("list", "--limit", "1", "--fields", "id").out.dropLast()
    let after = try await run("show", String(id), "999999")
    let lines = after.out.split(separator: "\n")
    #expect(after.status == 66 && lines.count > 2 && lines.allSatisfy { $0.hasPrefix("P:") }, "\(after.out)")
    #expect(lines.last?.hasPrefix("P:newsimport: 999999: no such article") == true, "\(after.out)")
  }

  @Test func `no pager is started in a pipe`() async throws {
    try await fetch()
    let piped = try await newsimport.run(["list", "world"], variables: ["NEWSIMPORT_PAGER": "true"])
    #expect(piped.out.split(separator: "\n").count == 5)
  }

  @Test func `the configuration names a pager, or none`() async throws {
    try await fetch()
    let file = try newsimport.folder.write("config.toml", "pager = \"sed -e s/^/P:/\"\n".utf8)
    let run = { (variables: [String: String]) in
      try await newsimport.run(
        ["list", "world", "--config", file], on: try Terminal(columns: 80),
        variables: ["TERM": "xterm", "PAGER": "true"].merging(variables) { $1 })
    }
    #expect(try await run([:]).out.hasPrefix("P:"))
    #expect(try await run(["NEWSIMPORT_PAGER": "true"]).out == "")
  }
}
