import Foundation
import LoopbackServer
import TestSupport
import Testing

/// An export as JSON Lines, and its import.
@Suite struct ExportedStoreTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private func other() throws -> CommandRun { try CommandRun() }

  /// Returns all columns of all views.
  private func views(_ run: CommandRun) async throws -> [String] {
    var all: [String] = []
    for (view, order) in [
      ("regions", "id"), ("feeds", "id"), ("articles", "id"), ("fetches", "id"),
      ("versions", "article_id, version"),
    ] {
      all.append(try await run("sql", "--json", "SELECT * FROM \(view) ORDER BY \(order)").out)
    }
    return all
  }

  /// Fills the store with all fixtures, fetched feeds with validators, edits, marks, deleted articles and gaps in the numbers.
  private func fill(_ server: LoopbackHTTPServer) async throws {
    _ = try await newsimport("import", "--region", "hard \"cases\"", Repository.fixtures.path)
    _ = try await newsimport(
      "region", "add", "world", server.url("/a"), server.url("/b"), server.url("/missing"))
    _ = try await newsimport("fetch", "world")
    _ = try await newsimport("mark", "read", "--region", "world")
    _ = try await newsimport("mark", "starred", "3")
    for round in 0..<4 {
      let text = String(repeating: "A sentence of round \(round % 3) & <b>more</b>. ", count: 1 + round * 20)
      let feed = """
        {"version":"https://jsonfeed.org/version/1.1","title":"Edited","items":[
        {"id":"e","title":"https://ann:secret@a.example/\(round)","content_html":"\(text)","tags":["a","\(round)"],"authors":[{"name":"\(round)"}]},
        {"id":"same","title":"Same","content_html":"same"},
        {"id":"f","summary":"\(text)","content_html":"x","date_published":"2020-01-0\(round + 1)T00:00:00Z"}]}
        """
      _ = try await newsimport("import", "--feed", "https://edited.example/feed", "-", input: feed)
    }
    _ = try await newsimport("region", "add", "gone", "https://gone.example/feed")
    _ = try await newsimport("feed", "remove", "https://gone.example/feed", "--yes")
    let first = try await newsimport("sql", "SELECT feed FROM articles ORDER BY id LIMIT 1 OFFSET 9").out
      .split(
        separator: "\n")[1]
    _ = try await newsimport("feed", "remove", String(first), "--yes")
  }

  private func server() throws -> LoopbackHTTPServer {
    try LoopbackHTTPServer { request in
      request.path == "/missing"
        ? .status(404, "Not Found")
        : .ok(
          TestFeed.rss(count: 3, prefix: request.path),
          headers: ["ETag: \"1é\"", "Last-Modified: Wed, 03 Feb 2010 17:23:16 GMT"])
    }
  }

  @Test func `an export that is imported into an empty store gives the same views`() async throws {
    let server = try server()
    defer { server.stop() }
    try await fill(server)
    let file = newsimport.folder.file("all.jsonl")
    let export = try await newsimport("export", "--format", "jsonl", "-o", file)
    #expect(export.status == 0 && export.out.hasPrefix("saved  "), "\(export)")
    let lines = try String(contentsOfFile: file, encoding: .utf8)
    #expect(lines.contains(#/"(last_fetch|date)":"[0-9-]{10}T[0-9:]{8}\.[0-9]+Z"/#))
    #expect(!lines.contains(#/"(last_fetch|next_fetch|scheduled_at|date|imported|published)":[0-9]/#))
    let copy = try other()
    let run = try await copy("import", file)
    #expect(run.status == 0 && run.err.isEmpty, "\(run)")
    let (before, after) = (try await views(newsimport), try await views(copy))
    for (one, other) in zip(before, after) {
      let (one, other) = (one.split(separator: "\n"), other.split(separator: "\n"))
      #expect(one.count == other.count)
      for (row, copied) in zip(one, other) where row != copied { #expect(row == copied) }
    }
    #expect(before[2].split(separator: "\n").count > 100 && before[4].split(separator: "\n").count > 5)
    // Exported again, it is the same.
    let again = try await copy("export", "--format", "jsonl", "--all").out
    #expect(again == (try String(contentsOfFile: file, encoding: .utf8)))
    // A second import changes nothing, and neither does a fetch.
    #expect(try await copy("import", file).out.contains("   0 new"))
    #expect(try await views(copy) == after)
    let fetch = try await copy("fetch", "world", "--json")
    #expect(!fetch.out.contains("\"outcome\":\"updated\""), "\(fetch.out)")
  }

  @Test func `versions of an article that has versions of its own are left out`() async throws {
    func feed(_ title: String) -> String { TestFeed.rss([("a", title), ("b", "B")]) }
    for title in ["1", "2"] {
      _ = try await newsimport("import", "--feed", "file:own", "-", input: feed(title))
    }
    let lines = try await newsimport("export", "--format", "jsonl").out
    #expect(lines.components(separatedBy: "{\"table\":\"article_version\"").count == 2, "\(lines)")
    let versions = "SELECT version, title, kind FROM versions"
    let copy = try other()
    _ = try await copy("import", "--feed", "file:own", "-", input: feed("0"))
    _ = try await copy("import", "-", input: lines)
    #expect(try await copy("sql", versions).out == "version\ttitle\tkind\n1\t0\t[\"words\"]\n")
    // The article alone gets them, also if an import was stopped between the two.
    let late = try other()
    _ = try await late(
      "import", "-",
      input: lines.split(separator: "\n").filter { !$0.contains("article_version") }.joined(separator: "\n"))
    #expect(try await late("sql", versions).out == "version\ttitle\tkind\n")
    #expect(try await late("import", "-", input: lines).status == 0)
    #expect(try await late("sql", versions).out == "version\ttitle\tkind\n1\t1\t[\"words\"]\n")
    let wrong = lines.replacing("\"guid\":\"a\"}", with: "\"guid\":7}")
    let run = try await other()("import", "-", input: wrong)
    #expect(run.status == 1 && run.err.hasSuffix(": “feed_id” and “guid” name no article\n"), "\(run)")
  }

  @Test func `chosen articles are exported with their feeds, and keep what the other store has`() async throws
  {
    let server = try server()
    defer { server.stop() }
    _ = try await newsimport("region", "add", "a", server.url("/a"))
    _ = try await newsimport("fetch", "a")
    _ = try await newsimport("mark", "starred", "1")
    _ = try await newsimport("region", "add", "b", server.url("/b"))
    _ = try await newsimport("fetch", "b")
    let lines = try await newsimport("export", "a", "--format", "jsonl")
    #expect(lines.out.hasPrefix("{\"format\":\"newsimport export\",\"version\":1,\"end_line\":true}\n"))
    let copy = try other()
    _ = try await copy("import", "--feed", "file:own", "-", input: TestFeed.rss(count: 5))
    let run = try await copy("import", "--region", "c", "-", input: lines.out)
    #expect(run.status == 0 && run.out.contains("   3 new"), "\(run)")
    let rows = try await copy(
      "sql", "SELECT feed, count(*), sum(starred) FROM articles GROUP BY feed ORDER BY feed")
    #expect(rows.out.hasSuffix("file:own\t5\t0\n\(server.url("/a"))\t3\t1\n"))
    let regions = try await copy("sql", "SELECT regions FROM feeds WHERE url LIKE 'http%'").out
    #expect(regions.contains("\"a\"") && regions.contains("\"c\""), "\(regions)")
  }

  @Test func `after the import of a part of a feed, a fetch gets the other articles`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.text(of: "If-None-Match") == nil
        ? .ok(TestFeed.rss(count: 3), headers: ["ETag: \"1\""]) : .status(304, "Not Modified")
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "a", server.url("/a"))
    _ = try await newsimport("fetch", "a")
    _ = try await newsimport("mark", "starred", "1")
    let lines = try await newsimport("export", "--starred", "--format", "jsonl")
    let copy = try other()
    #expect(try await copy("import", "-", input: lines.out).out.contains("   1 new"))
    _ = try await copy("fetch", "a")
    #expect(try await copy("sql", "SELECT count(*) FROM articles").out.hasSuffix("\n3\n"))
    // The lines of everything have the validators.
    let all = try other()
    _ = try await all("import", "-", input: try await newsimport("export", "--format", "jsonl").out)
    let unchanged = try await all("fetch", "a", "--json")
    #expect(unchanged.out.contains("\"outcome\":\"not modified\""), "\(unchanged)")
  }

  @Test func `an export that was cut off at the end of a line is imported in part, and then whole`()
    async throws
  {
    for title in ["First", "Second", "Third", "Fourth"] {
      let items = ["e", "f"].map { "{\"id\":\"\($0)\",\"title\":\"\(title)\"}" }.joined(separator: ",")
      let feed = """
        {"version":"https://jsonfeed.org/version/1.1","title":"Edited","items":[\(items)]}
        """
      _ = try await newsimport("import", "--feed", "https://edited.example/feed", "-", input: feed)
    }
    let whole = try await newsimport("export", "--format", "jsonl").out
    let lines = whole.split(separator: "\n")
    let rows = lines.count - 2
    #expect(lines[0] == #"{"format":"newsimport export","version":1,"end_line":true}"#)
    #expect(lines[rows + 1] == "{\"end\":\"newsimport export\",\"lines\":\(rows)}")
    let versions = "SELECT * FROM versions ORDER BY article_id, version"
    let expected = try await newsimport("sql", versions).out
    let firstVersion = try #require(lines.firstIndex { $0.contains("\"article_version\"") })
    // In an export that was cut off, each article has a part of its versions, or none.
    for count in [1, 2, firstVersion, firstVersion + 1, firstVersion + 4, rows, rows + 1] {
      let copy = try other()
      let cut = lines.prefix(count).map { $0 + "\n" }.joined()
      let first = try await copy("import", "-", input: cut)
      #expect(first.status == (count > 1 ? 1 : 65), "\(count)")
      #expect(
        first.err == "newsimport: -: cut off after line \(count); import the whole export for the rest\n")
      let second = try await copy("import", "-", input: whole)
      #expect(second.status == 0 && second.err.isEmpty, "\(second)")
      #expect(try await copy("sql", versions).out == expected, "\(count)")
    }
    let copy = try other()
    let without = (lines[..<3] + lines[4...]).joined(separator: "\n")
    #expect(
      try await copy("import", "-", input: without).err
        == "newsimport: -: \(rows) rows were exported, and \(rows - 1) are here; import the whole export for the others\n"
    )
  }

  @Test func `each line that is no row is named, and the others are imported`() async throws {
    let article = { (id: Int, title: String) in
      """
      {"table":"article","id":\(id),"feed_id":7,"guid":"g\(id)","content_hash":\(id),"timeline":"2020-01-01T00:00:00Z",\
      "imported":"2020-01-01T00:00:00Z","edits":0,"title":\(title)}
      """
    }
    let lines = [
      "{\"format\":\"newsimport export\",\"version\":1}",
      "{\"table\":\"feed\",\"id\":7,\"url\":\"file:x\",\"failures\":0,\"fetches\":0,\"last_inserted\":0,\"last_edited\":0,\"gone\":false}",
      article(1, "\"A\""), article(2, "17"), "{\"table\":\"article\",\"id\":3}", "{\"table\":\"article\",",
      "{\"table\":\"thing\"}",
      article(4, "\"\\u00e9\\ud83d\\ude00\""),
      "{\"table\":\"membership\",\"id\":1,\"region_id\":5,\"feed_id\":7}", article(5, "[\"x\"]"),
    ]
    let run = try await newsimport("import", "-", input: lines.joined(separator: "\n"))
    #expect(run.status == 1)
    #expect(
      run.err == """
        newsimport: -: line 4: “title” is not a text
        newsimport: -: line 5: “feed_id” is missing
        newsimport: -: line 6: not JSON after 19 bytes
        newsimport: -: line 7: no row of a known table
        newsimport: -: line 9: “region_id” refers to a region that no line before it has
        newsimport: -: line 10: “title” is not a text

        """)
    #expect(
      try await newsimport("sql", "SELECT id, title FROM articles ORDER BY id").out
        == "id\ttitle\n1\tA\n4\té😀\n")
  }

  @Test func `lists and objects of other types are mistakes, and empty ones are null`() async throws {
    let members = [
      #""tags":"abc""#, #""authors":{"name":"x"}"#, #""attachments":7"#, #""members":[1]"#, #""members":"""#,
      "\"tags\":[\t\"a\",\t\"b\" ],\"members\":{ }", #""tags":[],"members":"{\"a\":1}""#,
    ]
    let articles = members.enumerated().map { place, members in
      """
      {"table":"article","id":\(place + 1),"feed_id":7,"guid":"\(place + 1)","content_hash":1,\
      "timeline":"2020-01-01T00:00:00Z","imported":"2020-01-01T00:00:00Z","edits":0,\(members)}

      """
    }
    let head = """
      {"format":"newsimport export","version":1}
      {"table":"feed","id":7,"url":"file:x","failures":0,"fetches":0,"last_inserted":0,"last_edited":0,"gone":false}

      """
    let run = try await newsimport("import", "-", input: head + articles.joined())
    #expect(
      run.err == """
        newsimport: -: line 3: “tags” is not a list
        newsimport: -: line 4: “authors” is not a list
        newsimport: -: line 5: “attachments” is not a list
        newsimport: -: line 6: “members” is not an object
        newsimport: -: line 7: “members” is not an object

        """)
    #expect(
      try await newsimport("sql", "SELECT guid, tags, members FROM articles ORDER BY guid").out
        == "guid\ttags\tmembers\n6\t[ \"a\", \"b\" ]\t\n7\t\t{\"a\":1}\n")
  }

  @Test func `numbers that a store cannot use are replaced, and it takes articles as before`() async throws {
    let server = try server()
    defer { server.stop() }
    let lines = """
      {"format":"newsimport export","version":1}
      {"table":"feed","id":9223372036854775807,"url":"https://a.example/feed","fetches":-1,"failures":0,"last_inserted":0,"last_edited":0,"gone":false}
      {"table":"feed","id":-9223372036854775808,"url":"https://b.example/feed","fetches":9223372036854775807,"failures":0,"last_inserted":0,"last_edited":0,"gone":false}
      """
    let file = try newsimport.folder.write("x.jsonl", lines.utf8)
    _ = try await newsimport("import", "--dry-run", file)
    _ = try await newsimport("import", file)
    _ = try await newsimport("region", "add", "world", server.url("/a"))
    let fetch = try await newsimport("fetch", "world", "-q")
    #expect(fetch == .init(status: 0, out: "", err: ""))
    #expect(
      try await newsimport("feed", "show", "https://a.example/feed", "https://b.example/feed").status == 0)
    #expect(try await newsimport("store", "check").status == 0)
  }

  @Test func `lines that another program has written with other white space and order are read`() async throws
  {
    let lines = """
      { "format": "newsimport export", "version": 1 }
      {"id": 1, "name": "x", "table": "region"}

      """
    let run = try await newsimport("import", "-", input: lines)
    #expect(run.status == 0 && run.err.isEmpty, "\(run)")
    #expect(try await newsimport("sql", "SELECT name FROM regions").out == "name\nx\n")
  }

  @Test func `a newer version, a store, invalid UTF-8 and an endless line are refused in one line each`()
    async throws
  {
    let newer = try await newsimport(
      "import", "-", input: "{\"format\":\"newsimport export\",\"version\":2}\n{}\n")
    #expect(newer.status == 65)
    #expect(
      newer.err
        == "newsimport: -: an export in version 2 of the format, newer than this program's 1; use a newer newsimport\n"
    )
    let copy = try other()
    _ = try await newsimport("import", "-", input: TestFeed.rss(count: 1))
    let store = try await copy("import", newsimport.store)
    #expect(store.status == 65)
    #expect(
      store.err.hasPrefix("newsimport: \(newsimport.store): a SQLite database, not a document; "),
      "\(store.err)")
    let header = "{\"format\":\"newsimport export\",\"version\":1}\n"
    let region = "{\"table\":\"region\",\"id\":1,\"name\":\""
    let bytes = Array((header + region).utf8) + [0xFF] + Array("\"}\n\(region)ok\"}\n".utf8)
    let invalid = try await copy("import", try copy.folder.write("x", bytes))
    #expect(invalid.err.hasSuffix("line 2: not valid UTF-8\n"))
    let long = try copy.folder.write(
      "y",
      Array((header + region).utf8) + [UInt8](repeating: 65, count: 40 << 20)
        + Array("\"}\n\(region)long\"}\n".utf8))
    let tooLong = try await copy("import", long)
    #expect(tooLong.err.hasSuffix("line 2: longer than 32 MiB\n"), "\(tooLong.err)")
    #expect(try await copy("region", "list").out.contains("long"))
  }

  @Test(arguments: [
    ([String](), "{\"format\":\"newsimport export\"}\n", "line 1: not the first line of an export"),
    (
      ["--feed", "file:x"], "{\"format\":\"newsimport export\",\"version\":1}\n",
      "an export names the feeds of its articles; leave out --feed"
    ),
    (
      [], "{\"format\":\"newsimport export\",\"version\":1}\n{\"table\":\"thing\"}\n",
      "line 2: no row of a known table"
    ),
    ([], "{\"guid\":\"1\",\"feed\":\"x y\"}\n", "line 1: “feed” is not an address"),
  ]) func `lines of which none can be read are bad input`(options: [String], lines: String, cause: String)
    async throws
  {
    let run = try await newsimport.run(["import", "-"] + options, input: lines)
    #expect(run.status == 65 && run.err == "newsimport: -: \(cause)\n", "\(run)")
    #expect(
      run.out.hasPrefix("imported  0 documents") && run.out.contains("   0 new   1 document failed"), "\(run)"
    )
  }

  @Test func `a known export is read again for a region`() async throws {
    _ = try await newsimport("import", "--feed", "file:own", "-", input: TestFeed.rss(count: 2))
    let file = newsimport.folder.file("all.jsonl")
    _ = try await newsimport("export", "--format", "jsonl", "-o", file)
    let copy = try other()
    _ = try await copy("import", file)
    #expect(try await copy("import", file).out.contains("1 document known from before"))
    #expect(try await copy("import", "--region", "later", file).status == 0)
    #expect(try await copy("sql", "SELECT name, feeds FROM regions").out.hasSuffix("\nlater\t1\n"))
  }

  @Test func `a feed that the store has under a later address stays one feed`() async throws {
    let feed = { (id: Int, url: String) in
      "{\"table\":\"feed\",\"id\":\(id),\"url\":\"\(url)\",\"failures\":0,\"fetches\":0,\"last_inserted\":0,\"last_edited\":0,\"gone\":false}\n"
    }
    let header = "{\"format\":\"newsimport export\",\"version\":1}\n"
    let present =
      header + feed(1, "https://new.example/feed")
      + "{\"table\":\"former_address\",\"id\":1,\"url\":\"https://old.example/feed\",\"feed_id\":1}\n"
    #expect(try await newsimport("import", "-", input: present).status == 0)
    let article = """
      {"table":"article","id":1,"feed_id":5,"guid":"g","content_hash":1,"timeline":"2020-01-01T00:00:00Z",\
      "imported":"2020-01-01T00:00:00Z","edits":0}

      """
    let old = header + feed(5, "https://old.example/feed") + feed(6, "https://other.example/feed") + article
    let run = try await newsimport("import", "--region", "r", "-", input: old)
    #expect(run.status == 0 && run.out.contains("   1 new"), "\(run)")
    #expect(
      try await newsimport("sql", "SELECT url, regions FROM feeds ORDER BY url").out
        == "url\tregions\nhttps://new.example/feed\t[\"r\"]\nhttps://other.example/feed\t[\"r\"]\n")
    #expect(
      try await newsimport("sql", "SELECT feed FROM articles").out == "feed\nhttps://new.example/feed\n")
  }

  @Test func `a dry run of an export counts what is new`() async throws {
    let lines = try await {
      _ = try await newsimport("import", "--feed", "file:own", "-", input: TestFeed.rss(count: 5))
      return try await newsimport("export", "--format", "jsonl").out
    }()
    let copy = try other()
    #expect(try await copy("import", "--dry-run", "-", input: lines).out.contains("   5 new"))
    #expect(!FileManager.default.fileExists(atPath: copy.store))
    #expect(try await newsimport("import", "--dry-run", "-", input: lines).out.contains("   0 new"))
  }
}
