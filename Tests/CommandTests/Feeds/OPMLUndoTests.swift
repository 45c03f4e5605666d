import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct OPMLUndoTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private func regions() async throws -> String {
    try await newsimport("region", "list", "--json").out
  }

  @Test func `an import is taken back, and what was there before stays`() async throws {
    _ = try await newsimport("region", "add", "world", "https://a.example/", "https://b.example/")
    let before = try await regions()
    let list = "https://b.example/\nhttps://c.example/\nhttps://d.example/\n"
    _ = try await newsimport("opml", "import", "--region", "world", "-", input: list)
    _ = try await newsimport("opml", "import", "--region", "wrong", "-", input: list)
    _ = try await newsimport("region", "rename", "wrong", "other")
    let preview = try await newsimport("opml", "undo", "--dry-run")
    #expect(
      preview.status == 0 && preview.err == ""
        && preview.out.hasSuffix("\nwould remove  3 feeds from region other, and the region\n"))
    #expect(preview.out.hasPrefix("the import of - at 20"))
    #expect(
      try await newsimport("opml", "undo")
        == .init(status: 0, out: "removed  3 feeds from region other, and the region\n", err: ""))
    #expect(
      try await regions().contains("\"feeds\":[\"https://a.example/\",\"https://b.example/\",\"https://c"))
    let again = try await newsimport("opml", "undo")
    #expect(
      again
        == .init(
          status: 66, out: "",
          err:
            "newsimport: opml undo: nothing to take back: no import of a list has added feeds since the last undo\n"
        ))
    _ = try await newsimport("feed", "remove", "c.example", "d.example", "--yes")
    #expect(try await regions() == before)
    _ = try await newsimport("opml", "import", "--region", "world", "-", input: list)
    // An import that adds nothing leaves the record of the one before.
    _ = try await newsimport("opml", "import", "--region", "world", "-", input: "https://a.example/\n")
    #expect(
      try await newsimport("opml", "undo").out
        == "removed  2 feeds from region world\ndeleted  2 feeds and their 0 articles\n")
    #expect(try await regions() == before)
    #expect(try await newsimport("store", "check").status == 0)
  }

  @Test func `feeds that have articles are named and deleted only after confirmation`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/empty" ? .status(404) : .ok(TestFeed.rss(count: 3))
    }
    defer { server.stop() }
    let (full, empty) = (server.url("/full"), server.url("/empty"))
    _ = try await newsimport("opml", "import", "--region", "new", "-", input: "\(full)\n\(empty)\n")
    _ = try await newsimport("fetch", "new", "-q")
    let asked = try await newsimport("opml", "undo")
    #expect(asked.status == 64 && asked.out == "")
    #expect(asked.err.hasPrefix("  \(full)   3 articles\nnewsimport: take back the import of - at 20"))
    #expect(
      asked.err.hasSuffix(
        ", and delete \(full) and its 3 articles: nothing was done; give --yes to confirm it without a question\n"
      ))
    let json = try await newsimport("opml", "undo", "--yes", "--json").out
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect(object?["feeds"] as? Int == 2 && object?["articles"] as? Int == 3)
    #expect(object?["file"] as? String == "-" && object?["removed"] as? Bool == true)
    #expect(try await newsimport("sql", "SELECT count(*) AS feeds FROM feeds").out == "feeds\n0\n")
    #expect(try await regions() == "")
    #expect(try await newsimport("store", "check").status == 0)
  }

  @Test func `a feed that was added elsewhere since stays there`() async throws {
    _ = try await newsimport(
      "opml", "import", "--region", "new", "-",
      input: "https://a.example/\nhttps://b.example/\nhttps://c.example/\n")
    _ = try await newsimport("region", "add", "own", "https://a.example/")
    _ = try await newsimport("region", "add", "new", "https://z.example/")
    _ = try await newsimport("feed", "rename", "b.example", "https://moved.example/")
    _ = try await newsimport("feed", "remove", "c.example", "--yes")
    let undone = try await newsimport("opml", "undo")
    #expect(undone.status == 0 && undone.err == "")
    #expect(
      undone.out == """
        removed  2 feeds from region new
        deleted  1 feed and its 0 articles
        kept  1 new feed, added to another region since
        skipped  1 entry, removed or moved since

        """)
    #expect(
      try await regions() == """
        {"name":"new","feeds":["https://z.example/"],"failing":0,"gone":0}
        {"name":"own","feeds":["https://a.example/"],"failing":0,"gone":0}

        """)
  }

  @Test func `a new region that has become empty is removed`() async throws {
    _ = try await newsimport("opml", "import", "--region", "new", "-", input: "https://a.example/\n")
    _ = try await newsimport("feed", "move", "a.example", "own")
    #expect(
      try await newsimport("opml", "undo").out == """
        removed  region new
        kept  1 new feed, added to another region since
        skipped  1 entry, removed or moved since

        """)
    #expect(
      try await regions()
        == "{\"name\":\"own\",\"feeds\":[\"https://a.example/\"],\"failing\":0,\"gone\":0}\n")
  }

  @Test func `a list that is imported again is taken back only as far as it added feeds`() async throws {
    let list = "https://a.example/\nhttps://b.example/\n"
    _ = try await newsimport("opml", "import", "--region", "new", "-", input: list)
    _ = try await newsimport("feed", "remove", "b.example", "--yes")
    _ = try await newsimport("opml", "import", "--region", "new", "-", input: list)
    #expect(try await newsimport("opml", "undo").status == 0)
    #expect(
      try await regions()
        == "{\"name\":\"new\",\"feeds\":[\"https://a.example/\"],\"failing\":0,\"gone\":0}\n")
  }
}
