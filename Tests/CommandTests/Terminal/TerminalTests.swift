import Foundation
import HTMLText
import LoopbackServer
import TestSupport
import Testing

@Suite struct TerminalTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// Runs on a terminal of 80 columns.
  private func show(_ arguments: String..., variables: [String: String] = [:]) async throws -> String {
    try await newsimport.run(arguments, on: try Terminal(columns: 80), variables: variables).out
  }

  @Test(arguments: [
    ["explain", "members"], ["doctor"], ["feed", "list", "world"], ["config", "check"], ["prune"],
    ["fetch", "wolrd"], ["list", "world", "--since", "x"], ["mark", "raed", "3"],
  ]) func `no word is split at the edge of a terminal`(words: [String]) async throws {
    _ = try await newsimport(
      "region", "add", "world", "https://members.example.org/a/long/way/feed", "http://a.example/feed",
      "https://www.a.example/feed/")
    let piped = try await newsimport.run(words)
    let shown = try await newsimport.run(words, on: try Terminal(columns: 80))
    #expect(shown.status == piped.status)
    // A path that is longer than a line stays whole.
    for line in shown.out.split(separator: "\n") where line.contains("/newsimport-test-") == false {
      #expect(DisplayWidth.columns(of: line) <= 80)
    }
    let text = piped.out + piped.err
    #expect(shown.out.split { $0.isWhitespace } == text.split { $0.isWhitespace })
  }

  private static let tables = [
    "list", "search storm", "stats", "stats --by feed", "config check", "region list",
    "prune --keep 1d --dry-run", "feed list",
  ]

  @Test(arguments: [40, 45, 60, 80]) func `tables fit into a narrow terminal`(columns: Int) async throws {
    let title = "The Channel Newspaper for Wind"
    let feed = TestFeed.rss(
      [
        ("a", "Storm closes all ports of the Channel until the end of the week"),
        ("b", "東京で storm 桜が開花し東京で桜が開花"),
      ],
      title: title)
    let server = try LoopbackHTTPServer { $0.path == "/a" ? .ok(feed) : .status(500) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    _ = try await newsimport(
      "region", "add", "news of the Channel and the Wind", server.url("/a"), server.url("/b"))
    _ = try await newsimport("fetch", "--all")
    for words in Self.tables {
      let shown = try await newsimport.run(
        words.split(separator: " ").map(String.init), on: Terminal(columns: columns))
      #expect(shown.status == 0)
      // A path that is longer than a line stays whole.
      for line in shown.out.split(separator: "\n") where !line.contains("/newsimport-test-") {
        #expect(DisplayWidth.columns(of: line) <= columns, "\(words): \(line)")
      }
      guard words == "list" else { continue }
      #expect(shown.out.contains("The Ch") == (columns >= 60), "the feed's name gives way first")
      #expect(shown.out.contains("Storm closes all ") && shown.out.contains("2010-02-03"))
    }
  }

  @Test func `a terminal that cannot erase a line shows no progress`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    #expect(try await show("fetch", "world", variables: ["TERM": "xterm"]).contains("\u{1B}[K"))
    let plain = try await show("fetch", "world", variables: ["TERM": "dumb"])
    #expect(plain == "world   1 feed   1 not modified\n")
    #expect(
      try await show("region", "add", "tech", "--discover", server.url("/a"), variables: ["TERM": "dumb"])
        .contains("\u{1B}") == false)
  }

  @Test func `watch ends with the cursor at the beginning of a line`() async throws {
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    let terminal = try Terminal(columns: 80)
    let result = try await newsimport.run(["watch"], on: terminal) { signal in
      await terminal.wait(for: "Ctrl-C ends this\n")
      signal(SIGINT)
    }
    // The newline follows the ^C that a terminal shows when the user types it.
    #expect(result == .init(status: 130, out: "watching all regions; Ctrl-C ends this\n\n", err: ""))
  }
}
