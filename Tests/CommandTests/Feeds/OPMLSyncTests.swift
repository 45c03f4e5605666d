import Foundation
import LoopbackServer
import TestSupport
import Testing
import Threading

@Suite struct OPMLSyncTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// A list with a folder for each region.
  private static func opml(_ folders: [(name: String, feeds: [String])], end: String = "</body></opml>")
    -> String
  {
    let outlines = folders.map { folder in
      let feeds = folder.feeds.map { "<outline text='T' xmlUrl='https://\($0).example/'/>" }.joined()
      return "<outline text='\(folder.name)'>\(feeds)</outline>"
    }
    return "<opml version='2.0'><body>\(outlines.joined())\(end)"
  }

  private func write(_ folders: [(name: String, feeds: [String])]) throws -> String {
    try newsimport.folder.write("list.opml", Self.opml(folders).utf8)
  }

  /// The memberships, as "region/host" without ".example".
  private func members() async throws -> [String] {
    try await newsimport("region", "list", "--json").out.split(separator: "\n").flatMap { line -> [String] in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let name = object?["name"] as? String ?? ""
      return (object?["feeds"] as? [String] ?? []).map {
        "\(name)/\($0.replacing("https://", with: "").replacing(".example/", with: ""))"
      }
    }.sorted()
  }

  @Test func `what a list gains is added, what it loses leaves its regions, and the rest stays`() async throws
  {
    _ = try await newsimport("region", "add", "tech", "https://mine.example/", "https://dup.example/")
    _ = try await newsimport("region", "add", "own", "https://b.example/")
    let list = try write([("tech", ["a", "b", "dup"]), ("world", ["a", "c"])])
    #expect(
      try await newsimport("opml", "sync", list)
        == .init(
          status: 0, out: "added  2 feeds to tech, 1 already there\nadded  2 feeds to world\n", err: ""))
    _ = try await newsimport("feed", "remove", "https://c.example/", "--region", "world")
    _ = try write([("tech", ["a", "d", "dup"]), ("world", ["c"])])
    #expect(
      try await newsimport("opml", "sync", list)
        == .init(
          status: 0,
          out: """
            added  1 feed to tech
            removed  https://b.example/ from region tech
            removed  https://a.example/ from region world

            """, err: ""))
    // The user's own feeds and removal stay.
    #expect(try await members() == ["own/b", "tech/a", "tech/d", "tech/dup", "tech/mine"])
    #expect(try await newsimport("opml", "sync", list).out == "unchanged  \(list)\n")
    #expect(try await newsimport("opml", "sync", list, "--quiet") == .init(status: 0, out: "", err: ""))
    // The user has added the feed that the list gains.
    _ = try write([("tech", ["a", "d", "dup", "mine"]), ("world", ["c"])])
    #expect(try await newsimport("opml", "sync", list, "--quiet") == .init(status: 0, out: "", err: ""))
  }

  @Test(arguments: ["https://b.example/ />", "x />", "<outline text='T' xmlUrl='https://b.example/'/><!-- "])
  func `a list with damaged tags removes nothing`(damage: String) async throws {
    let list = try write([("tech", ["a", "b", "c", "d"])])
    _ = try await newsimport("opml", "sync", list)
    let whole = Self.opml([("tech", ["a", "c", "d"])])
    let damaged = whole.replacing(
      "<outline text='T' xmlUrl='https://c.example/'/>", with: "<outline text='T' xmlUrl='\(damage)")
    _ = try newsimport.folder.write("list.opml", damaged.utf8)
    let result = try await newsimport("opml", "sync", list)
    #expect(result.status == 65, "\(result)")
    #expect(try await members() == ["tech/a", "tech/b", "tech/c", "tech/d"])
  }

  @Test func `a forgotten list no longer keeps the feeds that another list has lost`() async throws {
    let list = try write([("tech", ["a", "b", "c"])])
    let moved = try newsimport.folder.write("moved.opml", Self.opml([("tech", ["a", "b", "c"])]).utf8)
    for file in [list, moved] { _ = try await newsimport("opml", "sync", file) }
    _ = try newsimport.folder.write("moved.opml", Self.opml([("tech", ["a", "c"])]).utf8)
    #expect(
      try await newsimport("opml", "sync", moved).out
        == "kept  https://b.example/ in region tech: another list that is followed has it\n")
    #expect(try await newsimport("opml", "sync", list, "--forget").status == 0)
    #expect(try await newsimport("opml", "sync", list, "--forget").status == 66)
    _ = try newsimport.folder.write("moved.opml", Self.opml([("tech", ["a"])]).utf8)
    _ = try await newsimport("opml", "sync", moved)
    #expect(try await members() == ["tech/a", "tech/b"])
  }

  @Test func `without a file all followed lists are synced, also if one fails`() async throws {
    #expect(
      try await newsimport("opml", "sync")
        == .init(status: 0, out: "", err: "no lists; newsimport opml sync FILE follows one\n"))
    let list = try write([("tech", ["a", "b", "c"])])
    let others = try ["1.opml", "2.opml"].map {
      try newsimport.folder.write($0, Self.opml([("x", ["d", "e", "f"])]).utf8)
    }
    _ = try await newsimport("opml", "sync", list)
    for (region, other) in zip(["one", "two"], others) {
      _ = try await newsimport("opml", "sync", "--region", region, other)
    }
    _ = try newsimport.folder.write("list.opml", Self.opml([("tech", ["a", "b", "g"])]).utf8)
    try FileManager.default.removeItem(atPath: others[0])
    #expect(
      try await newsimport("opml", "sync", "--quiet")
        == .init(
          status: 66,
          out:
            "added  1 feed to tech\nremoved  https://c.example/ from region tech; it is now in no region, and no longer fetched\n",
          err: "newsimport: \(others[0]): no such file\n"))
    #expect(try await newsimport("opml", "sync").out.contains("unchanged  \(others[1])  two\n"))
    #expect(try await newsimport("opml", "sync", "--region", "tech").status == 64)
    #expect(
      try await newsimport("opml", "sync", "--forget", others[1])
        == .init(
          status: 66, out: "", err: "newsimport: \(others[1]): not followed; it is with --region two\n"))
  }

  @Test func `a region that is renamed goes on with its list`() async throws {
    let list = try write([("x", ["a", "b", "c"])])
    _ = try await newsimport("opml", "sync", "--region", "tech", list)
    _ = try await newsimport("region", "rename", "tech", "technology")
    _ = try write([("x", ["a", "b", "d"])])
    #expect(try await newsimport("opml", "sync").status == 0)
    #expect(try await members() == ["technology/a", "technology/b", "technology/d"])
  }

  @Test func `a feed that leaves its last region is kept`() async throws {
    let list = try write([("tech", ["a", "b", "c"])])
    _ = try await newsimport("opml", "sync", list)
    _ = try write([("tech", ["a", "c"])])
    #expect(
      try await newsimport("opml", "sync", list).out
        == "removed  https://b.example/ from region tech; it is now in no region, and no longer fetched\n")
    #expect(try await newsimport("feed", "list", "--json").out.contains("https://b.example/"))
  }

  @Test func `a dry run prints the changes and makes none`() async throws {
    let list = try write([("tech", ["a", "b", "c"])])
    #expect(
      try await newsimport("opml", "sync", "--dry-run", list)
        == .init(status: 0, out: "would add  3 feeds to tech\n", err: ""))
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
    _ = try await newsimport("opml", "sync", list)
    _ = try write([("tech", ["a", "c", "d"])])
    let run = try await newsimport("opml", "sync", "--dry-run", list)
    #expect(
      run.out == """
        would add  1 feed to tech
        would remove  https://b.example/ from region tech

        """)
    #expect(try await members() == ["tech/a", "tech/b", "tech/c"])
  }

  @Test func `a list that has lost most of its feeds changes nothing without --yes`() async throws {
    let list = try write([("tech", ["a", "b", "c"])])
    _ = try await newsimport("opml", "sync", list)
    _ = try write([("tech", ["a", "x", "y"])])
    #expect(
      try await newsimport("opml", "sync", list)
        == .init(
          status: 64, out: "",
          err: """
            newsimport: remove 2 of the 3 feeds that \(list) had: nothing was done; give --yes to confirm it without a question

            """))
    #expect(try await members() == ["tech/a", "tech/b", "tech/c"])
    #expect(try await newsimport("opml", "sync", list, "--yes").status == 0)
    #expect(try await members() == ["tech/a", "tech/x", "tech/y"])
  }

  @Test(arguments: [
    (opml([("tech", ["a", "b"])], end: ""), "cut off before its end; nothing was changed"),
    ("<opml version='2.0'><body/></opml>", "it contains no feeds; is it OPML, or a list of addresses?"),
    ("<html><body>Sign in</body></html>", "not an OPML document"),
    ("", "it contains no feeds; is it OPML, or a list of addresses?"),
  ]) func `a damaged or empty list changes nothing, even with --yes`(text: String, message: String)
    async throws
  {
    let list = try write([("tech", ["a", "b", "c"])])
    _ = try await newsimport("opml", "sync", list)
    _ = try newsimport.folder.write("list.opml", text.utf8)
    #expect(
      try await newsimport("opml", "sync", list, "--yes")
        == .init(status: 65, out: "", err: "newsimport: \(list): \(message)\n"))
    #expect(try await members() == ["tech/a", "tech/b", "tech/c"])
  }

  @Test func `a feed stays if another followed list has it in the region`() async throws {
    let list = try write([("tech", ["a", "b", "c"])])
    let other = try newsimport.folder.write("other.opml", Self.opml([("tech", ["b"])]).utf8)
    _ = try await newsimport("opml", "sync", list)
    _ = try await newsimport("opml", "sync", other)
    _ = try write([("tech", ["a", "c"])])
    #expect(
      try await newsimport("opml", "sync", list).out
        == "kept  https://b.example/ in region tech: another list that is followed has it\n")
    #expect(try await members() == ["tech/a", "tech/b", "tech/c"])
  }

  @Test func `with --region the list's folders are not regions, and a path has one state in every folder`()
    async throws
  {
    let list = try write([("x", ["a", "b"]), ("y", ["c"])])
    _ = try await newsimport("opml", "sync", "--region", "team", list)
    _ = try write([("z", ["a", "b"])])
    let path = newsimport.folder.path + "/./list.opml"
    #expect(
      try await newsimport("opml", "sync", "--region", "team", path).out.hasPrefix(
        "removed  https://c.example/ from region team"))
    #expect(try await members() == ["team/a", "team/b"])
  }

  @Test func `a list at an address is downloaded only if it has changed`() async throws {
    let text = Locked(Self.opml([("tech", ["a", "b", "c"])]))
    let server = try LoopbackHTTPServer { request in
      let body = text.withLock { $0 }
      let tag = "\"\(body.utf8.count)\""
      return request.value(of: "If-None-Match") == Array(tag.utf8)
        ? .status(304, "Not Modified") : .ok(body, headers: ["ETag: \(tag)"])
    }
    defer { server.stop() }
    let url = server.url("/list.opml")
    #expect(try await newsimport("opml", "sync", url).out == "added  3 feeds to tech\n")
    #expect(try await newsimport("opml", "sync", url).out == "unchanged  \(url)\n")
    #expect(server.requests.last?.value(of: "If-None-Match") != nil)
    text.withLock { $0 = Self.opml([("tech", ["a", "b", "c", "longer"])]) }
    #expect(try await newsimport("opml", "sync", url).out == "added  1 feed to tech\n")
    server.stop()
    let lost = try await newsimport("opml", "sync", url)
    #expect(lost.status == 69 && lost.out == "" && lost.err.hasPrefix("newsimport: \(url): "))
  }

  @Test func `a list at an address is imported`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/list" ? .ok(Self.opml([("tech", ["a"])])) : .status(404, "Not Found")
    }
    defer { server.stop() }
    #expect(
      try await newsimport("opml", "import", server.url("/list")).out
        == "added  1 feed to tech\nNext: newsimport fetch tech\n")
    let missing = server.url("/none")
    #expect(
      try await newsimport("opml", "import", missing)
        == .init(status: 69, out: "", err: "newsimport: \(missing): HTTP 404 (not found)\n"))
  }

  @Test func `a list whose server is paused is not requested`() async throws {
    let server = try LoopbackHTTPServer { _ in
      .status(503, "Service Unavailable", headers: ["Retry-After: 3600"])
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/list"))
    _ = try await newsimport("fetch", "world")
    for words in [["import"], ["sync"]] {
      let result = try await newsimport.run(["opml"] + words + [server.url("/list")])
      #expect(result.status == 69 && result.err.contains("its server requested a pause; try again after 2"))
    }
    #expect(server.requests.count == 1)
  }

  @Test func `standard input cannot be followed`() async throws {
    let result = try await newsimport("opml", "sync", "-", input: Self.opml([("tech", ["a"])]))
    #expect(result.status == 64 && result.err.contains("-: a sync needs a file or an address"))
  }
}
