import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct ParseCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// A feed of many items, without its end.
  private func items(_ count: Int) -> String {
    let text = String(repeating: "Words of an item. ", count: 20)
    return "<rss version=\"2.0\"><channel><title>Large</title>"
      + (0..<count).map { "<item><guid>\($0)</guid><description>\(text)</description></item>" }.joined()
  }

  private func object(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test(arguments: [10, 10_000])
  func `a feed of any size is printed as one line`(count: Int) async throws {
    let file = try newsimport.folder.write("feed.xml", (items(count) + "</channel></rss>").utf8)
    let result = try await newsimport("parse", file, file)
    #expect(result.status == 0)
    #expect(result.err == "")
    let lines = result.out.split(separator: "\n")
    #expect(lines.count == 2)
    for line in lines {
      let feed = try object(String(line))
      #expect(feed["title"] as? String == "Large")
      #expect((feed["items"] as? [Any])?.count == count)
      #expect((feed["_newsimport"] as? [String: Any])?["file"] as? String == file)
    }
  }

  @Test(arguments: [10, 10_000])
  func `a feed over a limit is printed up to the limit, with the cause`(count: Int) async throws {
    let deep = String(repeating: "<x>", count: 300)
    let file = try newsimport.folder.write("feed.xml", (items(count) + deep).utf8)
    let result = try await newsimport("parse", file)
    #expect(result.status == 1)
    #expect(result.err == "newsimport: \(file): over the limit of 256 for depth of elements\n")
    let feed = try object(result.out)
    #expect((feed["items"] as? [Any])?.count == count)
    let about = feed["_newsimport"] as? [String: Any]
    #expect(about?["error"] as? String == "over the limit of 256 for depth of elements")
  }

  @Test func `an unknown charset is a usage error`() async throws {
    let file = try newsimport.folder.write("feed.xml", (items(1) + "</channel></rss>").utf8)
    let result = try await newsimport("parse", "--content-type", "text/xml; charset=nonsense", file)
    #expect(result.status == 64)
    #expect(result.out == "")
    #expect(
      result.err.hasPrefix(
        "newsimport: unknown charset 'nonsense' in --content-type; see newsimport parse --help\n"))
    for type in ["text/xml", "text/xml; charset=koi8-r"] {
      #expect(try await newsimport("parse", "--content-type", type, file).status == 0)
    }
  }

  @Test func `an item without an id is printed with the id of an import`() async throws {
    let feed =
      "<rss version=\"2.0\"><channel><title>t</title><item><title>One</title></item>"
      + "<item><link>https://example.org/2</link></item></channel></rss>"
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world")
    let stored = try await newsimport("list", "world", "--json", "--fields", "guid").out
    let parsed = try object(try await newsimport("parse", server.url("/feed")).out)
    let ids = try #require(parsed["items"] as? [[String: Any]]).map { $0["id"] as? String }
    #expect(ids.count == 2 && ids.last == "https://example.org/2")
    for id in ids { #expect(stored.contains("{\"guid\":\"\(id ?? "none")\"}")) }
  }

  @Test func `a password in an address is never printed`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    let address = server.url("/feed").replacing("http://", with: "http://reader:s3cret@")
    for result in [
      try await newsimport("parse", address), try await newsimport("parse", "http://u:s3cret@127.0.0.1:9/"),
    ] {
      #expect(!(result.out + result.err).contains("s3cret"))
    }
  }

  @Test(arguments: [
    "nonsense", "//example.org/", "http://", "http:///feed", "javascript:alert(1)", "/feed", "example.org",
  ])
  func `a base that is not an address is a usage error`(base: String) async throws {
    let file = try newsimport.folder.write("feed.xml", (items(1) + "</channel></rss>").utf8)
    let result = try await newsimport("parse", file, "--url", base)
    #expect(result.status == 64)
    #expect(result.out == "")
    #expect(result.err.hasPrefix("newsimport: the value '\(base)' is invalid for '--url"), "\(result.err)")
  }

  @Test(arguments: [
    "http://example.org", "https://example.org/a/feed?x", "HTTPS://bücher.example/ä b", "ftp://[::1]:21/",
    "file:///tmp/feed.xml",
  ])
  func `a base that is an address is accepted`(base: String) async throws {
    let file = try newsimport.folder.write("feed.xml", (items(1) + "</channel></rss>").utf8)
    #expect(try await newsimport("parse", file, "--url", base).status == 0)
  }

  @Test(arguments: ["ftp://example.org/feed", "gopher://u:s3cret@example.org/", "feed://example.org/feed"])
  func `an address of another scheme is not reported as a missing file`(address: String) async throws {
    for command in [["parse"], ["opml", "import"], ["opml", "sync"]] {
      let result = try await newsimport.run(command + [address])
      #expect(result.status == 65)
      #expect(
        result.err.hasSuffix(": not read; only files, and addresses of http and https, can be read\n"),
        "\(command): \(result)")
      #expect(!(result.out + result.err).contains("s3cret"))
    }
  }

  @Test func `a closed pipe ends parse quietly, and a full disk is an error`() async throws {
    let file = try newsimport.folder.write("feed.xml", (items(10_000) + "</channel></rss>").utf8)
    let page = try newsimport.folder.write("page.html", "<html></html>".utf8)
    let command = "\(Command.builtProducts)/newsimport parse"
    let left = try await Command.run(
      "bash", ["-c", "\(command) \(file) \(file) | head -c 10 | wc -c; echo ${PIPESTATUS[0]}"])
    #expect(left == .init(status: 0, out: "10\n0\n", err: ""))
    for files in [file, "\(page) \(file)"] {
      let full = try await Command.run("bash", ["-c", "\(command) \(files) > /dev/full; echo $?"])
      #expect(full.out == "74\n")
      #expect(full.err.hasSuffix("newsimport: standard output: cannot be written: No space left on device\n"))
    }
  }

  @Test func `an interrupted download is printed up to the interruption, with the cause`() async throws {
    let body = items(10)
    let head = ["Content-Length: \(body.utf8.count + 100)", "Content-Type: application/rss+xml"]
    let server = try LoopbackHTTPServer { _ in
      ScriptedResponse(.send(ScriptedResponse.head(200, "OK", headers: head) + Array(body.utf8)))
    }
    defer { server.stop() }
    let result = try await newsimport("parse", server.url("/feed"))
    #expect(result.status == 1)
    let feed = try object(result.out)
    #expect((feed["items"] as? [Any])?.count == 10)
    let error = (feed["_newsimport"] as? [String: Any])?["error"] as? String
    #expect(error?.isEmpty == false)
    #expect(result.err == "newsimport: \(server.url("/feed")): \(error ?? "")\n")
  }

  @Test func `the body of an error response is not printed`() async throws {
    let body = items(1) + "</channel></rss>"
    let server = try LoopbackHTTPServer { _ in .status(500, "Broken", body: Array(body.utf8)) }
    defer { server.stop() }
    let result = try await newsimport("parse", server.url("/feed"))
    #expect(result.status == 69)
    #expect((try object(result.out)["items"] as? [Any])?.isEmpty == true)
  }

  @Test(arguments: ["http://", "https:///feed", "http://exa mple.org/", "http://a.example:99999/"])
  func `an address with an impossible host is not requested`(address: String) async throws {
    let result = try await newsimport("parse", address)
    #expect(result.status == 65)
    #expect(result.err.hasPrefix("newsimport: \(address): "), "\(result.err)")
  }

  @Test(arguments: ["none", "None", "null", "''", ""])
  func `a charset that means none is not an error`(name: String) async throws {
    let file = try newsimport.folder.write("feed.xml", (items(1) + "</channel></rss>").utf8)
    let result = try await newsimport("parse", "--content-type", "text/xml; charset=\(name)", file)
    #expect(result.status == 0, "\(result.err)")
    #expect(result.out.contains(#""recovered":false"#))
  }
}
