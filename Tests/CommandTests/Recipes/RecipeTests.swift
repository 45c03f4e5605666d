import Foundation
import LoopbackServer
import TestSupport
import Testing
import Threading

/// The commands in docs/recipes.md.
@Suite struct RecipeTests {
  /// A title that a shell, a header or a mention would misread.
  private static let hostile = "$(touch x) `id` \"; 'q' @me@example.org -o\nBcc: a@b"
  private static let plain = "$(touch x) `id` \"; 'q' @me@example.org -o Bcc: a@b"

  /// A server's answers to posts: the first one fails.
  private static func failingOnce() -> Recipe.Answer {
    let isFirst = Locked(true)
    return { _ in
      isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst ? .status(503) : .ok("{}")
      }
    }
  }

  @Test func `each article is mailed once, also after a failure`() async throws {
    let recipe = try await Recipe("Mail each article")
    defer { recipe.server.stop() }
    let sendmail = try await recipe.install(
      "sendmail",
      "echo \"$@\" >> calls; [ $(wc -l < calls) -gt 1 ] || exit 75; cat >> mails; echo END >> mails")
    try recipe.replace("/usr/sbin/sendmail", with: sendmail)
    recipe.publish([
      ["id": "c", "title": Self.hostile, "content_text": "a\n.\nb"], ["id": "d", "title": "Fourth"],
    ])
    #expect(try await recipe.fetch().status == 1)
    #expect(try await recipe.retry().status == 0)
    #expect(try await recipe.fetch().status == 0)
    #expect(try recipe.text("calls") == String(repeating: "me@example.org\n", count: 3))
    let mails = try recipe.text("mails").components(separatedBy: "END\n").dropLast()
    #expect(mails.count == 2 && mails.allSatisfy { $0.hasPrefix("From: ") && !$0.contains("\n.\n") })
    #expect(mails.contains { $0.contains("\nSubject: \(Self.plain)\n") })
  }

  @Test func `a notification is sent to ntfy, and repeated after a failure`() async throws {
    let recipe = try await Recipe("Notifications with ntfy", answer: Self.failingOnce())
    defer { recipe.server.stop() }
    recipe.publish([["id": "c", "title": "A ferry " + Self.hostile, "url": "https://example.org/c"]])
    recipe.publish([["id": "d", "title": "A train"]])
    #expect(try await recipe.fetch().status == 1)
    #expect(try await recipe.retry().status == 0)
    let bodies = try recipe.requests.map {
      try JSONDecoder().decode([String: String].self, from: Data($0.body))
    }
    #expect(bodies.count == 2 && bodies.first == bodies.last && recipe.requests.first?.method == "POST")
    #expect(
      bodies.first == [
        "topic": "my-news", "title": "The \"Daily\"", "message": "A ferry " + Self.plain,
        "click": "https://example.org/c",
      ])
  }

  @Test func `a web service gets articles together, and one by one after a failure`() async throws {
    let recipe = try await Recipe("Send articles to a web service", answer: Self.failingOnce())
    defer { recipe.server.stop() }
    _ = try recipe.newsimport.folder.write(
      ".config/newsimport/service-header",
      "Content-Type: application/x-ndjson\nAuthorization: Bearer secret\n".utf8)
    recipe.publish([["id": "c", "title": Self.hostile], ["id": "d", "title": "Fourth"]])
    #expect(try await recipe.fetch().status == 0)
    let lines = recipe.requests.map { String(decoding: $0.body, as: UTF8.self).split(separator: "\n") }
    #expect(lines.map(\.count) == [2, 1, 1] && lines.first == Array(lines.dropFirst().joined()))
    #expect(
      recipe.requests.allSatisfy {
        $0.path == "/news" && $0.text(of: "Authorization") == "Bearer secret"
          && $0.text(of: "Content-Type") == "application/x-ndjson"
      })
  }

  @Test func `a post to Mastodon has a key for its repetition, and mentions nobody`() async throws {
    let recipe = try await Recipe("Post to Mastodon", answer: Self.failingOnce())
    defer { recipe.server.stop() }
    _ = try recipe.newsimport.folder.write(
      ".config/newsimport/mastodon-header", "Authorization: Bearer secret\n".utf8)
    recipe.publish([["id": "c", "title": Self.hostile, "url": "https://example.org/c"]])
    #expect(try await recipe.fetch().status == 1)
    #expect(try await recipe.retry().status == 0)
    let requests = recipe.requests
    try #require(requests.count == 2)
    #expect(requests[0].body == requests[1].body)
    #expect(
      requests.allSatisfy { $0.path == "/api/v1/statuses" && $0.text(of: "Authorization") == "Bearer secret" }
    )
    let keys = Set(requests.map { $0.text(of: "Idempotency-Key") ?? "" })
    #expect(keys.count == 1 && keys.first?.isEmpty == false)
    let body = String(decoding: requests[1].body, as: UTF8.self).replacing("+", with: " ")
    let status = "status=" + Self.plain.replacing("@", with: "@\u{200B}") + "\n\nhttps://example.org/c"
    #expect(body.removingPercentEncoding == status)
  }

  @Test func `an episode is downloaded once, and a download that was cut continues`() async throws {
    let episode = Array(String(repeating: "sound ", count: 5000).utf8)
    let isFirst = Locked(true)
    let recipe = try await Recipe(
      "Download podcasts", region: "podcasts",
      attachments: [
        ["url": "/a/episode%201.mp3?x=[1]&y=$(id)", "mime_type": "audio/mpeg"],
        ["url": "file:///etc/passwd", "mime_type": "audio/mpeg"],
        ["url": "/cover.png", "mime_type": "image/png"],
        ["url": "magnet:?-o/etc/passwd", "mime_type": "audio/mpeg"],
      ]
    ) { request in
      let start = request.text(of: "Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
      let rest = Array(episode[start...])
      let response = ScriptedResponse.status(
        start == 0 ? 200 : 206,
        headers: ["Content-Range: bytes \(start)-\(episode.count - 1)/\(episode.count)"],
        body: rest)
      return isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst ? response.cut(after: 10000) : response
      }
    }
    defer { recipe.server.stop() }
    recipe.publish([["id": "c", "title": "Episode"]])
    #expect(try await recipe.fetch().status == 1)
    #expect(try await recipe.retry().status == 0)
    recipe.publish([["id": "d", "title": "The same episode"]])
    #expect(try await recipe.fetch().status == 0)
    let podcasts = recipe.newsimport.folder.file("Podcasts")
    let names = try FileManager.default.contentsOfDirectory(atPath: podcasts)
    #expect(
      names.count == 1 && names[0].hasSuffix("-episode201.mp3"), "\(names)")
    #expect(FileManager.default.contents(atPath: "\(podcasts)/\(names[0])") == Data(episode))
    #expect(recipe.requests.count == 2 && recipe.requests.last?.value(of: "Range") != nil)
  }

  @Test func `the whole text of a page becomes an article of another region`() async throws {
    let recipe = try await Recipe("The whole text of each page") { request in
      request.path == "/page" ? .ok("<html>page</html>") : .status(404)
    }
    defer { recipe.server.stop() }
    try await recipe.install(
      "trafilatura", "[ \"$*\" = '--output-format html' ] && sed 's/page/<p>Whole text<\\/p>/'")
    recipe.publish([["id": "c", "title": Self.hostile, "url": "/page"]])
    recipe.publish([["id": "d", "title": "Gone", "url": "/gone"], ["id": "e", "title": "Nowhere"]])
    recipe.publish([["id": "f", "title": "Local", "url": "file:///etc/passwd"]])
    #expect(try await recipe.fetch().status == 1)
    #expect(Set(recipe.requests.map(\.path)) == ["/page", "/gone"])
    let listed = try await recipe.run(
      "newsimport", "list", "whole", "--copies", "--fields", "title,content_html", "--json")
    #expect(
      listed.out.contains("<p>Whole text</p>") && listed.out.split(separator: "\n").count == 1,
      "\(listed)")
    #expect(try await recipe.fetch().status == 0)
    let status = try await recipe.run("newsimport", "hooks", "status").out
    #expect(status.contains("1 failing"), "\(status)")
  }

  @Test func `a web page and a feed are written`() async throws {
    let recipe = try await Recipe("A web page and a feed for others")
    recipe.server.stop()
    _ = try recipe.newsimport.folder.write("public_html/index.html", [])
    let result = try await recipe.runCommands()
    #expect(result.status == 0, "\(result)")
    #expect(try recipe.text("public_html/world.html").contains("Second"))
    #expect(try recipe.text("public_html/world.xml").contains("https://example.org/world.xml"))
  }

  @Test func `an article is kept for later`() async throws {
    let recipe = try await Recipe("Read later")
    recipe.server.stop()
    let result = try await recipe.runCommands()
    #expect(result.status == 0 && result.out.contains("Second") && !result.out.contains("First"), "\(result)")
    #expect(try recipe.text("later.html").contains("Second"))
    #expect(try await recipe.run("newsimport", "list", "--all", "--starred", "--json").out.isEmpty)
  }

  @Test func `a region follows a list, and keeps feeds that are not from it`() async throws {
    let isLater = Locked(false)
    let recipe = try await Recipe("Feeds from a list") { _ in
      let names = isLater.withLock(\.self) ? ["b", "c", "d"] : ["a", "b", "c"]
      let outlines = names.map { "<outline text='x' xmlUrl='https://\($0).example/feed'/>" }
      return .ok("<opml version='2.0'><body>\(outlines.joined())</body></opml>")
    }
    defer { recipe.server.stop() }
    for later in [false, true] {
      isLater.withLock { $0 = later }
      let result = try await recipe.runCommands()
      #expect(result.status == 0, "\(result)")
    }
    let listed = try await recipe.run("newsimport", "feed", "list", "--json")
    let feeds = listed.out.split(separator: "\n").filter { !$0.contains("\"regions\":[]") }
    #expect(feeds.count == 4, "\(listed)")
    #expect(
      feeds.contains { $0.contains("https://d.example/feed") }
        && !feeds.contains { $0.contains("https://a.") })
  }

  @Test func `restic gets a whole copy of the store`() async throws {
    let recipe = try await Recipe("Backups with restic")
    recipe.server.stop()
    try await recipe.install("restic", "echo \"$@\" > words; cat > copy.sqlite")
    let result = try await Command.run(
      "/bin/sh", ["-c", "cd; bin/back-up-news"], environment: recipe.environment)
    #expect(result.status == 0, "\(result)")
    #expect(try recipe.text("words") == "backup --stdin --stdin-filename news.sqlite\n")
    let listed = try await recipe.newsimport(
      "list", "--all", "--json", "--store", recipe.newsimport.folder.file("copy.sqlite"))
    #expect(listed.out.split(separator: "\n").count == 2)
    let left = try FileManager.default.contentsOfDirectory(atPath: recipe.newsimport.folder.path)
    #expect(!left.contains { $0.hasPrefix("tmp.") }, "its folder is removed")
  }

  @Test func `changes are followed into another database, from where they ended`() async throws {
    let recipe = try await Recipe("Follow changes into another database")
    defer { recipe.server.stop() }
    let folder = recipe.newsimport.folder
    @Sendable func mirror() async throws -> [String] {
      let rows = try await Command.run(
        "sqlite3", [folder.file("mirror.sqlite"), "SELECT fields ->> 'title' FROM article ORDER BY id"])
      return rows.out.split(separator: "\n").map(String.init)
    }
    func follow(until titles: [String]) async throws {
      // The shell and the commands that it starts are one process group, which ends together.
      _ = try await Command.run(
        "/usr/bin/setsid",
        ["--wait", "/bin/sh", "-c", "echo $$ > \"$HOME/group\"; exec \"$HOME/bin/mirror-news\""],
        environment: recipe.environment
      ) { _ in
        defer {
          let group = try? String(contentsOfFile: folder.file("group"), encoding: .utf8).dropLast()
          if let group = group.flatMap({ Int32($0) }), group > 1 { kill(-group, SIGTERM) }
        }
        let found = Locked<[String]>([])
        try await until("the mirror has \(titles)") {
          found.withLock { $0 == titles }
        } meanwhile: {
          // After the last acknowledgement, no event is left.
          let left = try await recipe.run("newsimport", "changes", "--consumer", "mirror", "--json")
          let new = left.out.isEmpty ? try await mirror() : []
          found.withLock { $0 = new }
        }
      }
    }
    try await follow(until: ["First", "Second"])
    let database = folder.file("mirror.sqlite")
    #expect(try await Command.run("sqlite3", [database, "DELETE FROM article WHERE id = 1"]).status == 0)
    recipe.publish([["id": "c", "title": "It's third"]])
    #expect(try await recipe.fetch().status == 0)
    try await follow(until: ["Second", "It's third"])
  }

  @Test func `Datasette gets a copy of the articles`() async throws {
    let recipe = try await Recipe("Datasette")
    recipe.server.stop()
    let place = recipe.newsimport.folder.file(".local/share/newsimport")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place + "/news.sqlite", withDestinationPath: recipe.newsimport.store)
    for _ in 0..<2 {
      let result = try await recipe.run("\(recipe.newsimport.folder.path)/bin/news-for-datasette")
      #expect(result.status == 0, "\(result)")
    }
    let rows = try await Command.run(
      "sqlite3",
      [recipe.newsimport.folder.file("articles.sqlite"), "SELECT title FROM articles ORDER BY id"])
    #expect(rows.out == "First\nSecond\n", "\(rows)")
  }

  @Test func `each recipe has a test`() throws {
    let page = try String(contentsOf: Repository.folder.appending(path: "docs/recipes.md"), encoding: .utf8)
    let tests = try String(contentsOfFile: #filePath, encoding: .utf8)
    let titles = page.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { $0.dropFirst(3) }
    #expect(titles.filter { !tests.contains("\"\($0)\"") } == [])
  }
}
