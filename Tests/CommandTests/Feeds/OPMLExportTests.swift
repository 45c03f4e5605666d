import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct OPMLExportTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @Test func `an exported list is imported again with the same regions`() async throws {
    let server = try LoopbackHTTPServer { _ in
      .ok(
        "<rss version=\"2.0\"><channel><title>A &amp;lt; \"B\"</title><link>https://a.example/</link></channel></rss>"
      )
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed?a=1&b=2"))
    _ = try await newsimport("region", "add", "tech & co", "https://b.example/", server.url("/feed?a=1&b=2"))
    _ = try await newsimport("fetch", "world", "-q")
    let export = try await newsimport("opml", "export")
    #expect(export.status == 0 && export.err.isEmpty)
    #expect(export.out.contains("text=\"A &lt; &quot;B&quot;\""))
    #expect(export.out.contains("htmlUrl=\"https://a.example/\""))
    let other = try CommandRun()
    let back = try await other("opml", "import", "-", input: export.out)
    #expect(back.status == 0)
    #expect(try await other("region", "list").out == (try await newsimport("region", "list").out))
    #expect(try await newsimport("opml", "export", "world").out.components(separatedBy: "xmlUrl").count == 2)
  }

  @Test func `a dry run of an import says what would be added, and adds nothing`() async throws {
    let list = "https://a.example/\nhttps://b.example/\nhttps://b.example/\n"
    let arguments = ["opml", "import", "--dry-run", "--region", "world", "-"]
    let first = try await newsimport.run(arguments, input: list)
    #expect(first == .init(status: 0, out: "would add  2 feeds to world\n", err: ""))
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    let second = try await newsimport.run(arguments, input: list)
    #expect(second == .init(status: 0, out: "would add  1 feed to world, 1 already there\n", err: ""))
    #expect(
      try await newsimport("region", "list", "--json").out.contains("\"feeds\":[\"https://a.example/\"]"))
  }

  @Test func `passwords are not exported`() async throws {
    _ = try await newsimport("region", "add", "world", "https://ann:secret@a.example/")
    #expect(try await !newsimport("opml", "export").out.contains("secret"))
  }

  @Test func `an unknown region is reported before anything is written`() async throws {
    let none = try await newsimport("opml", "export")
    #expect(none.status == 66 && none.out.isEmpty)
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    let result = try await newsimport("opml", "export", "world", "wrld")
    #expect(result.status == 66 && result.out.isEmpty)
    #expect(result.err == "newsimport: wrld: no such region; did you mean world?\n")
  }
}
