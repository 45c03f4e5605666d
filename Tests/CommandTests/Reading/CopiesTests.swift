import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Stories that are in several feeds.
@Suite struct CopiesTests {
  private let newsimport: CommandRun
  private let server: LoopbackHTTPServer
  /// The number of times that the publishers have had news.
  private let round = Counter()

  /// The feeds `/one` and `/two` have the story `ferry`, under different addresses of its page, and an article each.
  init() async throws {
    newsimport = try CommandRun()
    let round = round
    server = try LoopbackHTTPServer { request in
      func item(_ name: String, _ link: String) -> String {
        "<item><guid isPermaLink='false'>\(request.path)\(name)</guid><title>\(name)</title><link>\(link)</link></item>"
      }
      let story = "https://news.example/ferry"
      let items =
        switch request.path {
        case "/one": item("ferry", story + "?utm_source=one") + item("first", "https://news.example/first")
        case "/two":
          item("ferry", "http://www.news.example/ferry/#top") + item("second", "https://b.example/second")
        case "/late":
          (round.value > 0 ? item("ferry", story) + item("fourth", "https://b.example/fourth") : "")
            + item("third", "https://b.example/third")
        case "/one/news", "/two/news":
          (0...round.value).map { item("news \($0)", "https://news.example/news/\($0)") }.joined()
        case "/edited":
          """
          <item><guid>edited</guid><title>ferry | \(round.value)</title><link>\(story)</link></item>
          """
        case "/app-a", "/app-b", "/app-b/mirror":
          """
          <item><guid isPermaLink='false'>\(request.path)</guid><title>App \(request.path == "/app-a" ? "A 1.2" : "B 2.0") released</title>
          <link>https://apps.example/news</link><description>What is new in it</description></item>
          """.replacing("What is new", with: request.path == "/app-a" ? "Bugs were fixed" : "Tabs are new")
        case "/repeating": item("repeat 1", story) + item("repeat 2", story)
        case "/chain":
          """
          <item><guid>https://news.example/first</guid><title>ferry | chained</title><link>\(story)</link></item>
          """
        default: (1...3).map { item("\(request.path) \($0)", "https://status.example/page") }.joined()
        }
      return .ok("<rss version='2.0'><channel><title>\(request.path)</title>\(items)</channel></rss>")
    }
  }

  private func fetch(_ paths: String...) async throws {
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world"] + paths.map(server.url))
    _ = try await newsimport("fetch", "--all", "-q")
    round.increment()
    if paths.contains("/late") { _ = try await newsimport("fetch", "--all", "-q") }
  }

  private func titles(_ arguments: String...) async throws -> [String] {
    let result = try await newsimport.run(["list"] + arguments + ["--fields", "title"])
    #expect(result.status == 0, "\(result.err)")
    return result.out.split(separator: "\n").map(String.init).sorted()
  }

  private func ids(_ sql: String) async throws -> [String] {
    let rows = try await newsimport(
      "sql", "SELECT id FROM articles WHERE \(sql) ORDER BY id", "--format", "tsv")
    return rows.out.split(separator: "\n").dropFirst().map(String.init)
  }

  @Test func `a story of several feeds is listed once, and --copies lists each copy`() async throws {
    try await fetch("/one", "/two")
    #expect(try await titles() == ["ferry", "first", "second"])
    #expect(try await titles("--copies") == ["ferry", "ferry", "first", "second"])
    #expect(try await titles("--limit", "3") == ["ferry", "first", "second"])
    let other = server.url("/two")
    let list = try await newsimport("list", "--feed", server.url("/one"))
    #expect(list.out.split(separator: "\n").contains { $0.trimmingPrefix { $0 == " " } == "also in: /two" })
    let json = try await newsimport("list", "--feed", server.url("/one"), "--fields", "title,also_in")
    #expect(json.out == "ferry\t[\"\(other)\"]\nfirst\t[]\n")
  }

  @Test func `a query with copies lists, searches and exports each copy`() async throws {
    try await fetch("/one", "/two")
    _ = try newsimport.folder.write(
      ".config/newsimport/config.toml",
      "[query.all]\nregions = [\"world\"]\ncopies = true\n[query.once]\nregions = [\"world\"]\n".utf8)
    #expect(try await titles("@all") == ["ferry", "ferry", "first", "second"])
    #expect(try await titles("@once") == ["ferry", "first", "second"])
    #expect(try await titles("@once", "--copies") == ["ferry", "ferry", "first", "second"])
    // The option is that of the command if there are several sources.
    #expect(try await titles("@all", "@once") == ["ferry", "first", "second"])
    #expect(try await titles("@all", "--match", "ferry") == ["ferry", "ferry"])
    let search = try await newsimport("search", "--region", "@all", "ferry", "--fields", "title")
    #expect(search.out == "ferry\nferry\n", "\(search)")
    let export = try await newsimport("export", "--format", "rss", "@all")
    #expect(export.out.components(separatedBy: "<item>").count == 5)
  }

  @Test func `search and export have a story once, and show names the other feeds`() async throws {
    try await fetch("/one", "/two")
    let search = try await newsimport("search", "ferry", "--fields", "title")
    #expect(search.out == "ferry\n")
    let copies = try await newsimport("search", "ferry", "--copies", "--fields", "title")
    #expect(copies.out == "ferry\nferry\n")
    let export = try await newsimport("export", "--format", "rss")
    #expect(export.out.components(separatedBy: "<item>").count == 4)
    let ids = try await ids("title = 'ferry' AND feed LIKE '%/one'")
    let show = try await newsimport("show", ids[0])
    #expect(show.out.split(separator: "\n").contains("also in: /two"))
  }

  @Test func `a search that is cut counts a story once, and with --copies each copy`() async throws {
    try await fetch("/one", "/two")
    func last(_ arguments: String...) async throws -> Substring? {
      try await newsimport.run(
        ["search", "ferry OR first OR second", "--limit", "1"] + arguments, on: try Terminal(columns: 80)
      ).out.split(separator: "\n").last
    }
    #expect(try await last() == "1 of 3 articles; --limit N shows more")
    #expect(try await last("--copies") == "1 of 4 articles; --limit N shows more")
  }

  @Test func `a mark of a copy holds for all copies, also for those that come later`() async throws {
    try await fetch("/one", "/two")
    let ferry = try await ids("title = 'ferry'")
    let mark = try await newsimport("mark", "read", ferry[1])
    #expect(mark.out.hasPrefix("marked  1 article read."))
    #expect(try await ids("read = 1") == ferry)
    _ = try await newsimport("mark", "starred", ferry[0])
    _ = try await newsimport("mark", "unread", ferry[0])
    #expect(try await ids("read = 1").isEmpty)
    #expect(try await ids("starred = 1") == ferry)
  }

  @Test func `a mark of a copy holds for all copies, also in attached stores`() async throws {
    let other = try CommandRun()
    round.increment()
    _ = try await other("region", "add", "world", server.url("/one"), server.url("/late"))
    _ = try await other("fetch", "--all", "-q")
    try await fetch("/one", "/two")
    _ = try await newsimport("store", "attach", other.store, "--name", "other")
    let ferry = try await newsimport("search", "ferry", "--copies", "--fields", "id").out
      .split(separator: "\n").map(String.init)
    #expect(ferry.count == 4)
    for copy in ferry {
      _ = try await newsimport("mark", "read", copy)
      #expect(try await titles("--read", "--copies").count == 4, "\(copy)")
      _ = try await newsimport("mark", "unread", copy)
      #expect(try await titles("--read", "--copies").isEmpty, "\(copy)")
    }
  }

  @Test func `a later copy of a read story is read`() async throws {
    _ = try await newsimport("region", "add", "world", server.url("/one"))
    _ = try await newsimport("fetch", "--all", "-q")
    _ = try await newsimport("mark", "read", try await ids("title = 'ferry'")[0])
    try await fetch("/late")
    #expect(try await ids("read = 1 AND title = 'ferry'").count == 2)
    #expect(try await titles("--unread") == ["first", "fourth", "third"])
  }

  @Test(arguments: ["", " --copies"])
  func `watch prints a story once, and each copy with --copies`(option: String) async throws {
    _ = try await newsimport("region", "add", "world", server.url("/one/news"), server.url("/two/news"))
    let output = newsimport.folder.file("out")
    @Sendable func links() -> [Substring] {
      let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
      return text.matches(of: #/"url":"([^"]*)"/#).map(\.output.1)
    }
    let result = try await Command.run(
      "/bin/sh", ["-c", "exec \(Command.builtProducts)/newsimport watch --json\(option) > \(output)"],
      environment: ["NEWSIMPORT_STORE": newsimport.store, "HOME": newsimport.folder.path]
    ) { signal in
      try await until("copies that watch prints", { links().count >= 6 }) {
        round.increment()
        _ = try await newsimport("fetch", "--all", "-q")
      }
      signal(SIGINT)
    }
    #expect(result.status == 130 && result.err == "")
    #expect((Set(links()).count == links().count) == option.isEmpty)
    server.stop()
  }

  @Test func `watch prints the edit of an article that has a copy`() async throws {
    // The copy comes later than the story.
    for path in ["/one", "/edited"] {
      _ = try await newsimport("region", "add", "world", server.url(path))
      _ = try await newsimport("fetch", "--all", "-q")
    }
    let output = newsimport.folder.file("out")
    @Sendable func text() -> String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
    let result = try await Command.run(
      "/bin/sh", ["-c", "exec \(Command.builtProducts)/newsimport watch --json > \(output)"],
      environment: ["NEWSIMPORT_STORE": newsimport.store, "HOME": newsimport.folder.path]
    ) { signal in
      for _ in 0..<500 where !text().contains("\"event\":\"edited\"") {
        round.increment()
        _ = try await newsimport("fetch", "--all", "-q")
      }
      signal(SIGINT)
    }
    #expect(result.status == 130 && text().contains("\"event\":\"edited\""))
    server.stop()
  }

  @Test func `a copy of one story whose guid is the page of another is a copy of the first only`()
    async throws
  {
    try await fetch("/one", "/chain")
    #expect(try await titles("--copies") == ["ferry", "ferry | chained", "first"])
    let stories = try await newsimport("list", "--fields", "title,also_in")
    #expect(stories.out.split(separator: "\n").count == 2 && stories.out.contains("first\t[]\n"))
  }

  @Test func `copies in other feeds stay copies beside a feed that links all its articles to their page`()
    async throws
  {
    try await fetch("/one", "/two", "/repeating")
    #expect(try await titles() == ["ferry", "first", "repeat 1", "repeat 2", "second"])
    #expect(try await titles("--limit", "5").count == 5)
    let search = try await newsimport("search", "ferry OR repeat", "--fields", "title")
    #expect(search.out.split(separator: "\n").sorted() == ["ferry", "repeat 1", "repeat 2"])
    let list = try await newsimport.run(["list", "--limit", "1"], on: try Terminal(columns: 80))
    #expect(list.out.split(separator: "\n").last == "1 of 5 articles; --limit N shows more")
    let repeats = try await newsimport(
      "list", "--feed", server.url("/repeating"), "--fields", "title,also_in")
    #expect(repeats.out == "repeat 1\t[]\nrepeat 2\t[]\n")
    let repeated = try await ids("title = 'repeat 1'")
    #expect(try await newsimport("show", repeated[0]).out.contains("also in:") == false)
    _ = try await newsimport("mark", "read", repeated[0])
    #expect(try await ids("read = 1") == repeated)
    let ferry = try await ids("title = 'ferry'")
    _ = try await newsimport("mark", "starred", ferry[0])
    #expect(try await ids("starred = 1") == ferry)
  }

  @Test func `articles with other titles and texts about one page are other stories`() async throws {
    try await fetch("/app-a", "/app-b", "/app-b/mirror")
    #expect(try await titles() == ["App A 1.2 released", "App B 2.0 released"])
    #expect(try await titles("--limit", "3").count == 2)
    let list = try await newsimport.run(["list", "--limit", "1"], on: try Terminal(columns: 80))
    #expect(list.out.split(separator: "\n").last == "1 of 2 articles; --limit N shows more")
    let also = try await newsimport("list", "--fields", "title,also_in")
    #expect(also.out.contains("App A 1.2 released\t[]\n"))
    let search = try await newsimport("search", "released", "--fields", "title")
    #expect(search.out.split(separator: "\n").count == 2)
    _ = try await newsimport("mark", "read", try await ids("feed LIKE '%/app-b'")[0])
    #expect(try await ids("read = 1") == ids("title LIKE 'App B%'"))
    #expect(try await titles("--unread") == ["App A 1.2 released"])
  }

  @Test func `articles of feeds that link them all to one page stay apart`() async throws {
    try await fetch("/status", "/pages")
    #expect(try await titles().count == 6)
  }
}
