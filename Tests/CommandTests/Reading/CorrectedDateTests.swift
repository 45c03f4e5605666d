import Foundation
import TestSupport
import Testing

/// Publishers that change the date of an article. All commands use the current date.
@Suite struct CorrectedDateTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// Imports a document of the feed. An article with the date nil has none.
  private func publish(_ articles: [(id: String, date: String?)]) async throws {
    let items = articles.map { article in
      let date = article.date.map { #","date_published":"\#($0)""# } ?? ""
      return #"{"id":"\#(article.id)","title":"\#(article.id)","content_html":"Storm"\#(date)}"#
    }
    let document = """
      {"version":"https://jsonfeed.org/version/1.1","title":"T","items":[\(items.joined(separator: ","))]}
      """
    let path = newsimport.folder.file("feed.json")
    try Data(document.utf8).write(to: URL(fileURLWithPath: path))
    let result = try await newsimport("import", "--feed", "https://a.example/feed", path)
    #expect(result.status == 0)
  }

  private func lines(_ arguments: String...) async throws -> [String] {
    try await newsimport.run(arguments).out.split(separator: "\n").map(String.init)
  }

  @Test func `lists, spans of time, searches and SQL use the corrected date`() async throws {
    try await publish([("a", "2020-01-01T00:00:00Z"), ("b", "2021-01-01T00:00:00Z")])
    try await publish([("a", "2022-01-01T00:00:00Z"), ("b", "2021-01-01T00:00:00Z")])
    let dates = try newsimport.rows("SELECT guid || ' ' || date FROM articles ORDER BY date DESC")
    #expect(dates == ["a 2022-01-01T00:00:00Z", "b 2021-01-01T00:00:00Z"])
    #expect(try await lines("list", "--all", "--fields", "guid").suffix(2) == ["a", "b"])
    #expect(try await lines("list", "--all", "--since", "2021-06-01", "--fields", "guid").last == "a")
    #expect(try await lines("list", "--all", "--until", "2021-06-01", "--fields", "guid").last == "b")
    #expect(try await lines("search", "storm", "--since", "2021-06-01", "--fields", "guid").last == "a")
    #expect(try newsimport.rows("SELECT edits FROM articles ORDER BY guid") == ["0", "0"])
  }

  @Test func `an article whose date goes is listed by its import`() async throws {
    try await publish([("a", "2020-01-01T00:00:00Z"), ("b", "2021-01-01T00:00:00Z")])
    try await publish([("a", nil), ("b", "2021-01-01T00:00:00Z")])
    #expect(try newsimport.rows("SELECT date = imported FROM articles ORDER BY date DESC").count == 2)
    #expect(try newsimport.rows("SELECT guid FROM articles ORDER BY date DESC") == ["a", "b"])
    #expect(try await lines("list", "--all", "--fields", "guid").suffix(2) == ["a", "b"])
  }

  @Test func `prune keeps an article whose wrong date was corrected`() async throws {
    let yesterday = Date.now.addingTimeInterval(-86400).ISO8601Format()
    try await publish([("a", "1970-01-01T00:00:00Z"), ("b", "1970-01-01T00:00:00Z")])
    try await publish([("a", yesterday), ("b", "1970-01-01T00:00:00Z")])
    #expect(try await newsimport("prune", "--keep", "90d", "--yes").status == 0)
    #expect(try newsimport.rows("SELECT guid FROM articles") == ["a"])
  }

  @Test func `a date in the future counts as that of the import`() async throws {
    try await publish([("a", "2037-01-01T00:00:00Z"), ("b", "2021-01-01T00:00:00Z")])
    #expect(
      try newsimport.rows("SELECT CASE WHEN date = imported THEN 1 ELSE 0 END FROM articles ORDER BY guid")
        == ["1", "0"])
  }

  @Test func `a date that the configuration names as volatile does not move an article`() async throws {
    let table = "[[feed]]\nurl = \"https://a.example/feed\"\nvolatile = [\"published\"]\n"
    _ = try newsimport.folder.write(".config/newsimport/config.toml", table.utf8)
    try await publish([("a", "2020-01-01T00:00:00Z"), ("b", "2021-01-01T00:00:00Z")])
    try await publish([("a", "2022-01-01T00:00:00Z"), ("b", "2021-01-01T00:00:00Z")])
    #expect(try newsimport.rows("SELECT guid FROM articles ORDER BY date DESC") == ["b", "a"])
  }
}
