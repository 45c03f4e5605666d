import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Articles that are moved to another store.
@Suite struct ArchiveCommandTests {
  private let newsimport: CommandRun
  private let server: LoopbackHTTPServer
  private let requests = Counter()
  /// The publisher's corrections of all articles.
  private let corrections = Counter()
  private var file: String { newsimport.folder.file("old.sqlite") }

  /// The feeds `/a` and `/b`, each with an article of each of the years 2020 to 2025.
  init() async throws {
    newsimport = try CommandRun()
    let (requests, corrections) = (requests, corrections)
    server = try LoopbackHTTPServer { request in
      requests.increment()
      let items = (2020...2025).map { year in
        """
        <item><guid>\(request.path)-\(year)</guid><title>harbour \(year)</title><category>x</category>\
        <link>https://a.example\(request.path)/\(year)</link><description>ferry \(year)\(String(repeating: "!", count: corrections.value))</description>\
        <pubDate>Wed, 05 Feb \(year) 10:00:00 +0000</pubDate></item>
        """
      }
      let head =
        "<title>\(request.path)</title><language>de</language><description>\(requests.value)</description>"
      return .ok("<rss version='2.0'><channel>\(head)\(items.joined())</channel></rss>")
    }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    _ = try await newsimport("region", "add", "tech", server.url("/b"), server.url("/a"))
    _ = try await newsimport("fetch", "--all", "-q")
  }

  private func archive(_ more: String...) async throws -> CommandRun.Result {
    try await newsimport.run(["archive", "--before", "2023-01-01", "--to", file] + more)
  }

  /// Returns every field of every article but its number, the newest first.
  private func articles(_ more: String...) async throws -> [String] {
    let fields = "guid,feed,title,url,published,tags,summary,language,imported,edits,read,starred,members"
    let list = try await newsimport.run(["list"] + more + ["--fields", fields])
    #expect(list.status == 0 && list.err == "", "\(list)")
    return list.out.split(separator: "\n").map(String.init)
  }

  private func ids(_ sql: String) async throws -> [String] {
    let rows = try await newsimport(
      "sql", "SELECT id FROM articles WHERE \(sql) ORDER BY id", "--format", "tsv")
    return rows.out.split(separator: "\n").dropFirst().map(String.init)
  }

  @Test func `old articles are moved, and stay in lists with all they have`() async throws {
    defer { server.stop() }
    _ = try await newsimport.run(["mark", "read"] + ids("title LIKE '%2020'"))
    let before = try await (articles(), articles("world"), articles("--read"))
    let result = try await archive()
    #expect(
      result == .init(status: 0, out: "moved  6 articles to \(file), attached as old\n", err: ""))
    #expect(try await ids("true").count == 6)
    let after = try await (articles(), articles("world"), articles("--read"))
    #expect(after == before)
    #expect(try await newsimport("store", "check").status == 0)
    #expect(try await newsimport.run(["store", "check", "--store", file]).status == 0)
  }

  @Test func `a moved article does not come back, and a second run moves nothing`() async throws {
    _ = try await archive()
    let again = try await archive()
    #expect(again == .init(status: 0, out: "moved  0 articles to \(file)\n", err: ""))
    let fetch = try await newsimport("fetch", "--all", "-q")
    server.stop()
    #expect(fetch.status == 0)
    #expect(try await ids("true").count == 6)
    #expect(try await articles().count == 12)
  }

  @Test func `a fetch reports once that archived articles have changed`() async throws {
    defer { server.stop() }
    #expect(try await archive().status == 0)
    #expect(try await newsimport("fetch", "--all", "--json").out.contains(#""archived_edits":0"#))
    corrections.increment()
    let run = try await newsimport("fetch", "world", "-v")
    #expect(run.out.contains("3 edited  3 changed after archiving, not taken"), "\(run)")
    #expect(try await newsimport("fetch", "world", "--json").out.contains(#""archived_edits":0"#))
    let texts = try await newsimport("sql", "SELECT content_html FROM articles ORDER BY id").out
    #expect(texts.split(separator: "\n").filter { $0.contains("!") }.count == 3, "\(texts)")
    let archived = try await newsimport("--store", file, "sql", "SELECT content_html FROM articles").out
    #expect(archived.contains("ferry 2022") && !archived.contains("!"), "\(archived)")
  }

  @Test func `starred articles stay, and a dry run only counts`() async throws {
    defer { server.stop() }
    _ = try await newsimport.run(["mark", "starred"] + ids("title LIKE '%2021' AND feed LIKE '%/a'"))
    let dry = try await archive("--dry-run")
    #expect(
      dry == .init(status: 0, out: "would move  5 articles to \(file); 1 starred article stays\n", err: ""))
    #expect(!FileManager.default.fileExists(atPath: file))
    let result = try await archive("--json", "--feed", "/a")
    #expect(
      result.out == """
        {"store":"old","path":"\(file)","moved":2,"starred":1,"waiting":0,"left":0}

        """)
    #expect(try await ids("title < 'harbour 2023'").count == 4)
  }

  @Test func `numbers of moved articles name their store, for show and scripts`() async throws {
    defer { server.stop() }
    _ = try await archive()
    let oldest = try await newsimport("list", "world", "--until", "2021-01-01", "--fields", "id")
    #expect(oldest.out.hasPrefix("old:"))
    let number = oldest.out.trimmingCharacters(in: .newlines)
    #expect(try await newsimport("show", number).out.contains("harbour 2020"))
    let json = try await newsimport("show", number, "--json")
    #expect(json.out.hasPrefix("{\"id\":\"\(number)\",\"guid\":\"/a-2020\""))
    let part = try await newsimport("list", "--feed", "/a", "--fields", "id")
    #expect(part.out.split(separator: "\n").count == 6, "\(part.err)")
    let list = try await newsimport("list", "--until", "2021-01-01")
    #expect(list.out.split(separator: "\n").allSatisfy { $0.contains("  old:") })
    let mark = try await newsimport("mark", "read", number)
    #expect(mark.status == 0 && mark.out.hasPrefix("marked  1 article read."), "\(mark)")
    let both = try await newsimport.run(
      ["mark", "read", "-"], input: "\"\(number)\"\n\(try await ids("true")[0])\nold:99\nolder:1\n")
    #expect(both.status == 66 && both.out.hasPrefix("marked  1 article read, 1 already was."), "\(both)")
    #expect(
      both.err == """
        newsimport: old:99: no such article; newsimport list shows the numbers
        newsimport: older:1: no such article; newsimport list shows the numbers

        """)
    let unknown = try await newsimport("show", "older:1")
    #expect(
      unknown
        == .init(
          status: 66, out: "",
          err: "newsimport: older: no such attached store; newsimport store list shows them\n"))
    let missing = try await newsimport("show", "old:99")
    #expect(
      missing
        == .init(
          status: 66, out: "",
          err: "newsimport: old:99: no such article; newsimport list shows the numbers\n"))
  }

  @Test func `a search finds moved articles, with an index that is not beside their file`() async throws {
    defer { server.stop() }
    _ = try await newsimport("search", "ferry")
    _ = try await archive()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    let found = try await newsimport("search", "ferry", "--fields", "id,title", "--until", "2024-01-01")
    #expect(found.err == "")
    let lines = found.out.split(separator: "\n").map(String.init)
    #expect(lines.count == 8 && lines.count { $0.hasPrefix("old:") } == 6)
    #expect(
      try await newsimport("search", "title:2021", "--region", "world", "--fields", "title").out
        == "harbour 2021\n")
    let matched = try await newsimport("list", "--match", "harbour", "--fields", "id")
    #expect(matched.out.split(separator: "\n").count == 12)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes)
    let beside = try FileManager.default.contentsOfDirectory(atPath: newsimport.folder.path)
    #expect(!beside.contains("old.sqlite.search"))
    #expect(FileManager.default.fileExists(atPath: newsimport.store + ".attached/old.search"))
    _ = try await newsimport("store", "detach", "old")
    #expect(!FileManager.default.fileExists(atPath: newsimport.store + ".attached/old.search"))
    #expect(try await newsimport("search", "ferry", "--fields", "id").out.split(separator: "\n").count == 6)
  }

  @Test(.enabled(if: CommandRun.canLimitFiles)) func `a full disk is reported with the path once`()
    async throws
  {
    defer { server.stop() }
    let script =
      "ulimit -f 100; exec '\(Command.builtProducts)/newsimport' archive --before 2023-01-01 --to '\(file)' --store '\(newsimport.store)'"
    let result = try await Command.run("bash", ["-c", script])
    #expect(result.status == 74 && result.err.hasPrefix("newsimport: \(file): "), "\(result)")
    #expect(
      result.err.components(separatedBy: file).count == 2 && result.err.hasSuffix("; nothing was moved\n"),
      "\(result)")
  }

  @Test func `a file that cannot take articles is refused, and nothing is moved`() async throws {
    defer { server.stop() }
    let text = newsimport.folder.file("text")
    try Data("text".utf8).write(to: URL(fileURLWithPath: text))
    let cases = [
      (newsimport.store, 64, "this is the store itself"), (text, 65, "; nothing was moved"),
      (newsimport.folder.file("none/old.sqlite"), 73, "none: no such folder; nothing was moved"),
      (newsimport.store + ".search", 73, "it belongs to the store; name another file with --to"),
      (newsimport.folder.path, 73, "is a folder; name a file with --to"),
    ]
    for (path, status, words) in cases {
      let result = try await newsimport("archive", "--before", "2023-01-01", "--to", path)
      #expect(result.status == status && result.out == "" && result.err.contains(words), "\(result)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: text)) == Data("text".utf8))
    _ = try await archive("--feed", "/a")
    try FileManager.default.removeItem(atPath: file)
    let missing = try await archive()
    #expect(
      missing.status == 66
        && missing.err.hasSuffix("or remove the store: newsimport store detach old\n"))
    _ = try await newsimport("store", "detach", "old")
    #expect(try await ids("true").count == 9)
    let until = try await archive("--until", "2020-01-01")
    #expect(until.status == 64)
  }
}
