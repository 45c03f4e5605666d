import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct PruneCommandTests {
  private let newsimport: CommandRun
  private let urls: [String]

  /// A feed of five articles of 2010 in the regions `world` and `tech`, and one of two in `tech`.
  init() async throws {
    let newsimport = try CommandRun()
    let server = try LoopbackHTTPServer { request in
      .ok(TestFeed.rss(count: request.path == "/a" ? 5 : 2))
    }
    defer { server.stop() }
    self.newsimport = newsimport
    urls = ["/a", "/b"].map { server.url($0) }
    _ = try await newsimport("region", "add", "world", urls[0])
    _ = try await newsimport("region", "add", "tech", urls[0], urls[1])
    // The feeds are fetched in turn, so that the first feed's articles have the numbers 1 to 5.
    for region in ["world", "tech"] { _ = try await newsimport("fetch", region, "-q") }
  }

  private func configure(_ toml: String) throws {
    _ = try newsimport.folder.write(".config/newsimport/config.toml", toml.utf8)
  }

  private func count() async throws -> String {
    try await newsimport("sql", "SELECT count(*) AS n FROM articles").out.replacing("n\n", with: "")
  }

  @Test func `without a terminal prune reports what it would delete and deletes nothing`() async throws {
    let result = try await newsimport("prune", "--keep-last", "1")
    #expect(
      result
        == .init(
          status: 64,
          out: """
              tech    2 feeds   5 articles
              world   1 feed    4 articles
            would delete  5 articles of 2 feeds, not among the newest 1 (--keep-last)

            """,
          err:
            "newsimport: nothing was deleted: no terminal to ask on; to delete: newsimport prune --keep-last 1 --yes\n"
        ))
    let dry = try await newsimport("prune", "--keep-last", "1", "--dry-run")
    #expect(dry == .init(status: 0, out: result.out, err: ""))
    #expect(try await count() == "7\n")
  }

  @Test func `old articles are deleted, starred ones stay, and a second run deletes nothing`()
    async throws
  {
    let oldest = "SELECT min(id) AS id FROM articles WHERE feed = '\(urls[0])'"
    let id = try await newsimport("sql", oldest).out.replacing("id\n", with: "").dropLast()
    #expect(try await newsimport("mark", "starred", String(id)).status == 0)
    let result = try await newsimport("prune", "--keep", "90d", "--region", "world", "--yes")
    #expect(
      result
        == .init(
          status: 0,
          out: """
              4 articles   \(urls[0])
            deleted  4 articles of 1 feed, older than 90 d (--keep); 1 starred one stays.   Next: newsimport store vacuum, to free the space

            """, err: ""))
    #expect(try await count() == "3\n")
    let again = try await newsimport("prune", "--keep", "90d", "--region", "world", "--yes")
    #expect(again == .init(status: 0, out: "nothing to delete; 1 starred one stays\n", err: ""))
    #expect(try await newsimport("prune", "--keep", "3000w", "--yes").status == 64)
    #expect(
      try await newsimport("prune", "--keep", "1000w").out == "nothing to delete\n")
  }

  @Test func `the configuration sets the retention of each feed`() async throws {
    try configure(
      """
      [retention]
      keep = "90d"
      [region.world]
      keep_last = 3
      """)
    let result = try await newsimport("prune")
    #expect(
      result.out == """
          tech    2 feeds   4 articles   older than 90 d, not among the newest 3 (region world, [retention]); older than 90 d ([retention])
          world   1 feed    2 articles   older than 90 d, not among the newest 3 (region world, [retention])
        would delete  4 articles of 2 feeds

        """)
    let json = try await newsimport("prune", "--json", "--yes")
    #expect(
      json.out == """
        {"feed":"\(urls[0])","regions":["tech","world"],"articles":2,"starred":0,"waiting":0,"deleted":true,"keep_seconds":7776000,"keep_last":3,"from":"region world, [retention]","title":"Test feed"}
        {"feed":"\(urls[1])","regions":["tech"],"articles":2,"starred":0,"waiting":0,"deleted":true,"keep_seconds":7776000,"keep_last":null,"from":"[retention]","title":"Test feed"}

        """)
    #expect(try await count() == "3\n")
  }

  @Test func `a prune without any retention is an error`() async throws {
    let result = try await newsimport("prune", "--yes")
    #expect(result.status == 64 && result.out.isEmpty)
    #expect(
      result.err
        == "newsimport: prune: no retention is set; give --keep 90d or --keep-last 500, or write keep = \"90d\" below [retention] in \(newsimport.folder.path)/.config/newsimport/config.toml\n"
    )
    try configure("[region.world]\nkeep = \"3m\"\n")
    let months = try await newsimport("prune")
    #expect(months.status == 78 && months.err.contains("region.world.keep: minutes or months?"))
  }

  @Test(arguments: [
    ["--keep", "90d", "--keep-last", "5"], ["--keep", "3m"], ["--keep", "90"], ["--keep-last", "0"],
    ["--keep", "90d", "--yes", "--dry-run"], ["--keep", "0d"],
  ]) func `invalid arguments are an error on the command line`(arguments: [String]) async throws {
    let result = try await newsimport.run(["prune"] + arguments)
    #expect(result.status == 64 && result.out.isEmpty)
    #expect(try await count() == "7\n")
  }

  @Test func `an unknown region or a missing store is reported`() async throws {
    #expect(try await newsimport("prune", "--keep", "1d", "--region", "wrld").status == 66)
    #expect(
      try await newsimport("prune", "--keep", "1d", "--store", newsimport.folder.file("none")).status == 66)
  }
}
