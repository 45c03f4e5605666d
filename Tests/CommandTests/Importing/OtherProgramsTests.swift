import Foundation
import GRDB
import LoopbackServer
import TestSupport
import Testing

@testable import NewsCommand
@testable import NewsConfiguration
@testable import OtherPrograms

/// Articles of newsboat, of sfeed, and in lines of `list --json`.
@Suite struct OtherProgramsTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// Creates a database as newsboat does.
  private func cache(version: Int = 2, _ statements: String...) throws -> String {
    let path = newsimport.folder.file("cache.db")
    let database = try DatabaseQueue(path: path)
    try database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE rss_feed (rssurl VARCHAR(1024) PRIMARY KEY NOT NULL, url VARCHAR(1024) NOT NULL, title VARCHAR(1024) NOT NULL,
            lastmodified INTEGER(11) NOT NULL DEFAULT 0, is_rtl INTEGER(1) NOT NULL DEFAULT 0, etag VARCHAR(128) NOT NULL DEFAULT "");
          CREATE TABLE rss_item (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, guid VARCHAR(64) NOT NULL, title VARCHAR(1024) NOT NULL,
            author VARCHAR(1024) NOT NULL, url VARCHAR(1024) NOT NULL, feedurl VARCHAR(1024) NOT NULL, pubDate INTEGER NOT NULL,
            content VARCHAR(65535) NOT NULL, unread INTEGER(1) NOT NULL, enclosure_url VARCHAR(1024), enclosure_type VARCHAR(1024),
            enqueued INTEGER(1) NOT NULL DEFAULT 0, flags VARCHAR(52), deleted INTEGER(1) NOT NULL DEFAULT 0, base VARCHAR(128) NOT NULL
            DEFAULT "", content_mime_type VARCHAR(255) NOT NULL DEFAULT "");
          CREATE TABLE metadata (db_schema_version_major INTEGER NOT NULL, db_schema_version_minor INTEGER NOT NULL);
          INSERT INTO metadata VALUES (\(version), 11);
          INSERT INTO rss_feed (rssurl, url, title) VALUES ('https://a.example/feed', 'https://a.example/', 'A'),
            ('https://b.example/feed', '', ''), ('exec:~/x.sh', '', 'Script');
          INSERT INTO rss_item (guid, title, author, url, feedurl, pubDate, content, unread, deleted, content_mime_type, enclosure_url)
          VALUES ('1', 'One', 'Ann', 'https://a.example/1', 'https://a.example/feed', 1265217796, '<p>1</p>', 0, 0, 'text/html', NULL),
            ('2', 'Two', '', 'https://a.example/2', 'https://a.example/feed', 0, 'a < b', 1, 0, 'text/plain', 'https://a.example/2.mp3'),
            ('3', 'Deleted', '', '', 'https://a.example/feed', 0, '', 1, 1, '', NULL),
            ('4', 'Script', '', '', 'exec:~/x.sh', 0, '', 0, 0, '', NULL);
          """)
      for statement in statements { try db.execute(sql: statement) }
    }
    try database.close()
    return path
  }

  @Test func `the feeds, articles and read marks of newsboat are taken over, and its files stay as they are`()
    async throws
  {
    let cache = try cache()
    let urls = try newsimport.folder.write(
      "urls",
      "# feeds\nhttps://a.example/feed news \"long reads\" \"~My title\"\n\nhttps://c.example/feed\nquery:x:y\nexec:~/x.sh !\n"
        .utf8)
    let before = try Data(contentsOf: URL(fileURLWithPath: cache))
    let names = try FileManager.default.contentsOfDirectory(atPath: newsimport.folder.path).sorted()
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: cache)
    let run = try await newsimport("import", "--from", "newsboat", cache, urls)
    let hidden = "newsimport: \(urls): 1 feed that newsboat hides (!) is imported as others\n"
    #expect(
      run
        == .init(
          status: 0,
          out:
            "imported  4 documents of 4 feeds   3 new.   Next: newsimport fetch --all, or the same command with --region NAME: "
            + "1 feed is in no region, and not fetched\n",
          err: "newsimport: \(urls): 1 query not imported; \(Self.asTable)\n\(hidden)"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: cache)) == before)
    let after = try FileManager.default.contentsOfDirectory(atPath: newsimport.folder.path).sorted()
    #expect(after.filter { !$0.hasPrefix("news.db") } == names)
    let articles = try await newsimport(
      "sql", "--json",
      "SELECT feed, guid, title, url, authors, published, content_html, read, attachments FROM articles ORDER BY guid"
    )
    #expect(
      articles.out == """
        {"feed":"https://a.example/feed","guid":"1","title":"One","url":"https://a.example/1","authors":"[{\\"name\\":\\"Ann\\"}]",\
        "published":"2010-02-03T17:23:16Z","content_html":"<p>1</p>","read":1,"attachments":null}
        {"feed":"https://a.example/feed","guid":"2","title":"Two","url":"https://a.example/2","authors":null,"published":null,\
        "content_html":"a &lt; b","read":0,\
        "attachments":"[{\\"url\\":\\"https://a.example/2.mp3\\",\\"mime_type\\":\\"application/octet-stream\\"}]"}
        {"feed":"file:newsboat/exec%3A~/x.sh","guid":"4","title":"Script","url":null,"authors":null,"published":null,\
        "content_html":null,"read":1,"attachments":null}

        """)
    let feeds = try await newsimport("sql", "SELECT url, title, regions FROM feeds ORDER BY url")
    #expect(
      feeds.out.contains("https://a.example/feed\tMy title\t[\"news\",\"long reads\"]\n"), "\(feeds.out)")
    #expect(feeds.out.contains("https://c.example/feed\t\t[\"newsboat\"]\n"))
    // Again, nothing is new. The file `urls` beside the cache is read even if it is not named.
    for path in [cache, newsimport.folder.path] {
      let again = try await newsimport("import", "--from", "newsboat", path)
      #expect(again.out.contains("   0 new."), "\(again)")
      #expect(again.err == run.err)
      #expect(try await newsimport("sql", "SELECT url, title, regions FROM feeds ORDER BY url") == feeds)
    }
  }

  @Test(arguments: [
    ("# c\nbrowser xdg-open\n", "line 2: browser is not an address"),
    ("https://a.example/\0", "binary data"),
  ])
  func `a file that is not newsboat's urls is refused`(text: String, cause: String) async throws {
    let urls = try newsimport.folder.write("urls", text.utf8)
    let run = try await newsimport("import", "--from", "newsboat", try cache(), urls)
    #expect(
      run
        == .init(status: 65, out: "", err: "newsimport: \(urls): not newsboat's file urls: \(cause)\n"))
    #expect(try await newsimport("list").status == 66)
  }

  @Test func `articles of a feed that newsboat no longer has are taken over`() async throws {
    let cache = try cache("DELETE FROM rss_feed WHERE title = 'A'")
    let run = try await newsimport("import", "--from", "newsboat", cache)
    #expect(run.status == 0 && run.out.hasPrefix("imported  3 documents of 3 feeds   3 new."), "\(run)")
    let titles = try await newsimport("list", "--feed", "https://a.example/feed", "--fields", "title")
    #expect(titles.out.split(separator: "\n").sorted() == ["One", "Two"])
  }

  @Test func `an article that the user has deleted in newsboat does not come back with a fetch`() async throws
  {
    let feed = TestFeed.rss([("a", "A"), ("b", "B"), ("c", "C")])
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    let url = server.url("/feed")
    let cache = try cache(
      "DELETE FROM rss_item", "DELETE FROM rss_feed WHERE title <> 'A'",
      "UPDATE rss_feed SET rssurl = '\(url)' WHERE title = 'A'",
      """
      INSERT INTO rss_item (guid, title, author, url, feedurl, pubDate, content, unread, deleted)
      VALUES ('a', 'A', '', '', '\(url)', 0, '', 1, 0), ('b', '', '', '', '\(url)', 0, '', 1, 1)
      """)
    let command = ["import", "--from", "newsboat", cache]
    let dry = try await newsimport.run(command + ["--dry-run"])
    #expect(dry.out.hasPrefix("would import  1 document of 1 feed   1 new\n"), "\(dry)")
    let run = try await newsimport.run(command)
    #expect(run.out.hasPrefix("imported  1 document of 1 feed   1 new."), "\(run)")
    #expect(try await newsimport.run(command).out.contains("   0 new."))
    _ = try await newsimport("fetch", "newsboat")
    let titles = try await newsimport("list", "--all", "--fields", "title").out
    #expect(titles.split(separator: "\n").sorted() == ["A", "C"])
  }

  @Test func `tags of newsboat that cannot be regions are named`() async throws {
    let urls = try newsimport.folder.write(
      "urls", "https://a.example/feed @home tech -x \"a\tb\"\nhttps://b.example/feed @home\n".utf8)
    let run = try await newsimport("import", "--from", "newsboat", try cache(), urls)
    #expect(
      run.err.hasPrefix(
        "newsimport: \(urls): 3 tags not imported, because no region can have such a name: \"-x\", \"@home\", \"a\\u0009b\"\n"
      ))
    #expect(try await newsimport("region", "list", "--fields", "name").out == "newsboat\ntech\n")
  }

  private static let asTable = "write each as a table [query.NAME] in the configuration"

  @Test(
    arguments: [
      ("", 0), ("https://a.example/ query:x\n# query:a:b\n", 0), ("query:a:b", 1),
      ("\"query:Unread:unread = \\\"yes\\\"\" x\r\n  query:b:age < 3\n", 2),
    ])
  func `the queries of newsboat are counted`(urls: String, count: Int) {
    #expect(NewsboatURLs.queries(in: urls) == count)
  }

  @Test func `an article that the store has gets only the marks of lists and of other programs`() async throws
  {
    let feed = """
      <rss version='2.0'><channel><title>A</title><link>https://a.example/</link>
      <item><guid isPermaLink='false'>1</guid><title>First</title><category>x</category><description>whole</description></item>
      </channel></rss>
      """
    let file = try newsimport.folder.write("a.xml", feed.utf8)
    _ = try await newsimport("import", "--feed", "https://a.example/feed", file)
    let fields = ["list", "--fields", "title,tags,content_html,edits,read"]
    #expect(try await newsimport.run(fields).out == "First\t[\"x\"]\twhole\t0\tfalse\n")
    let line = try newsimport.folder.write(
      "l.jsonl", "{\"guid\":\"1\",\"feed\":\"https://a.example/feed\",\"read\":true}\n".utf8)
    #expect(try await newsimport("import", "--dry-run", line).out.contains(" 0 new"))
    #expect(try await newsimport("import", line).out.contains(" 0 new."))
    _ = try await newsimport("import", "--from", "newsboat", try cache())
    #expect(
      try await newsimport.run(fields + ["--feed", "https://a.example/feed"]).out.split(separator: "\n")
        .contains(
          "First\t[\"x\"]\twhole\t0\ttrue"))
  }

  @Test func `the feed's own document completes the articles of another program, without an edit`()
    async throws
  {
    _ = try await newsimport("import", "--from", "newsboat", try cache())
    let feed = { (title: String) in
      """
      <rss version='2.0'><channel><title>A</title><link>https://a.example/</link>
      <item><guid isPermaLink='false'>1</guid><title>\(title)</title><category>x</category><author>a@a.example (Ann)</author>
      <description>short</description><content:encoded xmlns:content='http://purl.org/rss/1.0/modules/content/'>whole</content:encoded></item>
      </channel></rss>
      """
    }
    let query = "SELECT guid, tags, summary, edits, last_change FROM articles WHERE guid = '1'"
    let file = try newsimport.folder.write("a.xml", feed("One").utf8)
    let whole = try await newsimport("import", "--feed", "https://a.example/feed", file)
    #expect(whole.out.contains("0 new") && !whole.out.contains("edited"), "\(whole)")
    #expect(try await newsimport("sql", query).out.hasSuffix("1\t[\"x\"]\tshort\t0\t\n"))
    _ = try newsimport.folder.write("a.xml", feed("Another title").utf8)
    let edited = try await newsimport("import", "--feed", "https://a.example/feed", file)
    #expect(edited.out.contains("1 edited"), "\(edited)")
    #expect(try await newsimport("sql", query).out.hasSuffix("1\t[\"x\"]\tshort\t1\t[\"words\"]\n"))
  }

  @Test func `an unknown schema of newsboat, and a log beside it, are refused`() async throws {
    let newer = try cache(version: 3)
    let run = try await newsimport("import", "--from", "newsboat", newer)
    #expect(run.status == 65 && run.out == "imported  0 documents   0 new   1 document failed\n")
    #expect(
      run.err
        == "newsimport: \(newer): its schema has newsboat's version 3.11, of which only 2 is known; nothing was imported\n"
    )
    try FileManager.default.removeItem(atPath: newer)
    let other = try cache("ALTER TABLE rss_item DROP COLUMN unread")
    #expect(
      try await newsimport("import", "--from", "newsboat", other).err
        == "newsimport: \(other): its tables are not those of newsboat's cache.db: rss_item.unread is missing\n"
    )
    try FileManager.default.removeItem(atPath: other)
    let open = try cache()
    _ = try newsimport.folder.write("cache.db-journal", "x".utf8)
    #expect(try await newsimport("import", "--from", "newsboat", open).err.contains("newsboat is running"))
    let none = try await newsimport("import", "--from", "newsboat", newsimport.folder.file("none.db"))
    #expect(none.status == 66)
    let empty = newsimport.folder.file("empty")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    #expect(
      try await newsimport("import", "--from", "newsboat", empty)
        == .init(status: 66, out: "", err: "newsimport: \(empty)/cache.db: no such file\n"))
    _ = try await newsimport("region", "add", "world", "https://a.example/feed")
    _ = try newsimport.folder.write((newsimport.store as NSString).lastPathComponent + "-journal", "x".utf8)
    let store = try await CommandRun()("import", "--from", "newsboat", newsimport.store)
    #expect(
      store.err == """
        newsimport: \(newsimport.store): a store of newsimport, not newsboat's cache.db; newsimport store attach reads it \
        beside this one

        """)
    let text = try newsimport.folder.write("text.db", "no database".utf8)
    #expect(try await newsimport("import", "--from", "newsboat", text).err.contains("not a SQLite database"))
  }

  @Test func `the user's filters apply to newsboat, to sfeed and to lists`() async throws {
    _ = try newsimport.folder.write(
      ".config/newsimport/config.toml",
      "[region.newsboat]\nskip = [\"title:One\"]\n[region.sfeed]\nskip = [\"title:Two\"]\n[[feed]]\nurl = \"https://b.example/feed\"\nskip = [\"title:Three\"]\n"
        .utf8)
    let newsboat = try await newsimport("import", "--json", "--from", "newsboat", try cache())
    #expect(newsboat.out.contains("\"inserted\":1,\"edited\":0,\"skipped\":1,"), "\(newsboat)")
    _ = try newsimport.folder.write(
      "sfeed/feeds/a", "0\tOne\thttps://a.example/1\t\t\t\n0\tTwo\thttps://a.example/2\t\t\t\n".utf8)
    let sfeed = try await newsimport("import", "--json", "--from", "sfeed", newsimport.folder.file("sfeed"))
    #expect(sfeed.out.contains("\"inserted\":1,\"edited\":0,\"skipped\":1,"), "\(sfeed)")
    let line = "{\"guid\":\"1\",\"feed\":\"https://b.example/feed\",\"title\":\"Three\"}\n"
    let list = try await newsimport("import", "--json", "-", input: line)
    #expect(list.out.contains("\"inserted\":0,\"edited\":0,\"skipped\":1,"), "\(list)")
  }

  @Test func `sfeed's addresses may be in single quotes, and other files are no feeds`() async throws {
    _ = try newsimport.folder.write(
      "sfeed/sfeedrc", "feeds() { feed 'a' 'https://a.example/it'; }\n# feed a https://b.example/\n".utf8)
    _ = try newsimport.folder.write("sfeed/feeds/a", "0\tOne\thttps://a.example/1\t\t\t\n".utf8)
    let other = try newsimport.folder.write("sfeed/feeds/b.xml", "<rss>\n<channel>\n</channel>\n".utf8)
    let run = try await newsimport("import", "--from", "sfeed", newsimport.folder.file("sfeed"))
    let script = newsimport.folder.file("sfeed/sfeedrc")
    #expect(
      run.status == 1
        && run.err == """
          newsimport: \(script): it has no address for b.xml, so this feed is not fetched
          newsimport: \(other): not a file of sfeed(5)

          """,
      "\(run)")
    let feeds = try await newsimport("sql", "SELECT url FROM feeds")
    #expect(feeds.out == "url\nhttps://a.example/it\n", "\(feeds)")
  }

  @Test func `marks that are neither true nor false, and lines that are no objects, are named`() async throws
  {
    let lines = """
      {"guid":"1","feed":"https://b.example/feed","read":"yes"}
      [1,2]
      {"guid":"2","feed":"https://b.example/feed","starred":null}
      null
      none

      """
    let run = try await newsimport("import", "-", input: lines)
    #expect(run.status == 1)
    #expect(
      run.err == """
        newsimport: -: line 1: “read” is not true or false
        newsimport: -: line 2: not an object
        newsimport: -: line 4: not an object
        newsimport: -: line 5: not JSON after 0 bytes

        """)
  }

  @Test func `a feed gets the title and the regions that any of its lines names`() async throws {
    let lines = """
      {"guid":"1","feed":"https://b.example/feed","regions":["a"]}
      {"guid":"2","feed":"https://b.example/feed","regions":["b","a"],"feed_title":"B"}

      """
    #expect(try await newsimport("import", "-", input: lines).status == 0)
    #expect(
      try await newsimport("sql", "SELECT title, regions FROM feeds").out
        == "title\tregions\nB\t[\"a\",\"b\"]\n")
  }

  @Test func `the feeds and articles of sfeed are taken over`() async throws {
    let folder = newsimport.folder.file("sfeed")
    _ = try newsimport.folder.write(
      "sfeed/sfeedrc", "sfeedpath=\"x\"\nfeeds() {\n  feed \"a/b\" \"https://a.example/feed\"\n}\n".utf8)
    _ = try newsimport.folder.write("sfeed/urls", "https://a.example/1\n".utf8)
    _ = try newsimport.folder.write(
      "sfeed/feeds/a_b",
      "1265217796\tOne\thttps://a.example/1\t<p>1</p>\\n\\\\\thtml\tid1\tAnn\thttps://a.example/1.mp3\tx|y\n\tTwo\thttps://a.example/2\ta < b\tplain\t\t\t\t\n"
        .utf8)
    _ = try newsimport.folder.write(
      "sfeed/feeds/other",
      "0\tOnly three fields\tx\n\tThree\thttps://a.example/3\t\t\t\nx\ty\tz\t\t\t\n".utf8)
    let run = try await newsimport("import", "--from", "sfeed", folder)
    #expect(run.status == 1 && run.out.contains("   3 new"), "\(run)")
    #expect(
      run.err == """
        newsimport: \(folder)/sfeedrc: it has no address for other, so this feed is not fetched
        newsimport: \(folder)/feeds/other: line 1: not the 9 fields of sfeed(5)
        newsimport: \(folder)/feeds/other: line 3: “x” is not a time in seconds since 1970

        """)
    let articles = try await newsimport(
      "sql",
      "SELECT feed, guid, title, content_html, tags, read FROM articles WHERE feed LIKE 'https:%' ORDER BY title"
    )
    #expect(
      articles.out.hasSuffix(
        """
        \nhttps://a.example/feed\tid1\tOne\t<p>1</p>\\n\\\\\t["x","y"]\t1
        https://a.example/feed\thttps://a.example/2\tTwo\ta &lt; b\t\t0

        """), "\(articles.out)")
    #expect(try await newsimport("region", "list", "--json").out.contains("\"name\":\"sfeed\""))
  }

  @Test func `a file of sfeed whose name is not UTF-8 is a feed`() async throws {
    let folder = newsimport.folder.file("sfeed")
    try FileManager.default.createDirectory(atPath: folder + "/feeds", withIntermediateDirectories: true)
    for (last, title) in [(UInt8(0xE4), "One"), (0xF6, "Two")] {
      let name = (folder + "/feeds/Nachrichten ").utf8.map { CChar(bitPattern: $0) }
      let file = try #require(fopen(name + [CChar(bitPattern: last), 0], "w"))
      fputs("0\t\(title)\thttps://a.example/\(title)\t\t\t\n", file)
      fclose(file)
    }
    let run = try await newsimport("import", "--from", "sfeed", folder)
    #expect(run.status == 0 && run.err.isEmpty, "\(run)")
    let articles = try await newsimport("sql", "SELECT feed, title FROM articles ORDER BY title")
    #expect(
      articles.out
        == "feed\ttitle\nfile:sfeed/Nachrichten%20%E4\tOne\nfile:sfeed/Nachrichten%20%F6\tTwo\n")
  }

  @Test func `a file of sfeed with wrong lines is imported in part, and its lines are counted`() async throws
  {
    let folder = newsimport.folder.file("sfeed")
    _ = try newsimport.folder.write("sfeed/feeds/no", "<rss>\n</rss>\n".utf8)
    _ = try newsimport.folder.write(
      "sfeed/feeds/plain",
      "0\tOne\thttps://a.example/1\t\t\t\nshort\tline\nabc\tTwo\thttps://a.example/2\t\thtml\t\t\t\t\n".utf8)
    _ = try newsimport.folder.write("sfeed/feeds/whole", "0\tThree\thttps://a.example/3\t\t\t\n".utf8)
    let dry = try await newsimport("import", "--from", "sfeed", folder, "--dry-run")
    #expect(
      dry.out
        == "would import  2 documents of 2 feeds, 1 of them in part, 2 lines failed   2 new   1 document failed\n"
    )
    let run = try await newsimport("import", "--from", "sfeed", folder, "--json")
    #expect(run.status == 1)
    let messages: [Substring] = [
      "newsimport: \(folder)/feeds/no: not a file of sfeed(5)",
      "newsimport: \(folder)/feeds/plain: line 2: not the 9 fields of sfeed(5)",
      "newsimport: \(folder)/feeds/plain: line 3: “abc” is not a time in seconds since 1970",
    ]
    #expect(run.err.split(separator: "\n").sorted() == messages)
    func object(_ name: String, _ feed: String, _ rest: String) -> Substring {
      "{\"file\":\"\(folder)/feeds/\(name)\",\"feed\":\(feed),\"outcome\":\(rest)}"
    }
    let objects = [
      object(
        "no", "null",
        #""failed","inserted":0,"edited":0,"skipped":0,"error":"not a file of sfeed(5)","failed_lines":0"#),
      object(
        "plain", "\"file:sfeed/plain\"",
        #""partial","inserted":1,"edited":0,"skipped":0,"error":"line 2: not the 9 fields of sfeed(5)","failed_lines":2"#
      ),
      object(
        "whole", "\"file:sfeed/whole\"",
        #""updated","inserted":1,"edited":0,"skipped":0,"error":null,"failed_lines":0"#),
    ]
    #expect(run.out.split(separator: "\n").sorted() == objects)
  }

  @Test func `values of the wrong type in lines are named`() async throws {
    let members = [
      #""attachments":[1]"#, #""attachments":[{"mime_type":"a/b"}]"#, #""tags":["a",1]"#, #""authors":[1]"#,
      #""edits":"x""#, #""regions":["a",1]"#, #""regions":"a""#, #""feed_title":1"#,
      #""attachments":[{"url":"https://a.example/1.mp3"}],"tags":["a","b"],"authors":[{"name":"Ann"},"Bob"],"edits":2"#,
      #""attachments":null,"tags":[],"authors":[ ],"edits":null,"regions":null,"feed_title":null"#,
    ]
    let lines = members.enumerated().map { place, members in
      "{\"guid\":\"\(place)\",\"feed\":\"https://a.example/feed\",\"title\":\"T\",\(members)}\n"
    }
    let run = try await newsimport("import", "-", input: lines.joined())
    #expect(
      run.err == """
        newsimport: -: line 1: “attachments” is not a list of objects with “url”
        newsimport: -: line 2: “attachments” is not a list of objects with “url”
        newsimport: -: line 3: “tags” is not a list of texts
        newsimport: -: line 4: “authors” is not a list of objects
        newsimport: -: line 5: “edits” is not a number
        newsimport: -: line 6: “regions” is not a list of texts
        newsimport: -: line 7: “regions” is not a list of texts
        newsimport: -: line 8: “feed_title” is not a text

        """)
    let rows = try await newsimport("list", "--all", "--fields", "guid,tags").out
    #expect(rows.split(separator: "\n").sorted() == ["8\t[\"a\",\"b\"]", "9\t[]"])
  }

  @Test func `the greatest size of a document limits no files of other programs`() async throws {
    let newsboat = try await newsimport("import", "--max-body", "100", "--from", "newsboat", try cache())
    #expect(newsboat.status == 0 && newsboat.out.contains("   3 new"), "\(newsboat)")
    let text = String(repeating: "long ", count: 100_000)
    let lines = (0..<10).map { "\t\($0)\thttps://a.example/\($0)\t\(text)\thtml\t\n" }
    _ = try newsimport.folder.write("sfeed/feeds/a", lines.joined().utf8)
    let sfeed = try await newsimport(
      "import", "--max-body", "100", "--from", "sfeed", newsimport.folder.file("sfeed"))
    // The parts of 4 MiB are imported one after the other.
    #expect(sfeed.status == 0 && sfeed.out.hasPrefix("imported  2 documents of 1 feed   10 new"), "\(sfeed)")
    let line = "{\"guid\":\"1\",\"feed\":\"https://b.example/feed\",\"title\":\"\(text)\"}\n"
    let list = try await newsimport("import", "--max-body", "100", "-", input: line)
    #expect(list.status == 0 && list.out.contains("   1 new"), "\(list)")
  }

  @Test(arguments: [511, 512, 1100])
  func `the lines of a feed with many articles keep what no JSON Feed has`(count: Int) async throws {
    let items = (0..<count).map {
      "<item><guid>\($0)</guid><title>\($0)</title><comments>https://a.example/\($0)#c</comments><itunes:season>1</itunes:season></item>"
    }
    let feed =
      "<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><title>T</title>"
    let text = feed + items.joined() + "</channel></rss>"
    _ = try await newsimport("import", "--feed", "file:own", "-", input: text)
    let lines = try await newsimport("list", "--all", "--copies", "--json", "--full").out
    let copy = try CommandRun()
    #expect(try await copy("import", "-", input: lines).status == 0)
    let counts = try await copy("sql", "SELECT count(*), count(members), count(comments_url) FROM articles")
    #expect(counts.out.hasSuffix("\n\(count)\t\(count)\t\(count)\n"), "\(counts)")
  }

  @Test func `a list that was imported without a mistake is passed over`() async throws {
    let line = "{\"guid\":\"1\",\"feed\":\"https://a.example/feed\"}\n"
    let file = try newsimport.folder.write("l.jsonl", line.utf8)
    #expect(try await newsimport("import", file).out.contains("   1 new"))
    #expect(try await newsimport("import", file).out.contains("1 document known from before"))
    // It is read again for a region, and for another feed.
    #expect(try await newsimport("import", "--region", "later", file).status == 0)
    #expect(try await newsimport("sql", "SELECT name, feeds FROM regions").out.hasSuffix("\nlater\t1\n"))
    #expect(try await newsimport("import", "--feed", "file:x", file).out.contains("   1 new"))
    let wrong = try newsimport.folder.write("w.jsonl", (line + "{}\n").utf8)
    for _ in 0..<2 {
      let run = try await newsimport("import", wrong)
      #expect(run.status == 1 && run.err.contains("line 2: no “guid”, "), "\(run)")
    }
  }

  @Test
  func `the lines of a list keep the page of comments, the other members, and the id that articles share`()
    async throws
  {
    let feed = """
      <rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><title>T</title>
      <item><guid>one</guid><title>A</title><comments>https://a.example/1#comments</comments><itunes:season>2</itunes:season></item>
      <item><guid>dup</guid><title>B</title><link>https://a.example/2</link></item>
      <item><guid>dup</guid><title>C</title><link>https://a.example/3</link><itunes:season>3</itunes:season></item>
      </channel></rss>
      """
    _ = try await newsimport("import", "--feed", "file:own", "-", input: feed)
    let fields = "guid,title,comments_url,members"
    let rows = try await newsimport("list", "--fields", fields).out.split(separator: "\n").sorted()
    #expect(rows.contains("one\tA\thttps://a.example/1#comments\t{\"season\":2}"), "\(rows)")
    #expect(rows.count { $0.hasPrefix("shared:") } == 2)
    #expect(rows.contains { $0.hasSuffix("\tB\t\t{\"id\":\"dup\"}") }, "\(rows)")
    #expect(rows.contains { $0.hasSuffix("\tC\t\t{\"id\":\"dup\",\"season\":3}") }, "\(rows)")
    let copy = try CommandRun()
    let lines = try await newsimport("list", "--json", "--full").out
    #expect(try await copy("import", "-", input: lines).status == 0)
    #expect(try await copy("list", "--fields", fields).out.split(separator: "\n").sorted() == rows)
    // The document has no other articles.
    let again = try await copy("import", "--feed", "file:own", "-", input: feed)
    #expect(again.out.contains("   0 new."), "\(again)")
    let wrong = try await copy(
      "import", "-", input: "{\"guid\":\"1\",\"feed\":\"file:own\",\"members\":[1]}\n")
    #expect(wrong.err == "newsimport: -: line 1: “members” is not an object\n")
  }

  @Test func `the lines of a list are imported, and wrong ones are named`() async throws {
    _ = try await newsimport("import", "--feed", "https://a.example/feed", "-", input: TestFeed.rss(count: 3))
    _ = try await newsimport("import", "--feed", "https://b.example/feed", "-", input: TestFeed.rss(count: 2))
    let fields = "guid,feed,title,url,published,authors,tags,summary,content_html,read,starred"
    _ = try await newsimport("mark", "read", "2")
    let lines = try await newsimport("list", "--all", "--copies", "--json", "--fields", fields)
    let copy = try CommandRun()
    let wrong = "{\"guid\":1,\"feed\":\"https://a.example/feed\"}\n{\"guid\":\"x\"}\n{\n"
    let run = try await copy("import", "-", input: lines.out + wrong)
    #expect(run.status == 1 && run.out.contains("   5 new"), "\(run)")
    #expect(
      run.err == """
        newsimport: -: line 6: “guid” is not a text
        newsimport: -: line 7: no “feed”; --feed URL or --feed file:NAME names one for all lines
        newsimport: -: line 8: not JSON after 1 bytes

        """)
    let again = try await copy("list", "--all", "--copies", "--json", "--fields", fields)
    #expect(again.out.split(separator: "\n").sorted() == lines.out.split(separator: "\n").sorted())
    // The original documents have nothing new then.
    let feed = try await copy(
      "import", "--feed", "https://a.example/feed", "-", input: TestFeed.rss(count: 3))
    #expect(feed.out.contains("   0 new."), "\(feed)")
  }

  @Test(arguments: [("\n", ""), ("\u{FEFF}", ""), ("[]\n", "newsimport: -: line 1: not an object\n")])
  func `a list may begin with an empty line, a byte order mark or a wrong line`(
    start: String, messages: String
  ) async throws {
    let line = "{\"guid\":\"1\",\"feed\":\"https://a.example/feed\",\"title\":\"One\"}\n"
    let run = try await newsimport("import", "-", input: start + line)
    #expect(run.err == messages && run.status == (messages.isEmpty ? 0 : 1))
    #expect(try await newsimport("list", "--fields", "guid,title").out == "1\tOne\n")
  }

  @Test func `the lines of list --json --full bring marks, files, regions and the titles of feeds`()
    async throws
  {
    let feed = """
      <rss version='2.0'><channel><title>A</title><item><guid isPermaLink='false'>1</guid><title>One</title>
      <enclosure url='https://a.example/1.mp3' type='audio/mpeg' length='5'/></item></channel></rss>
      """
    for address in ["https://a.example/feed", "https://b.example/feed"] {
      _ = try await newsimport("import", "--feed", address, "--region", "r s", "-", input: feed)
    }
    _ = try await newsimport("mark", "starred", "1")
    let list = ["list", "--all", "--copies", "--json", "--full"]
    let full = try await newsimport.run(list).out
    let copy = try CommandRun()
    #expect(try await copy("import", "-", input: full).status == 0)
    let columns = "guid, feed, title, attachments, starred"
    let query = "SELECT \(columns) FROM articles ORDER BY feed"
    #expect(try await copy("sql", query) == (try await newsimport("sql", query)))
    let feeds = "SELECT url, title, regions FROM feeds ORDER BY url"
    #expect(try await copy("sql", feeds).out.hasSuffix("\nhttps://b.example/feed\tA\t[\"r s\"]\n"))
    // The title and the regions that a feed has stay.
    let line =
      "{\"guid\":\"9\",\"feed\":\"https://b.example/feed\",\"feed_title\":\"B\",\"regions\":[\"@q\",\" \",\"more\"]}\n"
    let partly = try await copy("import", "-", input: line)
    #expect(partly.status == 1)
    for name in ["@q", " "] {
      #expect(partly.err.contains("the region “\(name)” is left out: its name cannot be typed\n"))
    }
    #expect(
      try await copy("sql", feeds).out.hasSuffix("\nhttps://b.example/feed\tA\t[\"r s\",\"more\"]\n"))
  }
}
