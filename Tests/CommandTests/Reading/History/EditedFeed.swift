import Foundation
import LoopbackServer
import TestSupport
import Testing
import Threading

/// A command with a store, and a feed on a loopback server whose only article changes between fetches.
struct EditedFeed: Sendable {
  let newsimport: CommandRun
  let server: LoopbackHTTPServer
  private let body: Locked<String>

  /// The state of the article.
  struct Article: Sendable {
    var title = "Budget : vote prévu ce soir"
    var summary = "<p>The <b>vote</b> is tonight.</p>"
    var tags = ["politics"]
    var date = "Wed, 03 Feb 2010 17:23:16 GMT"
    var media = ""
  }

  init() throws {
    newsimport = try CommandRun()
    let body = Locked("")
    self.body = body
    server = try LoopbackHTTPServer { _ in .ok(body.withLock { $0 }) }
  }

  /// Sets the article, and fetches it.
  func fetch(_ article: Article = Article()) async throws {
    let escaped = article.summary.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    let tags = article.tags.map { "<category>\($0)</category>" }.joined()
    body.withLock {
      $0 = """
        <rss version="2.0"><channel><title>The Daily</title><item><guid isPermaLink="false">a</guid>
        <title>\(article.title)</title><pubDate>\(article.date)</pubDate>\(tags)\(article.media)
        <description>\(escaped)</description></item></channel></rss>
        """
    }
    let isFirst = try await newsimport("feed", "list", "world").status != 0
    if isFirst { _ = try await newsimport("region", "add", "world", server.url("/feed")) }
    #expect(try await newsimport("fetch", "world").status == 0)
  }

  /// Sets and fetches each article.
  func fetch(_ articles: [Article]) async throws {
    for article in articles { try await fetch(article) }
  }

  /// Replaces the times of the test in output.
  static func settled(_ text: String) -> String {
    text.replacing(#/20[2-9]\d-\d\d-\d\d \d\d:\d\d/#, with: "NOW")
      .replacing(#/"20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"/#, with: "NOW")
  }
}
