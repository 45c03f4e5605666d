import Foundation
import LoopbackServer
import TestSupport
import Testing
import Threading

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct ImportCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// Documents in the three formats, each with relative links and its own address on a server.
  private static func documents(_ url: (String) -> String) -> [(path: String, text: String)] {
    [
      (
        "/rss",
        """
        <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>R</title>
        <atom:link rel="self" href="\(url("/rss"))"/><link>/</link>
        <item><guid isPermaLink="false">a</guid><title>A</title><link>/a?x=1</link>
        <description>&lt;a href="b"&gt;b&lt;/a&gt;</description></item>
        <item><title>B</title><link>b</link></item></channel></rss>
        """
      ),
      (
        "/atom",
        """
        <feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><id>x</id><link rel='self' href='\(url("/atom"))'/>
        <entry><id>1</id><title>One</title><link href="one"/><updated>2020-01-01T00:00:00Z</updated></entry></feed>
        """
      ),
      (
        "/json",
        """
        {"version":"https://jsonfeed.org/version/1.1","title":"J","items":[{"id":"1","url":"1","content_text":"x"}],
        "feed_url":"\(url("/json"))"}
        """
      ),
    ]
  }

  @Test func `a signal ends the wait for a pipe, and a document that is not complete leaves nothing`()
    async throws
  {
    let pipe = newsimport.folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let command = "exec \"$0\" import --feed https://a.example/feed - <\"$1\""
    let result = try await Command.run(
      "/bin/sh", ["-c", command, Command.builtProducts + "/newsimport", pipe],
      environment: ["NEWSIMPORT_STORE": newsimport.store, "HOME": newsimport.folder.path, "NO_COLOR": "1"]
    ) { signal in
      // Returns when the shell has opened the pipe, which stays open until the program has ended.
      let writer = open(pipe, O_WRONLY)
      let begin = Array("<rss><channel><title>A</title><item><guid>1</guid><title>a</title></item>".utf8)
      #expect(write(writer, begin, begin.count) == begin.count)
      // The program has begun when it has read them.
      var unread = Int32(begin.count)
      try await until(
        "the reading of the first bytes", { ioctl(writer, UInt(FIONREAD), &unread) != 0 || unread == 0 })
      signal(SIGTERM)
    }
    #expect(result.status == 143 && result.err.contains("newsimport: stopped: "), "\(result)")
    #expect(try await newsimport("list", "--all").out.isEmpty)
  }

  @Test func `after an import of files, a fetch of the same feeds finds nothing new`() async throws {
    let bodies = Locked<[String: String]>([:])
    let server = try LoopbackHTTPServer { request in .ok(bodies.withLock { $0[request.path] ?? "" }) }
    defer { server.stop() }
    for (path, text) in Self.documents(server.url) {
      bodies.withLock { $0[path] = text }
      _ = try newsimport.folder.write("feeds\(path)", text.utf8)
    }
    let run = try await newsimport("import", "--region", "world", newsimport.folder.file("feeds"))
    #expect(
      run
        == .init(
          status: 0, out: "imported  3 documents of 3 feeds   4 new.   Next: newsimport list world\n", err: ""
        ))
    let before = try await newsimport("sql", "SELECT * FROM articles ORDER BY id")
    let fetch = try await newsimport("fetch", "world", "-v")
    #expect(fetch.status == 0 && fetch.err.isEmpty)
    #expect(fetch.out.hasSuffix("world   3 feeds   3 updated\n"), "\(fetch.out)")
    #expect(try await newsimport("sql", "SELECT * FROM articles ORDER BY id") == before)
    #expect(before.out.contains(server.url("/a?x=1")) && before.out.contains(server.url("/one")))
  }

  @Test func `an import of what a fetch has saved finds nothing new`() async throws {
    let bodies = Locked<[String: String]>([:])
    let server = try LoopbackHTTPServer { request in .ok(bodies.withLock { $0[request.path] ?? "" }) }
    defer { server.stop() }
    for (path, text) in Self.documents(server.url) {
      bodies.withLock { $0[path] = text }
      _ = try newsimport.folder.write("feeds\(path)", text.utf8)
      _ = try await newsimport("region", "add", "world", server.url(path))
    }
    _ = try await newsimport("fetch", "world")
    let run = try await newsimport("import", newsimport.folder.file("feeds"))
    #expect(run.out == "imported  3 documents of 3 feeds   0 new.   Next: newsimport list --all\n")
    #expect(try await newsimport("sql", "SELECT count(*), sum(edits) FROM articles").out.hasSuffix("4\t0\n"))
    // The schedule is that of the fetch.
    #expect(try await newsimport("sql", "SELECT count(*) FROM fetches").out.hasSuffix("\n3\n"))
  }

  @Test func `a document without an address belongs to a feed that is never fetched`() async throws {
    let file = try newsimport.folder.write("a feed.xml", TestFeed.rss(count: 2).utf8)
    _ = try await newsimport("import", "--region", "old", file)
    let name = "file://" + file.replacingOccurrences(of: " ", with: "%20")
    #expect(
      try await newsimport("sql", "SELECT url, next_fetch FROM feeds").out == "url\tnext_fetch\n\(name)\t\n")
    // Again from another folder, it is the same feed.
    let again = try await newsimport("import", newsimport.folder.path + "/./a feed.xml", "--json")
    #expect(again.out.contains("\"feed\":\"\(name)\",\"outcome\":\"known\",\"inserted\":0"))
    #expect(
      try await newsimport("fetch", "old").err.hasPrefix("nothing to fetch: the articles of all feeds come"))
    #expect(
      try await newsimport("fetch", "--due", "-v")
        == .init(status: 0, out: "", err: "nothing to fetch.   Next: newsimport region add NAME URL\n"))
    let doctor = try await newsimport("doctor")
    #expect(doctor.out.isEmpty && doctor.err == "no findings: all feeds are well\n")
    #expect(try await newsimport("feed", "list", "old").out.contains("from files"))
    let explanation = try await newsimport("explain", name)
    #expect(explanation.out.contains("never: its articles come from files"))
    #expect(!(try await newsimport("opml", "export").out.contains("file:")))
    // A feed of files in no region is no mistake.
    _ = try await newsimport("region", "remove", "old", "--yes")
    #expect(try await newsimport("doctor").err == "no findings: all feeds are well\n")
  }

  @Test func `standard input and several files may belong to one named feed`() async throws {
    let file = try newsimport.folder.write("2.xml", TestFeed.rss(count: 2, prefix: "b").utf8)
    let run = try await newsimport(
      "import", "--feed", "https://example.org/feed", "-", file, input: TestFeed.rss(count: 1, prefix: "a"))
    #expect(
      run.out
        == "imported  2 documents of 1 feed   3 new.   Next: newsimport list --all, or the same command with --region NAME: "
        + "its feed is in no region, and not fetched\n")
    #expect(
      try await newsimport("sql", "SELECT DISTINCT feed FROM articles").out.hasSuffix(
        "\nhttps://example.org/feed\n"))
  }

  @Test func `a name of a feed that is no address is refused with both ways to write one`() async throws {
    let run = try await newsimport("import", "--feed", "blog", "-", input: TestFeed.rss(count: 1))
    #expect(
      run
        == .init(
          status: 65, out: "",
          err:
            "newsimport: --feed blog: not a valid address: it doesn't begin with http:// or https://; write such an address, or "
            + "file:blog for a feed that is never fetched\n"))
  }

  @Test func `lines without a guid or a feed are named with a way to import them`() async throws {
    let lines = "{\"guid\":\"1\",\"title\":\"x\"}\n{\"feed\":\"https://a.example/\",\"title\":\"y\"}\n"
    let run = try await newsimport("import", "-", input: lines)
    #expect(
      run.err == """
        newsimport: -: line 1: no “feed”; --feed URL or --feed file:NAME names one for all lines
        newsimport: -: line 2: no “guid”, the article's identity in its feed

        """)
    let named = try await newsimport("import", "--feed", "file:own", "-", input: lines)
    #expect(named.status == 1 && named.out.contains("   1 new"), "\(named)")
  }

  @Test func `a later version of a document is an edit, and deleted articles do not come back`() async throws
  {
    let first = try newsimport.folder.write("1.xml", TestFeed.rss([("a", "A"), ("b", "B")]).utf8)
    let second = try newsimport.folder.write(
      "2.xml", TestFeed.rss([("a", "A2"), ("b", "B"), ("c", "C")]).utf8)
    let both = try await newsimport("import", "--feed", "file:archive", first, second, "--json")
    #expect(both.out.contains("\"inserted\":1,\"edited\":1,"))
    #expect(
      try await newsimport("sql", "SELECT title, edits FROM articles ORDER BY guid").out
        == "title\tedits\nA2\t1\nB\t0\nC\t0\n")
    _ = try await newsimport("prune", "--all", "--keep", "1d", "--yes")
    let again = try await newsimport("import", "--feed", "file:archive", second)
    #expect(again.out.contains("   0 new"), "\(again.out)")
  }

  @Test func `a fetch restores the text that an import of an older document has changed`() async throws {
    let text = TestFeed.rss([("a", "New"), ("b", "B")])
    let server = try LoopbackHTTPServer { request in
      request.text(of: "If-None-Match") == "\"1\""
        ? .status(304, "Not Modified") : .ok(text, headers: ["ETag: \"1\""])
    }
    defer { server.stop() }
    let url = server.url("/feed")
    let old = try newsimport.folder.write("old.xml", TestFeed.rss([("a", "Old"), ("b", "B")]).utf8)
    _ = try await newsimport("region", "add", "world", url)
    _ = try await newsimport("fetch", "world")
    #expect(try await newsimport("import", "--again", "--feed", url, old).out.contains("   0 new   1 edited"))
    #expect(try await newsimport("list", "--fields", "title").out.contains("Old\n"))
    let fetch = try await newsimport("fetch", "world")
    #expect(fetch.out.contains("1 updated"), "\(fetch)")
    #expect(try await newsimport("list", "--fields", "title").out.contains("New\n"))
    // An import without a change leaves the validators.
    _ = try await newsimport(
      "import", "--feed", url, newsimport.folder.write("same.xml", text.utf8))
    #expect(try await newsimport("sql", "SELECT count(etag) FROM feeds").out.hasSuffix("\n1\n"))
  }

  @Test func `filters of the configuration apply`() async throws {
    _ = try newsimport.folder.write(
      ".config/newsimport/config.toml", "[region.world]\nskip = [\"title:item-2\"]\n".utf8)
    let file = try newsimport.folder.write("1.xml", TestFeed.rss(count: 3).utf8)
    let run = try await newsimport("import", "--region", "world", file, "--json")
    #expect(run.out.contains("\"inserted\":2,\"edited\":0,\"skipped\":1,\"error\":null"))
  }

  @Test func `a dry run counts and creates nothing`() async throws {
    let file = try newsimport.folder.write("1.xml", TestFeed.rss(count: 3).utf8)
    let run = try await newsimport("import", "--dry-run", file)
    #expect(run == .init(status: 0, out: "would import  1 document of 1 feed   3 new\n", err: ""))
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
    _ = try await newsimport("import", file)
    #expect(
      try await newsimport("import", "--dry-run", "--again", file).out
        == "would import  1 document of 1 feed   0 new\n")
  }

  @Test func `a dry run counts an article of several documents once`() async throws {
    for count in [3, 5] {
      _ = try newsimport.folder.write("feeds/\(count).xml", TestFeed.rss(count: count).utf8)
    }
    let lines = "{\"guid\":\"1\",\"feed\":\"file:x\",\"title\":\"A\"}\n"
    for name in ["a", "b"] { _ = try newsimport.folder.write("lines/\(name).jsonl", lines.utf8) }
    for (folder, count) in [("feeds", 5), ("lines", 1)] {
      let dry = try await newsimport(
        "import", "--dry-run", "--feed", "file:x", newsimport.folder.file(folder))
      #expect(dry.out.hasSuffix("   \(count) new\n") && dry.status == 0, "\(dry)")
    }
  }

  @Test func `files that are no feeds are named, and the others are imported`() async throws {
    _ = try newsimport.folder.write("feeds/1.xml", TestFeed.rss(count: 2).utf8)
    let text = try newsimport.folder.write("feeds/sub/notes.txt", "Some notes".utf8)
    _ = try newsimport.folder.write("feeds/.hidden/x.xml", TestFeed.rss(count: 1, prefix: "h").utf8)
    let folder = newsimport.folder.file("feeds")
    let run = try await newsimport("import", folder)
    #expect(run.status == 1)
    #expect(
      run.out == "imported  1 document of 1 feed   2 new   1 document failed.   Next: newsimport list --all\n"
    )
    #expect(run.err == "newsimport: \(text): not a feed: plain text\n", "\(run.err)")
    #expect(try await newsimport("sql", "SELECT count(*) FROM feeds").out.hasSuffix("\n1\n"))
    let none = try await newsimport("import", text)
    #expect(none.status == 65 && none.out == "imported  0 documents   0 new   1 document failed\n")
    let missing = try await newsimport("import", folder + "/none.xml", folder + "/1.xml")
    #expect(missing.status == 66 && missing.err == "newsimport: \(folder)/none.xml: no such file\n")
  }

  @Test func `a program with a feed in it, a named pipe and a device are refused at once`() async throws {
    let feed = TestFeed.rss(count: 1)
    let program = try newsimport.folder.write("a.py", "import sys\nT = \"\"\"\(feed)\"\"\"\nprint(T)\n".utf8)
    let pipe = newsimport.folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let run = try await newsimport("import", program, pipe, "/dev/zero")
    #expect(run.status == 65)
    #expect(
      Set(run.err.split(separator: "\n").map(String.init)) == [
        "newsimport: \(program): not a feed: a text or a program that contains a feed",
        "newsimport: \(pipe): a named pipe, which is not read; write - instead, and pass it as standard input",
        "newsimport: /dev/zero: a device, which is not read",
      ])
    for command in [["import", "--from", "newsboat"], ["opml", "import"], ["parse"]] {
      for file in [pipe, "/dev/zero"] {
        let run = try await newsimport.run(command + [file])
        #expect(run.status == 65 && run.err.contains("which is not read"), "\(command) \(run)")
      }
    }
  }

  @Test func `an item of a JSON Feed that is left out is counted, and the document is read again`()
    async throws
  {
    let long = String(repeating: "a", count: 9 << 20)
    let items = ["{\"id\":\"1\",\"content_text\":\"x\"}", "{\"id\":\"2\",\"content_text\":\"\(long)\"}"]
    let text =
      "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"T\",\"items\":[\(items.joined(separator: ","))]}"
    let file = try newsimport.folder.write("a.json", text.utf8)
    for _ in 0..<2 {
      let run = try await newsimport("import", file)
      #expect(run.status == 1 && run.out.hasPrefix("imported  1 document of 1 feed in part   "), "\(run)")
      #expect(run.err == "newsimport: \(file): 1 article was left out, too damaged or too long\n")
    }
  }

  @Test func `a document that is cut off keeps the articles before the cut`() async throws {
    let text = TestFeed.rss(count: 3)
    let cut = try newsimport.folder.write("1.xml", text.utf8.prefix(text.utf8.count - 80))
    let run = try await newsimport("import", cut)
    #expect(
      run.status == 1 && run.out.contains("imported  1 document of 1 feed in part   2 new."))
    #expect(run.err.hasPrefix("newsimport: \(cut): "))
    #expect(
      try await newsimport("import", try newsimport.folder.write("1.xml", text.utf8)).out.contains(
        "   1 new."))
  }

  @Test func `links, pipes and devices in a folder are not read`() async throws {
    let feed = try newsimport.folder.write("feeds/1.xml", TestFeed.rss(count: 1).utf8)
    let secret = try newsimport.folder.write("secret.xml", TestFeed.rss(count: 1, prefix: "s").utf8)
    let folder = newsimport.folder.file("feeds")
    try FileManager.default.createSymbolicLink(atPath: folder + "/2.xml", withDestinationPath: secret)
    try FileManager.default.createSymbolicLink(atPath: folder + "/up", withDestinationPath: "..")
    #expect(mkfifo(folder + "/pipe", 0o600) == 0)
    let run = try await newsimport("import", folder, "/dev/zero")
    #expect(run.status == 1)
    #expect(
      run.err == "newsimport: \(folder)/pipe: a pipe, which is not read in a folder\n"
        + "newsimport: /dev/zero: a device, which is not read\n", "\(run.err)")
    #expect(try await newsimport("sql", "SELECT url FROM feeds").out == "url\nfile://\(feed)\n")
  }

  @Test func `a document over the limit leaves nothing`() async throws {
    let file = try newsimport.folder.write("1.xml", TestFeed.rss(count: 100).utf8)
    let run = try await newsimport("import", "--max-body", "2KiB", file)
    #expect(run.status == 65 && run.out == "imported  0 documents   0 new   1 document failed\n")
    #expect(run.err == "newsimport: \(file): larger than 2048 bytes; --max-body takes larger ones\n")
    #expect(try await newsimport("list", "--all").out.isEmpty)
  }

  @Test func `an import of which nothing can be read fails`() async throws {
    let text = try newsimport.folder.write("notes.txt", "Some notes".utf8)
    for arguments in [[text], ["--from", "sfeed", newsimport.folder.path]] {
      #expect(try await newsimport.run(["import"] + arguments).status == 65)
    }
    let newer = "{\"format\":\"newsimport export\",\"version\":99}\n"
    for input in ["Some notes", "", newer, "{\"guid\":4}\n", TestFeed.rss(count: 100)] {
      let run = try await newsimport.run(["import", "--max-body", "2KiB", "-"], input: input)
      #expect(run.status == 65, "\(run)")
      #expect(run.err.hasPrefix("newsimport: -: "), "\(run)")
    }
    let feed = try newsimport.folder.write("feed.xml", TestFeed.rss(count: 1).utf8)
    let run = try await newsimport("import", text, feed)
    #expect(
      run.status == 1 && run.out.contains("imported  1 document of 1 feed   1 new   1 document failed."),
      "\(run)")
    #expect(run.err == "newsimport: \(text): not a feed: plain text\n")
  }

  @Test func `a misspelt path creates neither a store nor its folder`() async throws {
    let folder = newsimport.folder.file("none")
    let run = try await newsimport("import", "--store", folder + "/news.db", folder + "/x.xml")
    #expect(run.status == 66 && run.err == "newsimport: \(folder)/x.xml: no such file\n", "\(run)")
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test
  func `documents that are imported in part are counted apart from those that failed, with their lines`()
    async throws
  {
    let lines = (0..<9).map { $0 < 2 ? "{\"guid\":\"\($0)\",\"feed\":\"file:own\"}\n" : "{\"guid\":\($0)}\n" }
    let list = try newsimport.folder.write("l.jsonl", lines.joined().utf8)
    let text = try newsimport.folder.write("notes.txt", "Some notes".utf8)
    let feed = try newsimport.folder.write("feed.xml", TestFeed.rss(count: 1).utf8)
    let run = try await newsimport("import", "--dry-run", list, text, feed)
    #expect(
      run.status == 1
        && run.out
          == "would import  2 documents of 1 feed, 1 of them in part, 7 lines failed   3 new   1 document failed\n",
      "\(run.out)")
    let json = try await newsimport("import", "--json", list, text, feed)
    let outcomes = json.out.matches(of: #/"outcome":"([a-z ]+)".*"failed_lines":([0-9]+)/#).map {
      "\($0.1) \($0.2)"
    }
    #expect(outcomes.sorted() == ["failed 0", "partial 7", "updated 0"], "\(json.out)")
  }

  @Test func `the next command is named, with the feeds that are in no region`() async throws {
    func feed(_ name: String) throws -> String {
      let text = TestFeed.rss(count: 1, prefix: name).replacing(
        "<channel>",
        with:
          "<channel><atom:link xmlns:atom='http://www.w3.org/2005/Atom' rel='self' href='https://\(name).example/feed'/>"
      )
      return try newsimport.folder.write("feeds/\(name).xml", text.utf8)
    }
    let (first, _) = (try feed("a"), try feed("b"))
    #expect(
      try await newsimport("import", "--region", "r", first).out.hasSuffix(".   Next: newsimport list r\n"))
    let folder = newsimport.folder.file("feeds")
    let some = try await newsimport("import", "--again", folder)
    #expect(
      some.out.hasSuffix(
        ".   Next: newsimport list --all, or the same command with --region NAME: 1 feed is in no region, and not fetched\n"
      ),
      "\(some.out)")
    let all = try await newsimport("import", "--again", "--region", "r", folder)
    #expect(all.out.hasSuffix(".   Next: newsimport list r\n"))
    #expect(
      try await newsimport("import", "--again", folder).out.hasSuffix(".   Next: newsimport list --all\n"))
  }

  @Test func `a wrong date in a line is named`() async throws {
    let lines = """
      {"guid":"1","feed":"file:own","published":"soon"}
      {"guid":"2","feed":"file:own","published":"2026-11-21T09:12:00Z","modified":null}
      {"guid":"3","feed":"file:own","modified":"2026-99-21"}

      """
    let run = try await newsimport("import", "-", input: lines)
    #expect(
      run.err == """
        newsimport: -: line 1: “published” is not a date such as 2026-11-21T09:12:00Z
        newsimport: -: line 3: “modified” is not a date such as 2026-11-21T09:12:00Z

        """)
    #expect(
      run.status == 1 && run.out.contains("imported  1 document in part, 2 lines failed   1 new"), "\(run)")
  }

  @Test func `the feeds of an archive in a pipe are imported, and those before a cut stay`() async throws {
    let first = TestTar.member("feeds/1.xml", TestFeed.rss(count: 2, prefix: "a").utf8)
    let second = TestTar.member("feeds/2.xml", TestFeed.rss(count: 2, prefix: "b").utf8)
    let archive = try newsimport.folder.write("x.tar", TestTar.archive([first, second]))
    let run = try await newsimport("import", "--dry-run", archive)
    #expect(run == .init(status: 0, out: "would import  2 documents of 2 feeds   4 new\n", err: ""))
    let cut = try newsimport.folder.write("cut.tar", first + second.prefix(800))
    let cutRun = try await newsimport("import", cut)
    #expect(cutRun.status == 1 && cutRun.out.contains(" in part   2 new."), "\(cutRun.out)")
    #expect(cutRun.err == "newsimport: \(cut)/feeds/2.xml: the archive is cut off here\n", "\(cutRun.err)")
    #expect(
      try await newsimport("sql", "SELECT url FROM feeds ORDER BY id LIMIT 1").out
        == "url\nfile://\(cut)/feeds/1.xml\n")
  }

  @Test func `an archive in an archive is refused, and the other files are imported`() async throws {
    let member = TestTar.member("1.xml", TestFeed.rss(count: 2).utf8)
    let archive = try newsimport.folder.write(
      "x.tar", TestTar.archive([TestTar.member("in.tar", TestTar.archive([member])), member]))
    let run = try await newsimport("import", archive)
    #expect(run.status == 1 && run.out.contains("imported  1 document of 1 feed   2 new"), "\(run)")
    #expect(
      run.err == "newsimport: \(archive)/in.tar: an archive in an archive; unpack the outer one first\n")
  }

  @Test func `the missing end of an archive is named, because it may have been cut between two files`()
    async throws
  {
    let member = TestTar.member("1.xml", TestFeed.rss(count: 2).utf8)
    let archive = try newsimport.folder.write("x.tar", member)
    let run = try await newsimport("import", archive)
    #expect(run.status == 1 && run.out.contains("imported  1 document of 1 feed   2 new."), "\(run)")
    #expect(
      run.err
        == "newsimport: \(archive): the blocks that mark the end of the archive are missing; if it was cut off, files are missing\n"
    )
    let empty = try newsimport.folder.write("z.tar", member.prefix(512))
    #expect(try await newsimport("import", empty).status != 0)
    let padded = try newsimport.folder.write("y.tar", member + [UInt8](repeating: 0, count: 512))
    #expect(try await newsimport("import", padded).err.isEmpty)
  }

  @Test(.enabled(if: CommandRun.canLimitFiles))
  func `after a full disk, what was saved stays, and the rest can be imported`()
    async throws
  {
    let lines = (0..<20_000).map { number in
      "{\"guid\":\"\(number)\",\"feed\":\"https://a.example/feed\",\"read\":true,\"title\":\"\(String(repeating: "word ", count: 40))\"}\n"
    }
    let path = try newsimport.folder.write("l.jsonl", lines.joined().utf8)
    let counts = "SELECT count(*), sum(read) FROM articles"
    _ = try await newsimport("region", "add", "r", "https://b.example/feed")
    let full = try await Command.run(
      "bash",
      [
        "-c",
        "ulimit -f 4096; exec '\(Command.builtProducts)/newsimport' import '\(path)' --store '\(newsimport.store)'",
      ])
    #expect(full.status == 74 && full.err.contains("the size of files is limited"), "\(full)")
    let kept = try await newsimport("sql", counts)
    #expect(kept.status == 0 && !kept.out.hasSuffix("\n20000\t20000\n"), "\(kept)")
    #expect(try await newsimport("store", "check").status == 0)
    let rest = try await newsimport("import", path)
    #expect(rest.status == 0 && !rest.out.contains("known"), "\(rest)")
    #expect(try await newsimport("sql", counts).out.hasSuffix("\n20000\t20000\n"))
  }

  @Test func `a document that was imported is passed over until its bytes change`() async throws {
    let file = try newsimport.folder.write("feeds/1.xml", TestFeed.rss(count: 2).utf8)
    let large = TestFeed.rss([("l", String(repeating: "long ", count: 400_000))])
    _ = try newsimport.folder.write("feeds/2.xml", large.utf8)
    _ = try newsimport.folder.write(
      "feeds/x.tar", TestTar.archive([TestTar.member("3.xml", TestFeed.rss(count: 1).utf8)]))
    let folder = newsimport.folder.file("feeds")
    #expect(try await newsimport("import", folder).out.contains("imported  3 documents of 3 feeds   4 new."))
    let again = try await newsimport("import", "--region", "later", folder)
    #expect(
      again.out
        == "imported  0 documents   0 new   3 documents known from before.   Next: newsimport list later\n"
    )
    #expect(try await newsimport("sql", "SELECT feeds FROM regions").out.hasSuffix("\n3\n"))
    _ = try newsimport.folder.write("feeds/1.xml", TestFeed.rss(count: 3).utf8)
    #expect(
      try await newsimport("import", folder).out.contains(
        "imported  1 document of 1 feed   1 new   2 documents known"))
    // Another feed has not had the document.
    #expect(try await newsimport("import", "--feed", "file:other", file).out.contains("   3 new."))
    #expect(
      try await newsimport("import", "--again", folder).out.contains(
        "imported  3 documents of 3 feeds   0 new."))
    // The documents of a removed feed are read again.
    _ = try await newsimport("feed", "remove", "file:other", "--yes")
    #expect(try await newsimport("import", "--feed", "file:other", file).out.contains("   3 new."))
  }

  @Test func `two imports of one folder at once save each article once`() async throws {
    for number in 0..<30 {
      _ = try newsimport.folder.write(
        "feeds/\(number).xml", TestFeed.rss(count: 20, prefix: "\(number)-").utf8)
    }
    let folder = newsimport.folder.file("feeds")
    async let first = newsimport("import", "--region", "a", folder)
    async let second = newsimport("import", "--region", "a", folder)
    let runs = try await [first, second]
    #expect(runs.allSatisfy { $0.status == 0 && $0.err.isEmpty }, "\(runs)")
    let counts =
      "SELECT (SELECT count(*) FROM articles), (SELECT count(*) FROM feeds), (SELECT sum(edits) FROM articles)"
    #expect(try await newsimport("sql", counts).out.hasSuffix("\n600\t30\t0\n"))
    #expect(try await newsimport("sql", "SELECT feeds FROM regions").out.hasSuffix("\n30\n"))
  }
}
