import LoopbackServer
import TestSupport
import Testing

@Suite struct FilterCommandTests {
  private let newsimport: CommandRun
  private let server: LoopbackHTTPServer

  init() async throws {
    newsimport = try CommandRun()
    server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 3)) }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("region", "add", "tech", server.url("/feed"))
  }

  private func configure(_ toml: String) throws -> String {
    try newsimport.folder.write(".config/newsimport/config.toml", toml.utf8)
  }

  @Test func `articles that the configuration skips are counted and not saved`() async throws {
    _ = try configure("[region.world]\nskip = [\"title:ITEM-2\", \"url:/item-3\"]\n")
    let result = try await newsimport("fetch", "world", "-v")
    #expect(
      result.out == """
          updated       \(server.url("/feed"))  1 new  2 skipped
        world   1 feed   1 updated   1 new

        """)
    // An unchanged document is not parsed again.
    #expect(try await newsimport("fetch", "tech", "--json").out.contains("\"skipped\":0"))
    #expect(
      try await newsimport("list", "world", "--json", "--fields", "title").out
        == "{\"title\":\"Title of item-1\"}\n")
    let check = try await newsimport("config", "check")
    #expect(check.out.contains("skips title:item-2 or url:/item-3\n"))
  }

  @Test func `a feed's own filter overrides its regions' filters, which must agree`() async throws {
    let regions = "[region.world]\nskip = [\"title:2\"]\n[region.tech]\nskip = []\n"
    let path = try configure(regions)
    let result = try await newsimport("fetch", "world")
    #expect(result.status == 78)
    #expect(
      result.err.hasPrefix(
        "newsimport: \(path): region.world.skip: differs from region.tech.skip, and "))
    _ = try configure(
      regions + "[[feed]]\nurl = \"\(server.url("/feed"))\"\nskip = []\nonly = [\"title:item\"]\n")
    #expect(try await newsimport("fetch", "world").out == "world   1 feed   1 updated   3 new\n")
  }

  @Test(arguments: [
    (
      "[\"sponsored\"]",
      "'sponsored' is not a field (title, url, author, tag), a colon and a text: \"title:sponsored\""
    ),
    (
      "\"title:x\"",
      "this text does not fit; it is a list of texts such as [\"title:sponsored\", \"url:/ads/\"]"
    ),
    (
      "[\"titel:x\"]",
      "'titel:x' is not a field (title, url, author, tag), a colon and a text: \"title:sponsored\"; did you mean title?"
    ),
    (
      "[3]",
      "a value of type integer does not fit; it is a list of texts such as [\"title:sponsored\", \"url:/ads/\"]"
    ),
  ]) func `an invalid pattern is reported with a fix`(value: String, cause: String) async throws {
    let path = try configure("[region.world]\nskip = \(value)\n")
    let result = try await newsimport("config", "check")
    #expect(
      result == .init(status: 78, out: "", err: "newsimport: \(path): region.world.skip: \(cause)\n"))
  }
}
