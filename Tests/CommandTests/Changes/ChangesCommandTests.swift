import Foundation
import LoopbackServer
import TestSupport
import Testing
import Threading

/// The events that `changes` prints.
@Suite struct ChangesCommandTests {
  private let newsimport: CommandRun
  private let server: LoopbackHTTPServer
  /// The titles of the articles a, b, … of the feed.
  private let titles = Locked(["One", "Two"])
  private var feed: String { server.url("/feed") }

  /// The region `world` with a feed of two articles, which was fetched.
  init() async throws {
    newsimport = try CommandRun()
    let titles = titles
    server = try LoopbackHTTPServer { _ in
      .ok(TestFeed.rss(titles.withLock { $0 }.enumerated().map { ("guid-\($0)", $1) }))
    }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world", "-q")
  }

  private func fetch(_ new: [String]) async throws {
    titles.withLock { $0 = new }
    #expect(try await newsimport("fetch", "world", "-q").status == 0)
  }

  private func changes(_ arguments: String...) async throws -> [[String: Any]] {
    let result = try await newsimport.run(["changes", "--json"] + arguments)
    #expect(result.status == 0 && result.err == "", "\(result)")
    return try result.out.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private func texts(_ events: [[String: Any]], _ field: String) -> [String] {
    events.map { $0[field] as? String ?? "-" }
  }

  private func token(_ events: [[String: Any]]) -> String { events.last?["token"] as? String ?? "0" }

  @Test func `new articles are printed with the fields of a list`() async throws {
    let events = try await changes()
    #expect(texts(events, "change") == ["insert", "insert"])
    #expect(texts(events, "author") == ["fetch", "fetch"])
    #expect(Set(texts(events, "guid")) == ["guid-0", "guid-1"])
    #expect(Set(texts(events, "feed")) == [feed])
    let list = try await newsimport("list", "world", "--json").out.split(separator: "\n")
    let lines = try await newsimport("changes", "--json").out.split(separator: "\n")
    for line in list { #expect(lines.contains { $0.hasSuffix("," + line.dropFirst()) }, "\(line)") }
    let text = try await newsimport("changes")
    let last = token(events)
    #expect(text.status == 0)
    #expect(text.err == "last token \(last).   Next: newsimport changes --since \(last)\n")
    #expect(text.out.contains("  insert  One  Test feed  ") && text.out.split(separator: "\n").count == 2)
    server.stop()
  }

  @Test func `an edit is printed with its kind, and the old and new values`() async throws {
    let first = try await changes()
    try await fetch(["One", "Two, again"])
    let events = try await changes("--since", token(first))
    #expect(texts(events, "change") == ["update"])
    let event = try #require(events.first)
    #expect(event["guid"] as? String == "guid-1" && event["feed"] as? String == feed)
    #expect(event["kind"] as? [String] == ["words"] && event["changed"] as? [String] == ["title"])
    #expect(event["old"] as? [String: String] == ["title": "Two"])
    #expect(event["new"] as? [String: String] == ["title": "Two, again"])
    // A fetch in which nothing is new has no events.
    try await fetch(["One", "Two, again"])
    #expect(try await changes("--since", token(events)).isEmpty)
    #expect(try await newsimport("changes").out.contains("  update  Two, again  title  Test feed  "))
    server.stop()
  }

  @Test func `deleted articles are printed with their guids and feeds, also after the feed is deleted`()
    async throws
  {
    let first = try await changes()
    _ = try await newsimport("prune", "--keep-last", "1", "--yes")
    let pruned = try await changes("--since", token(first))
    #expect(texts(pruned, "change") == ["delete"] && texts(pruned, "author") == ["prune"])
    #expect(texts(pruned, "feed") == [feed] && texts(pruned, "guid") == ["guid-1"])
    _ = try await newsimport("feed", "remove", feed, "--yes")
    let removed = try await changes("--since", token(pruned))
    #expect(texts(removed, "change") == ["delete"] && texts(removed, "author") == ["feed"])
    #expect(texts(removed, "feed") == [feed] && texts(removed, "guid") == ["guid-0"])
    let all = try await changes()
    #expect(texts(all, "change") == ["insert", "insert", "delete", "delete"])
    #expect(all[0]["deleted"] as? Bool == true && all[0]["guid"] == nil)
    #expect(all[0]["id"] as? Int == all[3]["id"] as? Int || all[0]["id"] as? Int == all[2]["id"] as? Int)
    #expect(texts(all, "feed") == ["-", "-", feed, feed])
    server.stop()
  }

  @Test func `articles of a merged feed are moved or deleted, with the addresses of their feeds`()
    async throws
  {
    let other = server.url("/other")
    _ = try await newsimport("region", "add", "world", other)
    try await fetch(["One"])
    try await fetch(["One", "Two"])
    _ = try await newsimport("sql", "SELECT 1")
    // The other feed gets an article that the first one lacks, and lacks its second one.
    try newsimport.execute(
      "DELETE FROM article WHERE guid = 'guid-1' AND feed_id = (SELECT id FROM feed WHERE url = '\(other)')")
    let first = try await changes()
    #expect(try await newsimport("feed", "rename", feed, other, "--yes").status == 0)
    let events = try await changes("--since", token(first))
    #expect(Set(texts(events, "change")) == ["delete", "move"] && events.count == 2, "\(events)")
    let deleted = events.first { $0["change"] as? String == "delete" }
    #expect(deleted?["guid"] as? String == "guid-0" && deleted?["feed"] as? String == feed)
    let moved = events.first { $0["change"] as? String == "move" }
    #expect(moved?["guid"] as? String == "guid-1" && moved?["feed"] as? String == other)
    #expect(moved?["to"] as? String == "feed")
    // It stays a move when the article is gone.
    try newsimport.execute("DELETE FROM article WHERE guid = 'guid-1'")
    let later = try await changes("--since", token(first))
    #expect(Set(texts(later, "change")) == ["delete", "move"], "\(later)")
    server.stop()
  }

  @Test func `archived articles are moves`() async throws {
    let first = try await changes()
    let old = newsimport.folder.file("old.sqlite")
    #expect(try await newsimport("archive", "--before", "2023-01-01", "--to", old).status == 0)
    let events = try await changes("--since", token(first))
    #expect(texts(events, "change") == ["move", "move"] && texts(events, "to") == ["archive", "archive"])
    #expect(texts(events, "author") == ["archive", "archive"] && texts(events, "feed") == [feed, feed])
    server.stop()
  }

  @Test func `marks are printed on request, without a change of the other tokens`() async throws {
    for mark in ["read", "starred", "unread"] { _ = try await newsimport("mark", mark, "2") }
    let first = try await changes()
    #expect(texts(first, "change") == ["insert", "insert"])
    let events = try await changes("--since", token(first), "--marks")
    // The mark of the first event was removed since.
    #expect(texts(events, "change") == ["star", "unread"])
    #expect(events.allSatisfy { $0["id"] as? Int == 2 && $0["author"] as? String == "mark" })
    let all = try await changes("--marks")
    #expect(texts(all, "token").prefix(2) == texts(first, "token")[...])
    server.stop()
  }

  @Test func `each token continues after its event, and --limit ends there`() async throws {
    try await fetch(["One, again", "Two, again", "Three", "Four"])
    _ = try await newsimport("mark", "read", "1", "2", "3")
    let all = try await changes("--marks")
    #expect(all.count == 9)
    let tokens = texts(all, "token")
    #expect(Set(tokens).count == tokens.count)
    for (place, token) in tokens.enumerated() {
      #expect(texts(try await changes("--since", token, "--marks"), "token") == Array(tokens[(place + 1)...]))
    }
    #expect(texts(try await changes("--marks", "--limit", "5"), "token") == Array(tokens[..<5]))
    let newest = try await newsimport("changes", "--since", "now")
    #expect(newest.status == 0)
    let now = newest.out.split(separator: "\n").first.map(String.init) ?? ""
    #expect(try await changes("--since", now, "--marks").isEmpty)
    #expect(try await changes("--since", "0").count == 6)
    server.stop()
  }

  @Test func `a change that another program makes with SQL is printed`() async throws {
    let first = try await changes()
    try newsimport.execute(
      "UPDATE article SET title = 'Mine' WHERE id = 1")
    let events = try await changes("--since", token(first))
    #expect(texts(events, "change") == ["update"] && events.first?["author"] is NSNull)
    #expect((events.first?["new"] as? [String: String]) == ["title": "Mine"])
    #expect(events.first?["kind"] as? [String] == ["words"])
    #expect(try await changes("--since", token(events)).isEmpty)
    server.stop()
  }

  @Test func `a change that is merged into the one before has no values of its own`() async throws {
    func write(_ markup: String) async throws {
      titles.withLock {
        $0 = ["One", "Two</title><description>&lt;\(markup)&gt;x&lt;/\(markup)&gt;</description><title>"]
      }
      #expect(try await newsimport("fetch", "world", "-q").status == 0)
    }
    try await write("b")
    let first = try await changes()
    try await write("i")
    try await write("u")
    try await write("s")
    let events = try await changes("--since", token(first))
    #expect(texts(events, "change").allSatisfy { $0 == "update" })
    #expect(events.allSatisfy { $0["kind"] as? [String] == ["markup"] }, "\(events)")
    #expect(events.contains { $0["merged"] as? Bool == true && $0["changed"] is NSNull && $0["old"] == nil })
    server.stop()
  }

  @Test func `a field that a server writes anew for each fetch has its kind also in merged changes`()
    async throws
  {
    let first = try await changes()
    for count in 0..<8 { try await fetch(["One", "\(count) readers"]) }
    try newsimport.execute(
      "UPDATE article SET title = 'Mine' WHERE guid = 'guid-1'")
    let events = try await changes("--since", token(first))
    #expect(events.count == 9 && events.count { $0["merged"] as? Bool == true } == 3)
    #expect(events.allSatisfy { $0["kind"] as? [String] == ["words"] }, "\(events)")
    server.stop()
  }

  @Test func `each transaction has the name of the command that made it`() async throws {
    func authors() async throws -> [String?] {
      try newsimport.rows("SELECT author FROM persistent_history ORDER BY token")
    }
    #expect(try await Set(authors()) == ["region", "fetch"])
    let file = try newsimport.folder.write("feed.xml", TestFeed.rss(count: 1, prefix: "file-").utf8)
    let list = try newsimport.folder.write(
      "list.opml",
      "<opml version='2.0'><body><outline text='tech' xmlUrl='http://127.0.0.1:9/x'/></body></opml>".utf8)
    let old = newsimport.folder.file("old.sqlite")
    let runs: [(author: String, arguments: [String])] = [
      ("import", ["import", "--feed", feed, file]), ("mark", ["mark", "read", "1"]),
      ("opml", ["opml", "import", list]), ("feed", ["feed", "rename", feed, "--title", "Mine"]),
      ("prune", ["prune", "--keep-last", "2", "--yes"]),
      ("archive", ["archive", "--before", "2023-01-01", "--to", old]),
      ("store", ["store", "detach", "old"]), ("region", ["region", "rename", "world", "welt"]),
    ]
    for (author, arguments) in runs {
      let before = try await authors().count
      let result = try await newsimport.run(arguments)
      #expect(result.status == 0, "\(arguments): \(result.err)")
      let new = try await authors()[before...]
      #expect(Set(new) == [author], "\(arguments)")
    }
    server.stop()
  }
}
