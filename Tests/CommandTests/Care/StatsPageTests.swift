import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import ArticleDocuments

@Suite struct StatsPageTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// Fetches a feed with three articles, and one that fails twice.
  private func fetch() async throws -> LoopbackHTTPServer {
    let server = try LoopbackHTTPServer { request in
      request.path == "/bad" ? .status(500) : .ok(TestFeed.rss(count: 3, prefix: request.path))
    }
    _ = try await newsimport("region", "add", "wor<ld", server.url("/bad"), server.url("/good"))
    for _ in 0..<2 { _ = try await newsimport("fetch", "--all", "--quiet") }
    return server
  }

  @Test func `the page shows articles, answers and failing feeds, with all names escaped`() async throws {
    let server = try await fetch()
    defer { server.stop() }
    let page = try await newsimport("stats", "--format", "html").out
    #expect(page.contains("<dt>articles</dt><dd>3</dd>"))
    // The scale: the value as high as the chart, and the dates at its ends.
    #expect(page.components(separatedBy: "<div class=\"most\">3 articles</div><svg").count == 2, "growth")
    #expect(page.contains("<div class=\"most\">0 articles</div><svg"), "the articles are of 2010")
    #expect(page.contains("wor&lt;ld") && !page.contains("wor<ld"))
    #expect(page.contains("HTTP 500") && page.contains("<td class=\"number\">2</td>"))
    #expect(page.contains("class=\"failed\"") && page.contains("class=\"unchanged\""))
    #expect(!page.contains("<script") && !page.contains("<link") && !page.contains("<img"))
  }

  @Test func `the page's policy allows its own style alone`() async throws {
    let server = try await fetch()
    defer { server.stop() }
    let page = try await newsimport("stats", "--format", "html").out
    let style = try #require(page.split(separator: "<style>").last?.split(separator: "</style>").first)
    #expect(try await styleHash(of: style, in: newsimport.folder) == StatisticsPageStyle.hash)
    #expect(page.contains("default-src 'none'; style-src '\(StatisticsPageStyle.hash)'; base-uri 'none'"))
  }

  @Test func `the page of a region leaves out what belongs to others`() async throws {
    let server = try await fetch()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "other", server.url("/third"))
    _ = try await newsimport("fetch", "other", "--quiet")
    let page = try await newsimport("stats", "other", "--format", "html").out
    #expect(
      page.contains("<dt>articles</dt><dd>3</dd>") && page.contains("<dt>feeds with answers</dt><dd>1</dd>"))
    #expect(!page.contains("HTTP 500") && !page.contains("wor&lt;ld"))
  }

  @Test func `a file is written whole, and options for tables are refused`() async throws {
    let server = try await fetch()
    defer { server.stop() }
    let file = newsimport.folder.file("stats.html")
    let result = try await newsimport("stats", "--format", "html", "-o", file)
    #expect(result.out.hasPrefix("saved  \(file)"))
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasSuffix("</html>\n"))
    for options in [["-o", file], ["--format", "html", "--json"], ["--format", "html", "--by", "feed"]] {
      #expect(try await newsimport.run(["stats"] + options).status == 64)
    }
  }
}

/// Returns the hash by which a page's policy names its style.
func styleHash(of style: Substring, in folder: TemporaryFolder) async throws -> String {
  let file = try folder.write("style.css", style.utf8)
  let program =
    "import base64,hashlib,sys; print('sha256-'+base64.b64encode(hashlib.sha256(open(sys.argv[1],'rb').read()).digest()).decode(),end='')"
  return try await Command.run("python3", ["-c", program, file]).out
}
