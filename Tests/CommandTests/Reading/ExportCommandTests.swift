import Foundation
import LoopbackServer
import TestSupport
import Testing
import TextOutput

@testable import ArticleDocuments
@testable import NewsCommand
@testable import NewsConfiguration

@Suite struct ExportCommandTests {
  private let newsimport: CommandRun

  init() async throws {
    newsimport = try await Self.library.copy()
  }

  private static let library = StoreFixture { newsimport in
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    _ = try await newsimport("fetch", "world", "-q")
  }

  private static let feed = """
    <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>D &lt;b&gt;&amp;lt;script&amp;gt;</title>
    <item><guid>1</guid><title>A &amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt; &#x202E;title</title>
    <link>https://example.org/1?a="b"&amp;c</link><dc:language>ar" onx="</dc:language>
    <pubDate>Wed, 03 Feb 2010 17:23:16 +0000</pubDate><dc:creator>Ann</dc:creator>
    <enclosure url="javascript:alert(1)" type="audio/mpeg" length="1"/>
    <enclosure url="https://example.org/1.mp3" type="audio/mpeg" length="1204"/>
    <description>&lt;p onclick="x()">Text&lt;script>alert(2)&lt;/script>&lt;/p>&lt;/article>&lt;/body></description></item>
    <item><guid>2</guid><title>Second</title><link>javascript:alert(3)</link><dc:language>fr</dc:language>
    <pubDate>Tue, 02 Feb 2010 17:23:16 +0000</pubDate><description>\(String(repeating: "word ", count: 400))</description></item>
    </channel></rss>
    """

  @Test func `a region is a page without anything that acts`() async throws {
    let page = try await newsimport("export", "world").out
    #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">") && page.hasSuffix("</html>\n"))
    #expect(!page.contains("<script") && !page.contains("onclick") && !page.contains("javascript:"))
    #expect(!page.contains("\u{202E}") && !page.contains("onx="))
    #expect(
      page.contains("<h2><time datetime=\"2010-02-03T17:23:16Z\">Wednesday, 3 February 2010</time></h2>"))
    #expect(page.contains("\" lang=\"fr\">\n<h3") && page.components(separatedBy: "</article>").count == 3)
    #expect(page.components(separatedBy: "</body>").count == 2)
    #expect(
      page.contains("https://example.org/1.mp3") && page.contains("<summary lang=\"en\">Read on</summary>"))
    for landmark in ["<header>", "<main id=\"articles\">", "<footer>", "<h1 dir=\"auto\">world</h1>"] {
      #expect(page.contains(landmark))
    }
  }

  @Test func `an article without a title is headed by its first words, as in lists`() async throws {
    try newsimport.execute("UPDATE article SET title = NULL WHERE guid = '1'")
    let page = try await newsimport("export", "world").out
    #expect(page.contains("rel=\"noopener noreferrer\">Text</a></h3>"))
  }

  @Test func `invalid UTF-8 that another program stored hides no characters of markup`() async throws {
    // Lenient readers take the bytes after the start of a longer character as part of it.
    let starts: [UInt8] = [0xC2, 0xD8, 0xE2, 0xF0]
    let html = starts.flatMap { [$0] + Array("&lt;script&gt;".utf8) }
    let hex = html.map { String($0, radix: 16) }.joined()
    try newsimport.execute("UPDATE article SET content_html = CAST(x'\(hex)' AS TEXT)")
    let file = newsimport.folder.file("page.html")
    #expect(try await newsimport("export", "world", "-o", file).status == 0)
    let page = try Data(contentsOf: URL(filePath: file))
    let text = try #require(String(validating: page, as: UTF8.self))
    #expect(text.components(separatedBy: "\u{FFFD}&lt;script&gt;").count == 9)
  }

  /// Returns the values of an attribute in a page.
  private func values(of attribute: String, in page: String) -> [String] {
    page.components(separatedBy: " \(attribute)=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
  }

  @Test func `a page leads to its days, feeds and articles`() async throws {
    let page = try await newsimport("export", "world").out
    let links = values(of: "href", in: page).filter { $0.hasPrefix("#") }.map { $0.dropFirst() }
    let places = values(of: "id", in: page)
    #expect(Set(places).count == places.count && links.allSatisfy { places.contains(String($0)) })
    #expect(links.filter { $0.hasPrefix("article-") }.count == 2)
    let nav = page.components(separatedBy: "<nav aria-label=\"Days and feeds\">").last?
      .components(separatedBy: "</nav>").first
    #expect(nav?.contains("<a href=\"#2010-02-03\" dir=\"auto\">3 February 2010</a> <span>1</span>") == true)
    #expect(nav?.contains("dir=\"auto\">D &lt;b&gt;&lt;script&gt;</a> <span>2</span>") == true)
  }

  @Test func `links into a page keep their meaning when articles are added`() async throws {
    let old = try await newsimport("export", "world").out
    let newer = Self.feed.replacing(
      "<item><guid>2", with: "<item><guid>3</guid><title>New</title></item><item><guid>2")
    let address = try await newsimport("feed", "list", "--json").out.components(separatedBy: "\"")
      .first { $0.hasPrefix("http") }
    let file = try newsimport.folder.write("newer.xml", newer.utf8)
    #expect(try await newsimport("import", "--feed", try #require(address), file).status == 0)
    let new = try await newsimport("export", "world").out
    #expect(Set(values(of: "id", in: new)).subtracting(values(of: "id", in: old)).count == 2)
    func titles(_ page: String) -> [String: Substring?] {
      let articles = page.components(separatedBy: "<article id=\"").dropFirst()
      return Dictionary(
        articles.map {
          ($0.components(separatedBy: "\"")[0], $0.firstMatch(of: #/<h3[^>]*>.*</h3>/#)?.output)
        }
      ) { first, _ in first }.mapValues { $0?.drop { $0 != ">" } }
    }
    #expect(titles(old).allSatisfy { titles(new)[$0.key] == $0.value } && titles(new).count == 3)
  }

  @Test func `a page states its choice of articles`() async throws {
    let page = try await newsimport(
      "export", "world", "--unread", "--match", "title OR second", "--since", "2010-02-02", "--limit", "1"
    ).out
    let choice = "unread, with title OR second, since 2010-02-02 00:00 UTC"
    #expect(page.contains("<p>The newest 1 article of <span dir=\"auto\">D &lt;b&gt;"))
    #expect(page.contains("</span>: \(choice)</p>"))
    #expect(page.contains("<title>world (1 article: \(choice))</title>"))
    #expect(try await newsimport("export").out.contains("<p>2 articles of <span"))
  }

  @Test(arguments: [
    ("UTC", "17:23 UTC"), ("XST-1", "18:23 UTC+1"), ("XST-5:30", "22:53 UTC+5:30"),
    ("XST3:30", "13:53 UTC-3:30"),
  ])
  func `a time states its time zone`(zone: String, time: String) async throws {
    let page = try await newsimport.run(["export", "world"], variables: ["TZ": zone]).out
    #expect(page.contains("<time datetime=\"2010-02-03T17:23:16Z\">\(time)</time>"))
  }

  @Test func `the page's policy allows its own style alone`() async throws {
    let page = try await newsimport("export", "world").out
    let style = try #require(page.split(separator: "<style>").last?.split(separator: "</style>").first)
    let hash = try await styleHash(of: style, in: newsimport.folder)
    #expect(hash == HTMLPageStyle.hash)
    #expect(
      page.contains(
        "content=\"default-src 'none'; style-src '\(hash)'; base-uri 'none'; form-action 'none'\""))
    // Everything that a browser would load from another server.
    #expect(
      !page.contains("<link") && !page.contains("<img") && !style.contains("url(")
        && !style.contains("@import"))
  }

  @Test func `a file is replaced once the new one is complete, and keeps its mode`() async throws {
    let file = newsimport.folder.file("page.html")
    let result = try await newsimport("export", "world", "-o", file)
    #expect(result.status == 0 && result.out.hasPrefix("saved  \(file)  2 articles  ") && result.err.isEmpty)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    #expect(
      try await newsimport("export", "world", "--format", "rss", "--limit", "1", "-o", file).status == 0)
    let feed = try await newsimport("parse", file)
    #expect(feed.status == 0 && feed.out.contains("/feed#1\"") && !feed.out.contains("/feed#2\""))
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    let names = try FileManager.default.contentsOfDirectory(atPath: newsimport.folder.path)
    #expect(!names.contains { $0.hasSuffix(".part") })
  }

  @Test(arguments: ["", "-wal", "-shm", "-journal", "-locks", ".search", ".search-wal", ".attached"])
  func `an export does not replace the store or a file that belongs to it`(ending: String) async throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: newsimport.store))
    let result = try await newsimport("export", "world", "-o", newsimport.store + ending)
    #expect(
      result
        == .init(
          status: 73, out: "",
          err: "newsimport: \(newsimport.store)\(ending): it belongs to the store; name another file\n"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: newsimport.store)) == before)
  }

  @Test(arguments: ["--config", "NEWSIMPORT_CONFIG", "the usual place"])
  func `the configuration in force is not replaced`(origin: String) async throws {
    let isUsual = origin == "the usual place"
    let path = try newsimport.folder.write(
      isUsual ? ".config/newsimport/config.toml" : "own.toml", "contact = \"me@example.org\"\n".utf8)
    let link = newsimport.folder.file("link.toml")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    for file in [path, link] {
      for command in [["export", "world", "-o", file], ["fetch", "--due", "-q", "--metrics", file]] {
        let result = try await newsimport.run(
          command + (origin == "--config" ? ["--config", path] : []),
          variables: origin == "NEWSIMPORT_CONFIG" ? [origin: path] : [:])
        #expect(
          result.status == 73 && result.err.contains("\(file): it is the configuration; name another file"),
          "\(result)")
      }
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "contact = \"me@example.org\"\n")
  }

  @Test func `the place of the configuration and the files of its secrets are not replaced`() async throws {
    let secret = try newsimport.folder.write("secret", "token\n".utf8)
    let own = try newsimport.folder.write(
      "own.toml",
      """
      [[feed]]
      url = "https://a.example/"
      auth = { bearer_file = "secret" }
      headers = { X-Key = { file = "header" } }
      [region.world]
      auth = { basic = { user = "u", password_file = "\(newsimport.folder.file("password"))" } }
      """.utf8)
    try FileManager.default.createDirectory(
      atPath: newsimport.folder.file(".config/newsimport"), withIntermediateDirectories: true)
    let usual = newsimport.folder.file(".config/newsimport/config.toml")
    let refusals = [
      (secret, "the configuration names it as the file of a secret"),
      (newsimport.folder.file("password"), "the configuration names it as the file of a secret"),
      (newsimport.folder.file("header"), "the configuration names it as the file of a secret"),
      (usual, "it is the configuration"),
    ]
    for (file, cause) in refusals {
      let result = try await newsimport("export", "world", "--config", own, "-o", file)
      #expect(result.status == 73 && result.err.contains("\(file): \(cause); name another file"), "\(result)")
    }
    let result = try await newsimport("export", "world", "-o", usual)
    #expect(result.status == 73 && !FileManager.default.fileExists(atPath: usual), "\(result)")
    #expect(try String(contentsOfFile: secret, encoding: .utf8) == "token\n")
  }

  @Test func `another name of the store is not replaced, nor another database`() async throws {
    let (link, hardLink, copy) = (
      newsimport.folder.file("link"), newsimport.folder.file("hard"), newsimport.folder.file("copy.db")
    )
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: newsimport.store)
    try FileManager.default.linkItem(atPath: newsimport.store, toPath: hardLink)
    for file in [link, hardLink] {
      let result = try await newsimport("fetch", "world", "-q", "--metrics", file)
      #expect(result.err.contains("newsimport: \(file): it belongs to the store; name another file"))
    }
    #expect(try await newsimport("store", "backup", copy).status == 0)
    let result = try await newsimport("export", "world", "-o", copy)
    #expect(result.status == 73 && result.err.contains("it belongs to a SQLite database"))
    #expect(try await newsimport("store", "check").status == 0)
    // The log of another database has changes that are nowhere else.
    for ending in ["-wal", "-shm", "-journal", "-locks", ".search"] {
      let result = try await newsimport("export", "world", "-o", copy + ending)
      #expect(result.status == 73 && result.err.contains("it belongs to a SQLite database"))
      let backup = try await newsimport("store", "backup", copy + ending)
      #expect(backup.status == 73 && backup.err.contains("this name belongs to a SQLite database"))
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can create files of other users"))
  func `a link of another user in a shared folder is not followed`() async throws {
    let shared = newsimport.folder.file("shared")
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
    chmod(shared, 0o1777)
    let precious = try newsimport.folder.write("precious", "precious".utf8)
    try FileManager.default.createSymbolicLink(atPath: shared + "/out", withDestinationPath: precious)
    lchown(shared + "/out", 4343, 4343)
    let result = try await newsimport("export", "world", "-o", shared + "/out")
    #expect(result.status == 73)
    #expect(
      result.err
        == "newsimport: \(shared)/out: a link of another user in a shared folder; name another file\n")
    #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
    // A folder may be such a link, too.
    try FileManager.default.createSymbolicLink(
      atPath: shared + "/folder", withDestinationPath: newsimport.folder.path)
    lchown(shared + "/folder", 4343, 4343)
    let folder = try await newsimport("export", "world", "-o", shared + "/folder/precious")
    #expect(
      folder.status == 73 && folder.err.contains("it is reached by \(shared)/folder, a link of another user"))
    #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
  }

  @Test func `a failed export leaves no file and reports the cause`() async throws {
    let nowhere = try await newsimport("export", "world", "-o", newsimport.folder.file("none/page.html"))
    #expect(nowhere.status == 73 && nowhere.out.isEmpty && nowhere.err.contains("none/page.html: "))
    let folder = try await newsimport("export", "world", "-o", newsimport.folder.path)
    #expect(folder.status == 73 && folder.err.contains("not a file that can be replaced"))
    let region = try await newsimport("export", "wrld", "-o", newsimport.folder.file("x"))
    #expect(region.status == 66 && region.err == "newsimport: wrld: no such region; did you mean world?\n")
    #expect(!FileManager.default.fileExists(atPath: newsimport.folder.file("x")))
  }

  @Test func `a region without articles is exported as a page`() async throws {
    _ = try await newsimport("region", "add", "empty", "http://127.0.0.1:1/")
    let page = try await newsimport("export", "empty").out
    #expect(page.contains("<p class=\"none\">No articles yet.</p>") && page.contains("0 articles"))
  }

  @Test(arguments: [
    ("2026-11-21", "Saturday, 21 November 2026"), ("2000-01-01", "Saturday, 1 January 2000"),
    ("2024-02-29", "Thursday, 29 February 2024"), ("1969-07-20", "Sunday, 20 July 1969"),
  ])
  func `a day is printed with its name`(day: String, name: String) throws {
    let date = try Date("\(day)T12:00:00Z", strategy: .iso8601)
    #expect(HTMLPage.dayName(CivilDate(date)) == name)
  }
}
