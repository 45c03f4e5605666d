import Foundation
import HTTPDownload
import LoopbackServer
import Testing

struct FixtureFolderTests {
  /// Runs a test with a server of a new folder with `feed.xml`, `sub/a b.json` and a link that leads outside.
  private func withFolder(_ body: (LoopbackHTTPServer, URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "fixtures-\(UUID().uuidString)")
    let sub = folder.appendingPathComponent("sub")
    try FileManager.default.createDirectory(at: sub, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("<rss/>".utf8).write(to: folder.appendingPathComponent("feed.xml"))
    try Data("{}".utf8).write(to: sub.appendingPathComponent("a b.json"))
    try Data("secret".utf8).write(to: folder.appendingPathComponent(".hidden"))
    try FileManager.default.createSymbolicLink(
      at: folder.appendingPathComponent("out"), withDestinationURL: URL(fileURLWithPath: "/etc"))
    let fixtures = try FixtureFolder(folder.path)
    let server = try LoopbackHTTPServer { fixtures.respond(to: $0) }
    defer { server.stop() }
    try await body(server, folder)
  }

  @Test func `a file is served once and is then not modified`() async throws {
    try await withFolder { server, folder in
      let downloader = try Downloader.make()
      let url = server.url("/feed.xml")
      let first = await downloader.fetch(DownloadRequest(url: url))
      let head = try #require(first.summary?.head)
      #expect(first.text == "<rss/>")
      #expect(head.contentType == "text/xml")
      #expect(await downloader.fetch(DownloadRequest(url: url, etag: head.etag)).status == 304)
      #expect(
        await downloader.fetch(DownloadRequest(url: url, lastModified: head.lastModified)).status == 304)
      // If both are sent, only the entity tag counts.
      let other = DownloadRequest(url: url, etag: Array("\"other\"".utf8), lastModified: head.lastModified)
      #expect(await downloader.fetch(other).status == 200)
      try Data("<rss>2</rss>".utf8).write(to: folder.appendingPathComponent("feed.xml"))
      #expect(await downloader.fetch(DownloadRequest(url: url, etag: head.etag)).text == "<rss>2</rss>")
      #expect(server.connectionCount == 1)
    }
  }

  @Test func `names may be encoded`() async throws {
    try await withFolder { server, _ in
      let record = await (try Downloader.make()).fetch(DownloadRequest(url: server.url("/sub/a%20b.json")))
      #expect(record.text == "{}")
      #expect(record.heads.first?.contentType == "application/feed+json")
    }
  }

  @Test(arguments: [
    "/", "/sub", "/none.xml", "/.hidden", "/sub/%2e%2e/feed.xml", "/%2e%2e/%2e%2e/etc/passwd", "/out/passwd",
    "/feed.xml%00",
  ])
  func `only the folder's files are served`(path: String) async throws {
    try await withFolder { server, _ in
      let record = await (try Downloader.make()).fetch(DownloadRequest(url: server.url(path)))
      #expect(record.status == 404)
      #expect(record.body.isEmpty)
    }
  }

  @Test func `a path that is not a folder is refused`() {
    #expect(throws: ServerError.self) { try FixtureFolder("/dev/null") }
  }
}
