import LoopbackServer
import TestSupport
import Testing

/// Characters of feeds that would control a terminal: C1, DEL, and changes of the writing direction.
@Suite struct UnsafeOutputTests {
  private let newsimport: CommandRun

  init() async throws {
    newsimport = try await Self.library.copy()
  }

  private static let library = StoreFixture { newsimport in
    let feed = #"""
      {"version":"https://jsonfeed.org/version/1.1","title":"T\u009d0;x\u202e\u007f",
      "items":[{"id":"1","title":"i\u0090x\u2066, \"y\u007f","content_text":"text"}]}
      """#
    let server = try LoopbackHTTPServer { _ in .ok(feed, headers: ["Content-Type: application/feed+json"]) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed.json"))
    #expect(try await newsimport("fetch", "world", "-q").status == 0)
  }

  private static let unsafe: [Unicode.Scalar] = [
    "\u{7F}", "\u{90}", "\u{9D}", "\u{202E}",
  ]

  @Test(arguments: [
    ["list", "world"], ["list", "world", "--format", "tsv"],
    ["list", "world", "--format", "rss"], ["list", "world", "--format", "jsonfeed"],
    ["list", "world", "--json"],
    ["list", "world", "--fields", "title,feed"], ["sql", "SELECT title FROM articles"],
    ["opml", "export"], ["export", "world"],
    ["show", "1"],
    ["search", "text"],
  ])
  func `no character that controls a terminal is printed raw`(arguments: [String]) async throws {
    let result = try await newsimport.run(arguments)
    #expect(result.status == 0)
    #expect(!(result.out + result.err).unicodeScalars.contains { Self.unsafe.contains($0) }, "\(result.out)")
  }

  @Test(arguments: [
    ["list", "world", "--fields", "title", "--format", "csv"],
    ["sql", "SELECT title FROM articles", "--format", "csv"],
  ])
  func `a terminal gets no raw control characters in CSV, and a program gets the values as they are`(
    arguments: [String]
  ) async throws {
    #expect(try await newsimport.run(arguments).out == "title\n\"i\u{90}x\u{2066}, \"\"y\u{7F}\"\n")
    let shown = try await newsimport.run(arguments, on: try Terminal(columns: 80)).out
    #expect(!shown.unicodeScalars.contains { Self.unsafe.contains($0) || $0 == "\u{2066}" }, "\(shown)")
  }

  @Test(arguments: [["list", "world"], ["show", "1"], ["search", "text"]])
  func `an isolate of a title ends with the title`(arguments: [String]) async throws {
    let shown = try await newsimport.run(arguments).out
    #expect(shown.contains("i\\u0090x\u{2066}, \"y\\u007f\u{2069}"), "\(shown)")
  }

  @Test func `lines that end with NUL have the values as they are`() async throws {
    let result = try await newsimport("list", "world", "--fields", "title", "-0")
    #expect(result.out == "i\u{90}x\u{2066}, \"y\u{7F}\0")
  }

  @Test func `unsafe characters of values are escaped, and those of documents are references`() async throws {
    #expect(
      try await newsimport("list", "world", "--fields", "title").out == "i\\u0090x\\u2066, \"y\\u007f\n")
    #expect(try await newsimport("opml", "export").out.contains("text=\"T&#157;0;x&#8238;&#127;\""))
  }
}
