import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import NewsCommand

@Suite struct FeedCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private func server() throws -> LoopbackHTTPServer {
    try LoopbackHTTPServer { request in
      request.path == "/a" ? .ok(TestFeed.rss(count: 3)) : .ok(TestFeed.rss(count: 2, prefix: "other-"))
    }
  }

  private func articles() async throws -> String {
    try await newsimport("sql", "SELECT feed, count(*) AS articles FROM articles GROUP BY feed ORDER BY feed")
      .out
  }

  @Test func `explain prints what the store contains about the feed`() async throws {
    let server = try server()
    defer { server.stop() }
    let url = server.url("/a")
    _ = try await newsimport("region", "add", "world", url)
    _ = try await newsimport("fetch", "world", "-q")
    let shown = try await newsimport("explain", "/a")
    #expect(shown.status == 0 && shown.err == "")
    #expect(shown.out.contains("title       Test feed\nsite        https://example.org/\narticles    3, "))
    #expect(shown.out.contains("feed        \(url)\n") && shown.out.contains("regions     world\n"))
    let json = try await newsimport("explain", "/a", "--json")
    let object = try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: Any]
    #expect(object?["articles"] as? Int == 3 && object?["feed"] as? String == url)
    #expect(object?["title"] as? String == "Test feed" && object?["newest_import"] is String)
  }

  @Test func `a feed without a title is shown as untitled`() async throws {
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    let shown = try await newsimport("explain", "a.example")
    #expect(shown.out.hasSuffix("title       (no title)\narticles    0\n"))
  }

  @Test func `a feed is removed from a region and stays in the store`() async throws {
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    let result = try await newsimport("feed", "remove", "a.example", "--region", "world")
    #expect(
      result.out
        == "removed  https://a.example/ from region world; it is now in no region, and no longer fetched\n"
    )
    #expect(try await newsimport("region", "list").out == "world   0 feeds\n")
    let again = try await newsimport("feed", "remove", "a.example", "--region", "world")
    #expect(
      again.status == 66
        && again.err == "newsimport: https://a.example/: not in region world; it is in no region\n")
    #expect(try await newsimport("explain", "a.example").out.contains("none, so it is not fetched\n"))
  }

  @Test func `a feed that is renamed back has one former address`() async throws {
    let (one, other) = ("https://a.example/feed", "https://b.example/feed")
    _ = try await newsimport("region", "add", "world", one)
    for target in [other, one] {
      #expect(try await newsimport("feed", "rename", target == one ? other : one, target).status == 0)
    }
    let shown = try await newsimport("explain", one).out
    #expect(shown.components(separatedBy: "moved from").count == 2 && shown.contains(other))
  }

  @Test func `an empty or short part of an address does not delete a feed`() async throws {
    _ = try await newsimport("region", "add", "world", "https://news.example/rss")
    let nothing = try await newsimport("feed", "remove", "", "--yes")
    #expect(
      nothing.status == 64
        && nothing.err == "newsimport: '': not a feed; write its address, or a part of it\n")
    for part in ["n", "news.exam", "s", "/", ".", "://", "http", "https", "news", "example", "rs"] {
      let little = try await newsimport("feed", "remove", part, "--yes")
      #expect(
        little
          == .init(
            status: 66, out: "",
            err:
              "newsimport: \(part): too short to choose a feed to delete; did you mean https://news.example/rss?\n"
          )
      )
      #expect(try await newsimport("explain", part).status == 0)
    }
    #expect(try await newsimport("feed", "remove", "news.example", "--yes").status == 0)
  }

  @Test func `a feed is deleted with its articles only after confirmation`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"), server.url("/b"))
    _ = try await newsimport("fetch", "world", "-q")
    let asked = try await newsimport("feed", "remove", "/a")
    #expect(asked.status == 64 && asked.out == "")
    #expect(
      asked.err
        == "newsimport: remove \(server.url("/a")) and its 3 articles, of region world: nothing was done; give --yes to confirm it without a question\n"
    )
    let removed = try await newsimport("feed", "remove", "/a", "--yes")
    #expect(removed == .init(status: 0, out: "removed  \(server.url("/a")) and its 3 articles\n", err: ""))
    #expect(try await articles() == "feed\tarticles\n\(server.url("/b"))\t2\n")
    #expect(try await newsimport("store", "check").status == 0)
    #expect(try await newsimport("fetch", "world", "-q").status == 0)
  }

  @Test func `a feed gets another address and keeps its articles`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    _ = try await newsimport("fetch", "world", "-q")
    let result = try await newsimport("feed", "rename", "/a", server.url("/b"))
    #expect(
      result == .init(status: 0, out: "renamed  \(server.url("/a")) -> \(server.url("/b"))\n", err: ""))
    #expect(try await articles() == "feed\tarticles\n\(server.url("/b"))\t3\n")
    let explained = try await newsimport("explain", server.url("/a")).out
    #expect(explained.contains("feed        \(server.url("/b"))\n"))
    #expect(explained.contains("validators  none") && explained.contains("next        now"))
    #expect(try await newsimport("feed", "rename", "/b", server.url("/b")).status == 0)
    #expect(try await articles() == "feed\tarticles\n\(server.url("/b"))\t3\n")
    #expect(try await newsimport("feed", "rename", "/b", "ftp://x/").status == 65)
  }

  @Test func `a feed that gets the address of another is merged with it`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"), server.url("/b"))
    _ = try await newsimport("fetch", "world", "-q")
    let result = try await newsimport("feed", "rename", "/a", server.url("/b"))
    #expect(result.status == 0 && result.out.hasSuffix("/b, merged with the feed at that address\n"))
    #expect(try await articles() == "feed\tarticles\n\(server.url("/b"))\t5\n")
  }

  @Test func `a merge deletes articles with differing texts only on request`() async throws {
    let server = try LoopbackHTTPServer { request in
      let text = TestFeed.rss(count: 3)
      return .ok(request.path == "/a" ? text.replacing("Title of item-1", with: "Older title") : text)
    }
    defer { server.stop() }
    let (one, other) = (server.url("/a"), server.url("/b"))
    _ = try await newsimport("region", "add", "world", one, other)
    _ = try await newsimport("fetch", "world", "-q")
    let asked = try await newsimport("feed", "rename", one, other)
    #expect(asked.status == 64 && asked.out == "")
    #expect(
      asked.err == """
        newsimport: rename \(one) -> \(other), merged with the feed at that address, and delete 1 of its articles that have \
        another text in the other feed: nothing was done; give --yes to confirm it without a question

        """)
    #expect(try await articles() == "feed\tarticles\n\(one)\t3\n\(other)\t3\n")
    let renamed = try await newsimport("feed", "rename", one, other, "--yes")
    #expect(renamed.status == 0 && renamed.err == "")
    #expect(
      renamed.out == """
        renamed  \(one) -> \(other), merged with the feed at that address; 1 of its articles that have \
        another text in the other feed is gone

        """)
    #expect(try await articles() == "feed\tarticles\n\(other)\t3\n")
  }

  @Test func `a feed is deleted with its marked and deleted articles`() async throws {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    _ = try await newsimport("fetch", "world", "-q")
    _ = try await newsimport("prune", "--keep-last", "2", "--yes")
    let ids = try await newsimport("list", "world", "--fields", "id").out.split(separator: "\n").map(
      String.init)
    _ = try await newsimport.run(["mark", "read"] + ids)
    _ = try await newsimport.run(["mark", "starred"] + ids)
    let removed = try await newsimport("feed", "remove", "/a", "--yes")
    #expect(removed.status == 0 && removed.err == "")
    #expect(try await newsimport("store", "check").status == 0)
  }

  @Test func `a merge of two feeds keeps marks and deletions`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 3)) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"), server.url("/b"))
    _ = try await newsimport("fetch", "world", "-q")
    let ids = try await newsimport("list", "world", "--copies", "--json", "--fields", "id,feed").out.split(
      separator: "\n"
    )
    .filter { $0.contains("/a\"") }.compactMap {
      $0.firstMatch(of: #/"id":(\d+)/#).map { String($0.output.1) }
    }
    _ = try await newsimport.run(["mark", "starred", try #require(ids.first)])
    _ = try await newsimport.run(["mark", "read"] + ids)
    let result = try await newsimport("feed", "rename", "/a", server.url("/b"))
    #expect(result.status == 0 && result.err == "")
    #expect(
      try await newsimport("list", "world", "--starred", "--fields", "id").out.split(separator: "\n").count
        == 1)
    #expect(try await newsimport("list", "world", "--unread", "--fields", "id").out == "")
    #expect(try await newsimport("list", "world", "--fields", "id").out.split(separator: "\n").count == 3)
  }

  @Test func `several feeds are removed from a region`() async throws {
    _ = try await newsimport("region", "add", "world", "https://a.example/x", "https://b.example/y")
    _ = try await newsimport("region", "add", "tech", "https://b.example/y", "https://c.example/z")
    #expect(
      try await newsimport("feed", "remove", "--region", "world", "/x", "/y", "/z", "none.test")
        == .init(
          status: 1,
          out: """
            removed  https://a.example/x from region world; it is now in no region, and no longer fetched
            removed  https://b.example/y from region world

            """,
          err: """
            newsimport: none.test: no such feed; newsimport feed list shows all
            newsimport: https://c.example/z: not in region world; it is in tech

            """))
    #expect(try await newsimport("region", "list").out == "tech    2 feeds\nworld   0 feeds\n")
  }

  @Test func `several feeds are deleted after one confirmation`() async throws {
    let server = try server()
    defer { server.stop() }
    let urls = [server.url("/a"), server.url("/b"), server.url("/c")]
    _ = try await newsimport.run(["region", "add", "world"] + urls)
    _ = try await newsimport("region", "add", "tech", urls[0])
    _ = try await newsimport("fetch", "world", "-q")
    let ids = try await newsimport("list", "--feed", urls[0], "--fields", "id", "--limit", "1").out
    _ = try await newsimport("mark", "starred", "-", input: ids)
    #expect(
      try await newsimport.run(["feed", "remove"] + urls.prefix(2))
        == .init(
          status: 64, out: "",
          err:
            "newsimport: remove 2 feeds and their 5 articles, 1 of them starred, of regions tech, world: nothing was done; give --yes to confirm it without a question\n"
        ))
    let removed = try await newsimport(
      "feed", "remove", "-", "--yes", input: "\(urls[1])\nhttps://none.test/\n\(urls[2])\n\(urls[1])\n")
    #expect(removed.status == 1)
    #expect(
      removed.out.replacing(", 1 of them starred", with: "")
        == "removed  \(urls[1]) and its 2 articles\nremoved  \(urls[2]) and its 2 articles\n")
    #expect(removed.err.hasPrefix("newsimport: https://none.test/: no such feed"))
    #expect(try await articles() == "feed\tarticles\n\(urls[0])\t3\n")
    #expect(try await newsimport("store", "check").status == 0)
  }

  @Test(arguments: [["remove", "x"], ["rename", "x", "http://a/"]])
  func `without a store a feed is unknown, and no store is created`(words: [String]) async throws {
    let result = try await newsimport.run(["feed"] + words)
    #expect(result.status == 66)
    #expect(
      result.err
        == "newsimport: \(newsimport.store): no such store; newsimport region add NAME URL creates one\n"
    )
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
  }
}

@Suite struct QuestionTests {
  @Test(arguments: [("y", true), ("Yes ", true), ("", false), ("n", false), ("yep", false)])
  func `only yes confirms a question`(answer: String, isYes: Bool) {
    #expect(Question.isYes(answer) == isYes)
  }
}
