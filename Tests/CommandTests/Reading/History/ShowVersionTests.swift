import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct ShowVersionTests {
  private let feed: EditedFeed

  init() throws {
    feed = try EditedFeed()
  }

  private typealias Article = EditedFeed.Article

  @Test func `an edited article names the command that shows its versions`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch()
    #expect(!(try await feed.newsimport("show", "1").out.contains("newsimport diff")))
    try await feed.fetch(Article(title: "Two"))
    let page = try await feed.newsimport("show", "1").out
    #expect(page.contains("  edited 1x; newsimport diff 1  last change: words\n"))
  }

  @Test func `a version is shown as the article was then, with its number and times`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch([
      Article(), Article(title: "Two", summary: "<p>Tomorrow.</p>", date: "Thu, 04 Feb 2010 08:00:00 GMT"),
    ])
    let first = try await feed.newsimport("show", "1", "--version", "1")
    #expect(first.status == 0 && first.err.isEmpty)
    let lines = EditedFeed.settled(first.out).split(separator: "\n").map(String.init)
    #expect(lines[0] == "Budget : vote prévu ce soir")
    #expect(lines[1] == "The Daily  2010-02-03 17:23")
    #expect(lines[2] == "version 1 of 2, NOW to NOW")
    #expect(lines.last == "The vote is tonight.")
    let html = try await feed.newsimport("show", "1", "--version", "1", "--html")
    #expect(html.out == "<p>The <b>vote</b> is tonight.</p>\n")
    let current = try await feed.newsimport("show", "1", "--version", "2")
    #expect(EditedFeed.settled(current.out).contains("version 2 of 2, NOW until now"))
    #expect(current.out.hasPrefix("Two\n") && current.out.hasSuffix("\nTomorrow.\n"))
  }

  @Test func `JSON has the fields of the version, its number and its times`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch([Article(), Article(title: "Two")])
    func object(_ version: String) async throws -> [String: Any] {
      let json = try await feed.newsimport("show", "1", "--version", version, "--json").out
      return try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] ?? [:]
    }
    let first = try await object("1")
    #expect(first["title"] as? String == "Budget : vote prévu ce soir")
    #expect(first["tags"] as? [String] == ["politics"] && first["last_change"] as? [String] == [])
    #expect(first["version"] as? Int == 1 && first["current"] as? Int == 2)
    #expect(first["edits"] as? Int == 0)
    #expect(first["seen"] is String && first["replaced"] is String)
    let second = try await object("2")
    #expect(second["title"] as? String == "Two" && second["last_change"] as? [String] == ["words"])
    #expect(second["replaced"] is NSNull && second["edits"] as? Int == 1)
  }

  @Test func `the version of a time is shown, and none is known before the first import`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch([Article(), Article(title: "Two")])
    let now = try await feed.newsimport("show", "1", "--at", "2999-01-01")
    #expect(now.status == 0 && now.out.hasPrefix("Two\n"))
    let before = try await feed.newsimport("show", "1", "--at", "2010-01-01 08:00")
    #expect(before.status == 66 && before.out.isEmpty)
    #expect(
      EditedFeed.settled(before.err)
        == "newsimport: article 1 was first imported NOW; no version of 2010-01-01 08:00 is known\n")
    let beyond = try await feed.newsimport("show", "1", "--version", "3")
    #expect(
      beyond == .init(status: 66, out: "", err: "newsimport: article 1 has versions 1 to 2, not 3\n"))
    #expect(try await feed.newsimport("show", "1", "--version", "1", "--at", "1d").status == 64)
  }

  @Test func `a time without seconds counts to the end of its minute`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch([Article(), Article(title: "Two")])
    let times = """
      UPDATE article SET imported = 1262304010; UPDATE article_version SET replaced = 1262304020;
      """
    try feed.newsimport.execute(times)
    let minute = try await feed.newsimport("show", "1", "--at", "2010-01-01T00:00Z")
    #expect(minute.status == 0 && minute.out.hasPrefix("Two\n"), "\(minute)")
    let second = try await feed.newsimport("show", "1", "--at", "2010-01-01T00:00:15Z")
    #expect(second.status == 0 && second.out.hasPrefix("Budget"), "\(second)")
    #expect(try await feed.newsimport("show", "1", "--at", "2010-01-01T00:00:05Z").status == 66)
  }

  @Test func `the version of a time between two changes is the one that was current`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch([Article(), Article(title: "Two"), Article(title: "Three")])
    // The changes are as old as the test needs.
    let times = """
      UPDATE article SET imported = 1262304000; UPDATE article_version SET replaced = 1262304000 + 86400 * number;
      """
    try feed.newsimport.execute(times)
    for (date, title) in [
      ("2010-01-01 12:00", "Budget : vote prévu ce soir"), ("2010-01-02 12:00", "Two"),
      ("2010-01-04", "Three"),
    ] {
      #expect(try await feed.newsimport("show", "1", "--at", date).out.hasPrefix(title + "\n"), "\(date)")
    }
  }
}
