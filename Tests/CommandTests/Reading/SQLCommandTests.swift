import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct SQLCommandTests {
  private let newsimport: CommandRun

  init() async throws {
    newsimport = try await Self.library.copy()
  }

  private static let library = StoreFixture { newsimport in
    let server = try LoopbackHTTPServer { _ in
      .ok(
        """
        <rss version="2.0"><channel><title>D</title><item><guid>a</guid><title>x, "y"</title></item>
        <item><guid>b</guid><title>z</title></item></channel></rss>
        """)
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world", "-q")
  }

  private static let select = "SELECT id, title, edits / 2.0 AS half, url FROM articles ORDER BY id"

  @Test(arguments: ["regions", "feeds", "articles", "fetches"])
  func `each public view can be queried`(view: String) async throws {
    let result = try await newsimport("sql", "SELECT * FROM \(view)")
    #expect(result.status == 0 && result.err == "")
  }

  @Test func `the regions of a feed are valid JSON, whatever their names`() async throws {
    let url = "http://127.0.0.1:9/many"
    _ = try await newsimport("region", "add", #"a "b\c"#, url)
    _ = try await newsimport("region", "add", "tech", url)
    let result = try await newsimport(
      "sql", "SELECT value FROM feeds, json_each(regions) WHERE url = '\(url)' ORDER BY 1")
    #expect(result.out == #"value"# + "\n" + #"a "b\\c"# + "\ntech\n")
  }

  @Test func `rows are written as tab-separated values, CSV and JSON`() async throws {
    #expect(
      try await newsimport("sql", Self.select)
        == .init(status: 0, out: "id\ttitle\thalf\turl\n1\tx, \"y\"\t0.0\t\n2\tz\t0.0\t\n", err: ""))
    #expect(
      try await newsimport("sql", "--format", "csv", Self.select).out
        == "id,title,half,url\n1,\"x, \"\"y\"\"\",0.0,\n2,z,0.0,\n")
    #expect(
      try await newsimport("sql", "--json", "-", input: Self.select).out
        == "{\"id\":1,\"title\":\"x, \\\"y\\\"\",\"half\":0.0,\"url\":null}\n"
        + "{\"id\":2,\"title\":\"z\",\"half\":0.0,\"url\":null}\n")
  }

  @Test func `columns with the same name are numbered in JSON`() async throws {
    let result = try await newsimport("sql", "--json", "SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a, 5 AS \"\"")
    #expect(result.out == "{\"a\":1,\"a_3\":2,\"a_2\":3,\"a_4\":4,\"\":5}\n")
    let table = try await newsimport("sql", "SELECT 1 AS a, 2 AS a")
    #expect(table.out == "a\ta\n1\t2\n", "a table has its names as they are")
  }

  @Test(arguments: [
    ("x'00ff'", "\"00ff\""), ("x''", "\"\""), ("9e999", "null"), ("-9e999", "null"),
    ("9e999 - 9e999", "null"),
    ("NULL", "null"), ("9223372036854775807", "9223372036854775807"),
    ("-9223372036854775808", "-9223372036854775808"), ("9223372036854775808", "9.223372036854776e+18"),
    ("1.0", "1.0"), ("0.1", "0.1"),
  ]) func `each kind of value is written in JSON`(expression: String, json: String) async throws {
    let result = try await newsimport("sql", "--json", "SELECT \(expression) AS v")
    #expect(result == .init(status: 0, out: "{\"v\":\(json)}\n", err: ""))
  }

  @Test func `a text with a NUL is printed whole`() async throws {
    let json = try await newsimport(
      "sql", "--json", "SELECT 'a' || char(0) || 'b' AS v, CAST(x'61FFC328' AS TEXT) AS w")
    #expect(json == .init(status: 0, out: "{\"v\":\"a\\u0000b\",\"w\":\"a\u{FFFD}\u{FFFD}(\"}\n", err: ""))
    #expect(try await newsimport("sql", "SELECT 'a' || char(0) || 'b' AS v").out == "v\na\\u0000b\n")
  }

  @Test func `statements that write are refused, and the store stays unchanged`() async throws {
    for text in [
      "DELETE FROM article", "DROP VIEW articles", "UPDATE region SET name = 'x'", "VACUUM",
      "CREATE TABLE t(x)", "INSERT INTO region(name, version) VALUES ('x', 1) RETURNING id",
    ] {
      let result = try await newsimport("sql", text)
      #expect(result.status == 64 && result.out.isEmpty, "\(text)")
      #expect(result.err == "newsimport: sql: it is not a query; the store is only read here\n", "\(text)")
    }
    #expect(try await newsimport("sql", "SELECT count(*) AS n FROM articles").out == "n\n2\n")
  }

  @Test(arguments: [
    ("SELECT a.publishd FROM articles a", "no such column: a.publishd"),
    ("SELECT 1 FROM artikles", "no such table: artikles"),
    ("SELECT ?1", "the statement contains a parameter; replace it by a value"),
  ]) func `a wrong query is reported with its cause`(statement: String, message: String) async throws {
    #expect(
      try await newsimport("sql", statement)
        == .init(status: 64, out: "", err: "newsimport: sql: \(message)\n"))
  }

  @Test func `an error is reported with SQLite's message`() async throws {
    let unknown = try await newsimport("sql", "SELECT x FROM articles")
    #expect(unknown.status == 64 && unknown.out == "")
    #expect(unknown.err == "newsimport: sql: no such column: x\n")
    let late = try await newsimport("sql", "SELECT load_extension('x')")
    #expect(late.status == 64 && late.out == "", "no header of a table that is not there")
    #expect(try await newsimport("sql", "SELECT 1 AS a WHERE 0").out == "a\n")
    let two = try await newsimport("sql", "SELECT 1; SELECT 2")
    #expect(two.status == 64 && two.err == "newsimport: sql: there is more than one statement\n")
    let none = try await newsimport("sql", " ; ")
    #expect(none.status == 64 && none.err == "newsimport: sql: there is no statement\n")
    let store = try await newsimport("sql", "SELECT 1", "--store", newsimport.store + ".none")
    #expect(store.status == 66 && store.out.isEmpty)
  }
}
