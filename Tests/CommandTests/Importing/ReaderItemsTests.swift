import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Files in the JSON of Google Reader's API.
@Suite struct ReaderItemsTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private static let items = """
    {"id":"tag:google.com,2005:reader/item/1","crawlTimeMsec":"1793613600000","published":1793613600,"title":"Saved &amp; read",
    "author":"Bo","canonical":[{"href":"https://s.example/1"}],"alternate":[{"href":"https://s.example/1?x","type":"text/html"}],
    "categories":["user/-/state/com.google/reading-list","user/-/state/com.google/read","user/1/label/Tech","news"],
    "summary":{"direction":"ltr","content":"<p>Body</p><img src=\\"/i.png\\">"},"enclosure":[{"href":"https://s.example/1.mp3","type":"audio/mpeg"}],
    "comments":"https://s.example/1#c","origin":{"streamId":"feed/https://s.example/f","title":"Site","htmlUrl":"https://s.example/"}},
    {"id":"x","guid":"own","published":-1,"title":"B","alternate":[{"href":"https://t.example/2"}],"categories":["user/-/state/com.google/starred"],
    "content":{"content":"text"},"origin":{"streamId":"feed/52","feedUrl":"https://t.example/f","title":"T"}},
    {"id":"y","title":"C","alternate":[{"href":"https://u.example/3"}],"origin":{"streamId":"user/-/state/com.google/created","htmlUrl":"https://u.example/"}}
    """

  private func file(_ id: String) throws -> String {
    try newsimport.folder.write(
      "starred.json",
      "\u{FEFF}{\"direction\":\"ltr\",\"id\":\"\(id)\",\"title\":\"List\",\"items\":[\(Self.items)]}".utf8)
  }

  @Test(arguments: [[], ["--from", "reader"]])
  func `articles with marks, tags and feeds are taken over`(options: [String]) async throws {
    let path = try file("user/-/state/com.google/reading-list")
    let run = try await newsimport.run(["import"] + options + [path])
    #expect(
      run.status == 0 && run.err.isEmpty && run.out.hasPrefix("imported  1 document   3 new."), "\(run)")
    let rows = try await newsimport(
      "sql",
      """
      SELECT feed, guid, title, url, published, authors, tags, content_html, comments_url, read, starred FROM articles ORDER BY title
      """)
    #expect(
      rows.out.hasSuffix(
        """
        \nhttps://t.example/f\town\tB\thttps://t.example/2\t1969-12-31T23:59:59Z\t\t\ttext\t\t0\t1
        file:reader/https://u.example/\thttps://u.example/3\tC\thttps://u.example/3\t\t\t\t\t\t0\t0
        https://s.example/f\thttps://s.example/1\tSaved & read\thttps://s.example/1\t2026-11-02T10:00:00Z\t[{"name":"Bo"}]\t\
        ["Tech","news"]\t<p>Body</p><img src="https://s.example/i.png">\thttps://s.example/1#c\t1\t0

        """), "\(rows.out)")
    let feeds = try await newsimport("sql", "SELECT title, regions FROM feeds ORDER BY url")
    let region = options.isEmpty ? "[]" : "[\"reader\"]"
    #expect(feeds.out.hasSuffix("\nSite\t\(region)\nT\t\(region)\n"), "\(feeds.out)")
    let again = try await newsimport("import", path)
    #expect(again.out.contains("1 document known from before"))
  }

  @Test func `all articles of a list of starred ones are starred`() async throws {
    let run = try await newsimport("import", try file("user/1005/state/com.google/starred"))
    #expect(run.status == 0)
    #expect(
      try await newsimport("list", "--all", "--starred", "--fields", "title").out.split(separator: "\n").count
        == 3)
  }

  @Test func `the first fetch brings no article again, although the file does not have the publisher's ids`()
    async throws
  {
    let items = ["A", "B"].map {
      "<item><guid isPermaLink='false'>\($0)</guid><title>\($0)</title><link>https://s.example/\($0)</link></item>"
    }
    let feed = "<rss version='2.0'><channel><title>S</title>\(items.joined())</channel></rss>"
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    let item = """
      {"id":"x","title":"A","alternate":[{"href":"https://s.example/A"}],"categories":["user/-/state/com.google/read"],\
      "origin":{"streamId":"feed/\(server.url("/f"))"}}
      """
    let text = "{\"id\":\"user/-/state/com.google/starred\",\"items\":[\(item)]}"
    #expect(try await newsimport("import", "--from", "reader", "-", input: text).status == 0)
    for _ in 0..<2 {
      #expect(try await newsimport("fetch", "reader").status == 0)
      let rows = try await newsimport("sql", "SELECT title, read, starred FROM articles ORDER BY title")
      #expect(rows.out.hasSuffix("\nA\t1\t1\nB\t0\t0\n"), "\(rows)")
    }
  }

  @Test func `an attachment without an address is left out, with its type and size`() async throws {
    let item =
      "{\"title\":\"A\",\"enclosure\":[{\"type\":\"video/mp4\",\"length\":9},{\"href\":\"https://s.example/a.mp3\"}],"
      + "\"origin\":{\"streamId\":\"feed/https://s.example/f\"}}"
    #expect(
      try await newsimport("import", "--from", "reader", "-", input: "{\"items\":[\(item)]}").status == 0)
    let rows = try await newsimport("sql", "SELECT attachments FROM articles")
    #expect(rows.out.contains("a.mp3") && !rows.out.contains("video") && !rows.out.contains("9"), "\(rows)")
  }

  @Test func `the size of a file is kept, and an article without any content is reported`() async throws {
    let origin = "\"origin\":{\"streamId\":\"feed/https://s.example/f\"}"
    let items = ["\"length\":1234", "\"length\":\"5678\"", "\"length\":0", "\"length\":[]"].enumerated().map {
      "{\"title\":\"\($0)\",\"enclosure\":[{\"href\":\"https://s.example/a.mp3\",\($1)}],\(origin)}"
    }
    let empty = "{\"id\":\"x\",\"published\":1793613600,\(origin)}"
    let run = try await newsimport(
      "import", "--from", "reader", "-",
      input: "{\"items\":[\((items + [empty, empty]).joined(separator: ","))]}")
    #expect(run.status == 1 && run.out.contains("   4 new"), "\(run)")
    #expect(run.err.contains("2 articles left out: neither a title, nor an address, nor a text\n"), "\(run)")
    let size =
      CommandRun.isOnServer
      ? "attachments::jsonb -> 0 ->> 'size_in_bytes'" : "json_extract(attachments, '$[0].size_in_bytes')"
    let rows = try await newsimport("sql", "SELECT \(size) FROM articles ORDER BY title")
    #expect(rows.out.hasSuffix("\n1234\n5678\n\n\n"), "\(rows)")
  }

  @Test func `a file that is cut off or too large is refused, and a JSON Feed is none`() async throws {
    let path = try newsimport.folder.write("a.json", "{\"items\":[\(Self.items),{".utf8)
    let cut = try await newsimport("import", path)
    #expect(cut.status == 65 && cut.err.hasPrefix("newsimport: \(path): not JSON after "), "\(cut)")
    let large = try await newsimport("import", "--max-body", "100", try file("x"))
    #expect(
      large.status == 65 && large.err.contains("larger than 100 bytes; --max-body takes larger ones"),
      "\(large)")
    let feed = "{\"title\":\"T\",\"items\":[{\"id\":\"1\",\"content_text\":\"x\",\"categories\":[\"a\"]}]}"
    let own = try await newsimport("import", "--feed", "file:own", "-", input: feed)
    #expect(own.status == 0 && own.out.hasPrefix("imported  1 document of 1 feed   1 new"), "\(own)")
  }
}
