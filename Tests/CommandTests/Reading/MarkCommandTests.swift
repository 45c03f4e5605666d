import LoopbackServer
import TestSupport
import Testing

@Suite struct MarkCommandTests {
  private let newsimport: CommandRun

  /// Three articles in the region `world`, numbered 1 to 3.
  init() async throws {
    newsimport = try await Self.library.copy()
  }

  private static let library = StoreFixture { newsimport in
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 3)) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world", "-q")
  }

  private func listed(_ options: String...) async throws -> [String] {
    let lines = try await newsimport.run(["list", "world", "--json", "--fields", "id"] + options).out
    return lines.split(separator: "\n").map(String.init).sorted()
  }

  @Test func `articles are marked once, and listed by their marks`() async throws {
    let result = try await newsimport("mark", "read", "1", "2")
    #expect(
      result
        == .init(
          status: 0, out: "marked  2 articles read.   Next: newsimport list --unread\n", err: ""))
    let again = try await newsimport("mark", "read", "2", "3")
    #expect(
      again.out == "marked  1 article read, 1 already was.   Next: newsimport list --unread\n")
    #expect(try await listed("--unread") == [])
    _ = try await newsimport("mark", "unread", "2")
    _ = try await newsimport("mark", "starred", "-", input: "3\n\n2\n")
    #expect(try await listed("--unread") == [#"{"id":2}"#])
    #expect(try await listed("--starred") == [#"{"id":2}"#, #"{"id":3}"#])
    #expect(try await listed("--unread", "--starred") == [#"{"id":2}"#])
    _ = try await newsimport("mark", "unstarred", "2", "3")
    let none = try await newsimport("list", "world", "--starred")
    #expect(none == .init(status: 0, out: "", err: "no articles.   Next: newsimport list world\n"))
  }

  @Test func `a starred article has a star in the list, and fields contain its marks`() async throws {
    _ = try await newsimport("mark", "starred", "2")
    _ = try await newsimport("mark", "read", "3")
    let lines = try await newsimport("list", "world").out.split(separator: "\n")
    #expect(lines.count == 3 && lines.count { $0.contains("★ Title of item-2  2") } == 1)
    #expect(lines.count { $0.contains("★") } == 1)
    let fields = try await newsimport("list", "world", "--fields", "id,read,starred")
    #expect(fields.out == "1\tfalse\tfalse\n2\tfalse\ttrue\n3\ttrue\tfalse\n")
    let json = try await newsimport("show", "2", "--json")
    #expect(json.out.contains("\"read\":false,\"starred\":true,"))
  }

  @Test func `a whole region is marked, or its articles of some dates`() async throws {
    let none = try await newsimport("mark", "read", "--region", "world", "--until", "2001-01-01")
    #expect(none.out == "marked  0 articles read.   Next: newsimport list world --unread\n")
    let all = try await newsimport("mark", "read", "--region", "world")
    #expect(all.out == "marked  3 articles read.   Next: newsimport list world --unread\n")
    let again = try await newsimport("mark", "read", "--region", "world")
    #expect(again.out == "marked  0 articles read, 3 already were.   Next: newsimport list world --unread\n")
    let never = try await newsimport(
      "mark", "read", "--region", "world", "--since", "1d", "--until", "2001-01-01")
    #expect(never.status == 64 && never.out == "")
    #expect(
      never.err.hasPrefix(
        "newsimport: --until is not later than --since: no article is between them; see newsimport mark --help"
      ),
      "\(never.err)")
  }

  @Test func `unknown numbers are reported, and the other articles are marked`() async throws {
    let result = try await newsimport("mark", "starred", "22", "2", "98765")
    #expect(result.status == 66)
    #expect(result.out == "marked  1 article starred.   Next: newsimport list --starred\n")
    #expect(
      result.err == """
        newsimport: 22: no such article; newsimport list shows the numbers
        newsimport: 98765: no such article; newsimport list shows the numbers

        """)
    #expect(try await listed("--starred") == [#"{"id":2}"#])
  }

  @Test(arguments: [
    ["mark", "read"], ["mark", "read", "1", "--region", "world"], ["mark", "seen", "1"],
    ["mark", "read", "1", "--since", "1d"], ["mark", "read", "one"],
  ]) func `missing or invalid arguments are an error on the command line`(arguments: [String]) async throws {
    let result = try await newsimport.run(arguments)
    #expect(result.status == 64 && result.out.isEmpty && !result.err.isEmpty)
  }

  @Test func `all commands read numbers from standard input in the same way`() async throws {
    let input = " 2\r\n\r\n3\r\n"
    for command in [["mark", "read", "-"], ["show", "-"]] {
      let result = try await newsimport.run(command, input: input)
      #expect(result.status == 0, "\(result.err)")
      #expect(try await newsimport.run(command, input: "2\nx\n").status == 65)
      let none = try await newsimport.run(command.dropLast() + ["abc"])
      #expect(none.status == 64)
      #expect(
        none.err.hasPrefix(
          "newsimport: 'abc' is not the number of an article; newsimport list shows the numbers; see newsimport "
        ))
    }
    let shown = try await newsimport("show", "-", input: input).out
    #expect(shown.hasPrefix("── 2  read ───") && shown.contains("─\nTitle of item-3\n"))
    #expect(try await listed("--unread") == [#"{"id":1}"#])
  }

  @Test func `without arguments both ways to name articles are reported`() async throws {
    #expect(
      try await newsimport("mark", "read").err.hasPrefix(
        "newsimport: name articles by their numbers, or choose them with --region, --feed or another option; --all means all; see newsimport mark --help\n"
      ))
  }

  @Test func `without colour unread articles have a sign on a terminal but not in a pipe`() async throws {
    _ = try await newsimport("mark", "starred", "2")
    func shown() async throws -> String {
      try await newsimport.run(["list", "world"], on: try Terminal(columns: 80)).out
    }
    #expect(try await !shown().contains("* "))
    _ = try await newsimport("mark", "read", "3")
    let out = try await shown()
    #expect(out.contains("  * Title of item-1 ") && out.contains("  * ★ Title of item-2 "))
    #expect(out.contains("  Title of item-3 "))
    #expect(try await !newsimport("list", "world").out.contains("* "))
  }

  @Test func `the removal of a feed reports its starred articles`() async throws {
    _ = try await newsimport("mark", "starred", "1", "3")
    _ = try await newsimport("mark", "read", "1", "2")
    let asked = try await newsimport("feed", "remove", "/feed")
    #expect(
      asked.status == 64
        && asked.err.contains("and its 3 articles, 2 of them starred, of region world: nothing was done")
    )
    let removed = try await newsimport("feed", "remove", "/feed", "--yes")
    #expect(removed.status == 0 && removed.err.isEmpty)
    #expect(try await newsimport("sql", "SELECT count(*) AS n FROM articles").out == "n\n0\n")
  }

  @Test func `an unknown region, a missing store and an invalid list of numbers are reported`() async throws {
    #expect(try await newsimport("mark", "read", "--region", "wrld").status == 66)
    #expect(try await newsimport("mark", "read", "1", "--store", newsimport.folder.file("none")).status == 66)
    let lines = try await newsimport("mark", "read", "-", input: "1\nx\n")
    #expect(lines.status == 65)
    #expect(
      lines.err
        == "newsimport: standard input, line 2: 'x' is not the number of an article; nothing was done\n")
    #expect(try await listed("--unread").count == 3)
  }
}
