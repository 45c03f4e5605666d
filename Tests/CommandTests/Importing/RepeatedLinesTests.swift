import TestSupport
import Testing

/// Several lines of one article in a list, as `watch --json` and daily lists that are appended to a file have them.
@Suite struct RepeatedLinesTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private static let feed = "https://z.example/feed"

  /// Returns a line of an article.
  private func line(_ members: String, guid: String = "https://z.example/1") -> String {
    "{\"guid\":\"\(guid)\",\"feed\":\"\(Self.feed)\",\"url\":\"\(guid)\",\(members)}\n"
  }

  /// Returns lines of other articles.
  private func others(_ count: Int, bytes: Int) -> String {
    let text = String(repeating: "x", count: bytes)
    return (0..<count).map { line("\"summary\":\"\(text)\"", guid: "https://z.example/other/\($0)") }.joined()
  }

  private func articles(_ fields: String) async throws -> [String] {
    try await newsimport("list", "--all", "--copies", "--limit", "9999", "--fields", fields).out
      .split(separator: "\n").map(String.init)
  }

  /// The lines of other articles between two: none, some that are read together with these, and more than that.
  private static let distances = [(0, 0), (600, 10), (600, 8000)]

  @Test(arguments: distances)
  func `later lines of an article replace the values of earlier ones, and the marks of all count`(
    count: Int, bytes: Int
  ) async throws {
    let lines =
      line("\"title\":\"A\",\"summary\":\"kept\",\"starred\":true") + others(count, bytes: bytes)
      + line("\"title\":\"B\",\"tags\":[\"t\"],\"read\":true")
    let run = try await newsimport("import", "-", input: lines)
    #expect(run.status == 0 && run.out.contains(" \(count + 1) new."), "\(run)")
    let fields = "guid,title,content_html,tags,read,starred,edits"
    let rows = try await articles(fields)
    #expect(rows.count == count + 1)
    #expect(rows.contains("https://z.example/1\tB\tkept\t[\"t\"]\ttrue\ttrue\t0"), "\(rows.suffix(3))")
    #expect(!rows.contains { $0.hasPrefix("shared:") })
    // Again, nothing changes. The feed's own document completes the article.
    _ = try await newsimport("import", "-", input: lines)
    #expect(try await articles(fields).sorted() == rows.sorted())
    let document = """
      {"version":"https://jsonfeed.org/version/1.1","title":"Z","items":[{"id":"https://z.example/1","title":"C"}]}
      """
    let whole = try await newsimport("import", "--feed", Self.feed, "-", input: document)
    #expect(whole.out.contains(" 0 new."), "\(whole)")
    #expect(try await articles("guid,title,read,starred").contains("https://z.example/1\tC\ttrue\ttrue"))
  }

  @Test func `lines that differ only in their marks are one article with all of them`() async throws {
    let lines = line("\"title\":\"A\",\"starred\":true") + line("\"title\":\"A\",\"read\":true")
    #expect(try await newsimport("import", "-", input: lines).status == 0)
    #expect(try await articles("guid,title,read,starred") == ["https://z.example/1\tA\ttrue\ttrue"])
  }

  @Test(arguments: distances)
  func `an article that the store had before the list gets only the marks of its lines`(
    count: Int, bytes: Int
  ) async throws {
    _ = try await newsimport("import", "-", input: line("\"title\":\"First\""))
    let lines = line("\"title\":\"A\"") + others(count, bytes: bytes) + line("\"title\":\"B\",\"read\":true")
    _ = try await newsimport("import", "-", input: lines)
    #expect(try await articles("guid,title,read").contains("https://z.example/1\tFirst\ttrue"))
  }

  @Test func `daily lists in one file give each article once, with its last text`() async throws {
    func document(_ title: String) -> String { TestFeed.rss([("a", title), ("b", "B")]) }
    var all = ""
    for title in ["1", "2", "3"] {
      _ = try await newsimport("import", "--feed", Self.feed, "-", input: document(title))
      all += try await newsimport("list", "--all", "--copies", "--json", "--full").out
    }
    let copy = try CommandRun()
    let run = try await copy("import", "-", input: all)
    #expect(run.status == 0 && run.out.contains(" 2 new."), "\(run)")
    let query = "SELECT guid, title FROM articles ORDER BY guid"
    #expect(try await copy("sql", query) == (try await newsimport("sql", query)))
  }

  @Test func `a line has the guid of its article, also beside articles that share an id`() async throws {
    let document = """
      <rss version='2.0'><channel><title>T</title>
      <item><guid isPermaLink='false'>dup</guid><title>A</title><link>https://z.example/2</link></item>
      <item><guid isPermaLink='false'>dup</guid><title>B</title><link>https://z.example/3</link></item>
      </channel></rss>
      """
    _ = try await newsimport("import", "--feed", Self.feed, "-", input: document)
    let lines = ["C", "D"].map { title in
      "{\"guid\":\"new\",\"feed\":\"\(Self.feed)\",\"title\":\"\(title)\"}\n"
    }.joined()
    _ = try await newsimport("import", "-", input: lines)
    let rows = try await articles("guid,title")
    #expect(rows.contains("new\tD") && rows.count == 3, "\(rows)")
  }
}
