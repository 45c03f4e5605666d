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
