import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct DiffCommandTests {
  private let feed: EditedFeed

  init() throws {
    feed = try EditedFeed()
  }

  private typealias Article = EditedFeed.Article

  private func diff(_ arguments: String...) async throws -> CommandRun.Result {
    var result = try await feed.newsimport.run(["diff"] + arguments)
    result.out = EditedFeed.settled(result.out)
    return result
  }

  @Test func `each changed passage is a line of the old and one of the new text`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch([
      Article(), Article(title: "Budget : le vote reporté", summary: "<p>The <i>vote</i> is tomorrow.</p>"),
    ])
    let result = try await diff("1")
    #expect(
      result
        == .init(
          status: 0,
          out: """
            version 1, NOW  ->  version 2 (current), NOW
            title
            - Budget : vote prévu ce soir
            + Budget : le vote reporté
            content_html
            - The vote is tonight.
            + The vote is tomorrow.

            """, err: ""))
  }

  @Test func `on a terminal, lines are wrapped and have colours`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch([Article(), Article(title: "Budget : le vote reporté")])
    let plain = try await feed.newsimport.run(["diff", "1", "--no-pager"], on: try Terminal(columns: 25))
    #expect(plain.out.contains("\n  - Budget : vote prévu\n    ce soir\n"))
    #expect(plain.out.contains("\n  + Budget : le vote\n    reporté\n"))
    let coloured = try await feed.newsimport.run(
      ["diff", "1", "--no-pager"], on: try Terminal(columns: 80),
      variables: ["NO_COLOR": "", "TERM": "xterm"])
    #expect(coloured.out.contains("\u{1B}[9;31m  - Budget : vote prévu ce soir\u{1B}[0m\n"))
    #expect(coloured.out.contains("\u{1B}[32m  + Budget : le vote reporté\u{1B}[0m\n"))
  }

  @Test func `dates, lists and members are shown as people read them`() async throws {
    defer { feed.server.stop() }
    let file = #"<enclosure url="https://example.org/1.mp3" type="audio/mpeg" length="1204"/>"#
    try await feed.fetch([
      Article(tags: ["politics", "money"]),
      Article(
        tags: ["money", "tax"], date: "Thu, 04 Feb 2010 08:00:00 GMT",
        media: file + "<comments>https://example.org/c</comments>"),
    ])
    #expect(
      try await diff("1").out == """
        version 1, NOW  ->  version 2 (current), NOW
        comments_url
        + https://example.org/c
        tags
        - politics
        + tax
        attachments
        + https://example.org/1.mp3  audio/mpeg  1,204 bytes
        published
        - 2010-02-03 17:23
        + 2010-02-04 08:00

        """)
  }

  @Test func `a change of markup alone is named, and shown on request`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch([Article(), Article(summary: "<p>The <i>vote</i> is tonight.</p>")])
    #expect(
      try await diff("1").out.hasSuffix(
        "\ncontent_html\n  the same words in other markup or white space; --markup shows it\n"))
    #expect(
      try await diff("1", "--markup").out.hasSuffix(
        "\ncontent_html\n- <p>The <b>vote</b> is tonight.</p>\n+ <p>The <i>vote</i> is tonight.</p>\n"))
  }

  @Test func `on a terminal, markup that differs beside words is named`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch([
      Article(), Article(summary: "<p>The <a href='https://example.org/'>vote</a> was tonight.</p>"),
      Article(summary: "<p>The <a href='https://example.org/'>vote</a> was today.</p>"),
    ])
    let hint = "\n  the markup differs, too; --markup shows it\n"
    for (version, isNamed) in [("2", true), ("3", false)] {
      let result = try await feed.newsimport.run(
        ["diff", "1", "--to", version, "--no-pager"], on: try Terminal(columns: 80))
      #expect(result.out.contains(hint) == isNamed, "\(result)")
    }
  }

  @Test func `lists without elements are empty in JSON`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch([Article(), Article(tags: [])])
    #expect(
      try await diff("1", "--json").out.contains(
        #""field":"tags","old":["politics"],"new":[],"passages":"#))
  }

  @Test func `any two versions can be compared, by default one with the next`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch([Article(title: "One"), Article(title: "Two"), Article(title: "Three")])
    #expect(try await diff("1").out.hasSuffix("title\n- Two\n+ Three\n"))
    #expect(try await diff("1", "--to", "2").out.hasSuffix("title\n- One\n+ Two\n"))
    #expect(try await diff("1", "--from", "1").out.hasSuffix("title\n- One\n+ Three\n"))
    let json = try await diff("1", "--from", "1", "--to", "3", "--json").out
    #expect(
      json
        == #"{"id":1,"from":1,"to":3,"from_seen":NOW,"to_seen":NOW,"current":3,"changes":[{"field":"title","old":"One","new":"Three","passages":[{"old":"One","new":"Three"}]}]}"#
        + "\n")
  }

  @Test func `versions that are equal or the same have no difference`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch()
    let only = try await diff("1")
    #expect(only.status == 0 && only.out.isEmpty)
    #expect(
      only.err
        == "no difference: article 1 has only one version, it has not changed since its import\n")
    try await feed.fetch([Article(title: "Two"), Article()])
    #expect(
      try await diff("1", "--from", "1").err == "no difference between versions 1 and 3 of article 1\n")
    let same = try await diff("1", "--from", "2", "--to", "2")
    #expect(same == .init(status: 0, out: "", err: "no difference: both are version 2\n"))
    #expect(try await diff("1", "--from", "1", "--json").out.hasSuffix(#""changes":[]}"# + "\n"))
  }

  @Test func `a version out of range is refused with the range`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch()
    let one = try await diff("1", "--from", "2", "--to", "2")
    #expect(one == .init(status: 66, out: "", err: "newsimport: article 1 has only version 1, not 2\n"))
    try await feed.fetch([Article(title: "Two"), Article(title: "Three")])
    for arguments in [["--from", "0"], ["--to", "4"], ["--from", "9"]] {
      let result = try await feed.newsimport.run(["diff", "1"] + arguments)
      #expect(result.status == 66 && result.out.isEmpty)
      #expect(result.err == "newsimport: article 1 has versions 1 to 3, not \(arguments[1])\n")
    }
    let exchanged = try await diff("1", "--from", "3", "--to", "1")
    #expect(exchanged.status == 64 && exchanged.err.contains("--from 3 is newer than --to 1; exchange them"))
    #expect(try await diff("x").status == 64)
    #expect(try await diff("7").status == 66)
  }

  @Test func `an article of an attached store has its versions`() async throws {
    defer { feed.server.stop() }
    try await feed.fetch([Article(title: "One"), Article(title: "Two")])
    let copy = feed.newsimport.folder.file("copy.db")
    #expect(try await feed.newsimport("store", "backup", copy).status == 0)
    #expect(try await feed.newsimport("store", "attach", copy, "--name", "old").status == 0)
    #expect(try await diff("old:1").out.hasSuffix("title\n- One\n+ Two\n"))
    let beyond = try await diff("old:1", "--to", "5")
    #expect(beyond.err == "newsimport: article old:1 has versions 1 to 2, not 5\n")
  }
}
