import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import ArticleDocuments
@testable import NewsCommand

@Suite struct FirstWordsTests {
  @Test(
    arguments: [
      ("", nil), ("  \n", nil), ("<img src='x'>", nil), ("<script>f()</script>", nil),
      ("One", "One"), ("<p>One <a href='https://a.example/'>two</a>\n three</p>", "One two three"),
      ("Fish &amp; chips", "Fish & chips"), ("one two three four", "one two three…"),
      ("exactly this width", "exactly this…"), ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnop…"),
      ("日本語の文章は単語の間に空白がありません", "日本語の文章は単…"),
    ] as [(String, String?)])
  func `whole words stand for a missing title`(html: String, words: String?) {
    #expect(FirstWords.text(ofHTML: html, width: 17) == words)
  }

  @Test func `text after a long preamble of markup is found`() {
    let html = String(repeating: "<span class='x'></span>", count: 1000) + "<p>Words</p>"
    #expect(FirstWords.text(ofHTML: html) == "Words")
  }

  @Test(arguments: 4080...4100)
  func `words at the end of the beginning that is read first are whole, and others follow them`(size: Int) {
    let markup = "<b class='\(String(repeating: "x", count: size - 12))'>"
    #expect(FirstWords.text(ofHTML: markup + "Hello &eacute;t&eacute; world") == "Hello été world")
    #expect(FirstWords.text(ofHTML: markup + "Hello &eacute;t&eacute; world", width: 12) == "Hello été…")
    let link = "<a href='two three four'>"
    #expect(FirstWords.text(ofHTML: markup + "One \(link)été</a> end", width: 12) == "One été end")
  }

  @Test func `an untitled article is listed and shown with its first words`() async throws {
    let newsimport = try CommandRun()
    let server = try LoopbackHTTPServer { _ in
      .ok(
        """
        <rss version="2.0"><channel><title>Micro</title>
        <item><guid isPermaLink="false">1</guid><link>https://a.example/1</link>
        <description>&lt;p&gt;Just had the &lt;b&gt;best&lt;/b&gt; coffee of my life in a small place by the harbour, honestly.&lt;/p&gt;</description></item>
        <item><guid isPermaLink="false">2</guid><link>https://a.example/2</link></item>
        </channel></rss>
        """)
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    _ = try await newsimport("fetch", "world", "-q")
    let lines = try await newsimport("list", "world").out
    #expect(lines.contains("  Just had the best coffee of my life in a small place by the…  "))
    #expect(lines.contains("  https://a.example/2  "))
    #expect(try await newsimport("list", "world", "--fields", "title").out == "\n\n")
    #expect(
      try await newsimport("show", "1").out
        .hasPrefix("Just had the best coffee of my life in a small place by the…\nMicro  "))
    #expect(try await newsimport("show", "2").out.hasPrefix("https://a.example/2\nMicro  "))
  }
}
