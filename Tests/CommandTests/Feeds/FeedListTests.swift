import FeedParsing
import TestSupport
import Testing

@testable import NewsCommand
import WebAddress

@Suite struct FeedListTests {
  private func urls(_ text: String) throws -> [String] { try FeedList(Array(text.utf8)).entries.map(\.url) }

  @Test(arguments: [
    "https://a.example/\nhttps://b.example/", "\r\n https://a.example/ \r\n\r\nhttps://b.example/\r\n",
    "https://a.example/ https://b.example/ news",
    "\u{FEFF}# mine\nhttps://a.example/ \"~A\" tech\nhttps://b.example/\tnews\n",
  ]) func `the addresses of a text are found, without tags`(text: String) throws {
    #expect(try urls(text) == ["https://a.example/", "https://b.example/"])
  }

  @Test func `markup is OPML, even after a byte order mark and spaces`() throws {
    let opml = "<opml><body><outline xmlUrl='https://a.example/'/></body></opml>"
    #expect(try urls("\u{FEFF}\n " + opml) == ["https://a.example/"])
    var wide: [UInt8] = [0xFF, 0xFE]
    for unit in opml.utf16 { wide += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    #expect(try FeedList(wide).entries.map(\.url) == ["https://a.example/"])
  }

  @Test func `empty text is an empty list`() throws {
    #expect(try urls("").isEmpty)
    #expect(try urls("# nothing yet\n").isEmpty)
  }
}

@Suite struct FeedListImportTests {
  @Test(
    arguments: [
      (10, ["a 0 1 2|b 3 4|c 5"]), (2, ["a 0 1", "a 2|b 3", "b 4|c 5"]), (3, ["a 0 1 2", "b 3 4|c 5"]),
      (1, ["a 0", "a 1", "a 2", "b 3", "b 4", "c 5"]),
    ] as [(Int, [String])]) func `a long list is added in transactions of a bounded size`(
      most: Int, parts: [String]
    )
  {
    let lists = [("a", ["0", "1", "2"]), ("b", ["3", "4"]), ("empty", []), ("c", ["5"])]
    let listed = lists.map { (region: $0.0, urls: $0.1.map { WebAddress($0) }) }
    let found = FeedListImport.transactions(listed, mostAtOnce: most).map { transaction in
      transaction.map { ([$0.region] + $0.urls.map(\.text)).joined(separator: " ") }.joined(separator: "|")
    }
    #expect(found == parts)
  }
}

@Suite struct FeedImportCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @Test func `addresses are read from standard input`() async throws {
    let list = "# mine\nhttps://a.example/\n\nhttps://b.example/\n"
    #expect(
      try await newsimport("region", "add", "world", "-", input: list).out
        == "added  2 feeds to region world.   Next: newsimport fetch world\n")
    #expect(
      try await newsimport("opml", "import", "--region", "world", "-", input: list + "https://c.example/\n")
        .out
        == "added  1 feed to world, 2 already there\nNext: newsimport fetch world\n")
    #expect(try await newsimport("region", "list").out == "world   3 feeds\n")
    let bad = try await newsimport("region", "add", "world", "-", input: "https://d.example/\nfile:///x\n")
    #expect(bad.status == 65 && bad.err.hasPrefix("newsimport: file:///x: "))
    let none = try await newsimport("region", "add", "world", "-")
    #expect(
      none
        == .init(
          status: 65, out: "", err: "newsimport: -: no addresses on standard input; nothing was added\n"))
    #expect(try await newsimport("region", "list").out == "world   3 feeds\n")
  }

  @Test func `an address that appears twice in a list is not counted as known`() async throws {
    let twice = "https://a.example/\nhttps://b.example/\nhttps://a.example/\n"
    #expect(
      try await newsimport("opml", "import", "--region", "tech", "--json", "-", input: twice).out
        == "{\"region\":\"tech\",\"added\":2,\"known\":0,\"ended\":0,\"refused\":0}\n")
    #expect(
      try await newsimport("region", "add", "world", "-", input: twice).out
        == "added  2 feeds to region world.   Next: newsimport fetch world\n")
  }

  @Test func `a list of more regions than anyone has is refused, unless it is for one region`() async throws {
    let folders = (0...10_000).map { "<outline text='a\($0)'><outline xmlUrl='https://h/\($0)'/></outline>" }
    let list = "<opml><body>\(folders.joined())</body></opml>"
    let result = try await newsimport("opml", "import", "-", input: list)
    #expect(
      result
        == .init(
          status: 65, out: "",
          err: """
            newsimport: -: 10,001 folders, more than 10,000; nothing was added; put all feeds into one region with --region

            """))
    #expect(try await newsimport("opml", "import", "--region", "all", "-", input: list).status == 0)
    #expect(try await newsimport("region", "list").out == "all   10,001 feeds\n")
  }

  @Test func `a feed in a folder or with categories is not added outside, and pages are refused`()
    async throws
  {
    let list = """
      <opml><body><outline xmlUrl='https://a.example/'/><outline xmlUrl='https://b.example/' category='/x,y'/>
      <outline text='F'><outline xmlUrl='https://A.example'/><outline xmlUrl='https://p.example/' type='HTML+XPath'/></outline>
      <outline xmlUrl='podcast://c.example/'/></body></opml>
      """
    let run = try await newsimport("opml", "import", "-", input: list)
    #expect(
      run
        == .init(
          status: 0,
          out: """
            added  1 feed to x
            added  1 feed to y
            added  1 feed to F
            added  1 feed to imported
            refused  1 (not a feed)
            Next: newsimport fetch --all

            """,
          err: """
            newsimport: -: https://p.example/: not a feed, but a page that the other program makes a feed from

            """))
    let regions = try await newsimport("region", "list", "--json").out
    #expect(regions.contains("{\"name\":\"F\",\"feeds\":[\"https://a.example/\"]"), "\(regions)")
    #expect(regions.contains("{\"name\":\"imported\",\"feeds\":[\"http://c.example/\"]"), "\(regions)")
  }

  @Test func `the first refused addresses are named`() async throws {
    let bad = ["ftp://ann:secret@x.example/", "gopher://\u{1B}[2J/"] + (1...5).map { "x\($0)" }
    let list = (["  https://a.example/", "feed://b.example/", "feed:https://c.example/"] + bad).joined(
      separator: "\n")
    let result = try await newsimport("opml", "import", "--region", "world", "-", input: list)
    #expect(
      result
        == .init(
          status: 0,
          out: """
            added  3 feeds to world
            refused  7 (not an http or https address)
            Next: newsimport fetch world

            """,
          err: """
            newsimport: -: line 4: ftp://ann@x.example/: address refused: only http and https are fetched, not ftp
            newsimport: -: line 5: gopher://\\u001b[2J/: not a valid address: it contains white space or control characters
            newsimport: -: line 6: x1: not a valid address: it doesn't begin with http:// or https://
            newsimport: -: line 7: x2: not a valid address: it doesn't begin with http:// or https://
            newsimport: -: line 8: x3: not a valid address: it doesn't begin with http:// or https://
            newsimport: -: and 2 more

            """))
    let opml = "<opml><body><outline xmlUrl=' https://d.example/&#10;'/></body></opml>"
    #expect(try await newsimport("opml", "import", "-", "--region", "tech", input: opml).status == 0)
    #expect(
      try await newsimport("region", "add", "tech", "feed://e.example/").out
        == "added  1 feed to region tech.   Next: newsimport fetch tech\n")
    #expect(
      try await newsimport("region", "list", "--json").out == """
        {"name":"tech","feeds":["https://d.example/","http://e.example/"],"failing":0,"gone":0}
        {"name":"world","feeds":["https://a.example/","http://b.example/","https://c.example/"],"failing":0,"gone":0}

        """)
    let words = try await newsimport(
      "opml", "import", "-", input: "Dear all,\nplease find the list attached\n")
    #expect(
      words
        == .init(
          status: 65, out: "",
          err: "newsimport: -: neither OPML nor a list of http and https addresses, one per line\n"))
    let bytes = try await newsimport("opml", "import", "-", input: "\u{7F}ELF\0\0 http://a.example/\0\n")
    #expect(bytes.status == 65 && bytes.out == "" && bytes.err.split(separator: "\n").count == 1)
    let only = try await newsimport("opml", "import", "-", input: "ftp://x/\n")
    #expect(only.status == 65 && only.out == "")
    #expect(only.err.hasSuffix("newsimport: -: its only feed has no http or https address\n"))
  }

  @Test func `a wrong line of a list is named by its number and its file`() async throws {
    let file = try newsimport.folder.write(
      "list.txt", "# mine\nhttps://a.example/\n\nsome words without address\n".utf8)
    let run = try await newsimport("opml", "import", "--region", "world", file)
    #expect(run.status == 0)
    #expect(
      run.err
        == "newsimport: \(file): line 4: some: not a valid address: it doesn't begin with http:// or https://\n",
      "\(run.err)")
    let opml = "<opml><body><outline xmlUrl='https://b.example/'/><outline xmlUrl='ftp://x/'/></body></opml>"
    let other = try await newsimport("opml", "import", "--region", "world", "-", input: opml)
    #expect(
      other.err == "newsimport: -: ftp://x/: address refused: only http and https are fetched, not ftp\n",
      "\(other.err)")
  }

  @Test func `a feed in nested outlines belongs to the innermost one`() async throws {
    let opml = """
      <opml><body><outline text="News"><outline xmlUrl="https://a.example/"/>
      <outline text="Europe"><outline xmlUrl="https://b.example/"/></outline></outline></body></opml>
      """
    #expect(try await newsimport("opml", "import", "-", input: opml).status == 0)
    #expect(try await newsimport("region", "list").out == "Europe   1 feed\nNews     1 feed\n")
  }

  @Test func `outlines become regions, with names that fit the rules of regions`() async throws {
    let long = String(repeating: "long and ", count: 10)
    let tooLong = String(repeating: "é", count: 101)
    let folders = ["\(long)a", "\(long)b", tooLong, "- dashed", "--", "e\u{301}te\u{301}", "\u{E9}t\u{E9}"]
    let outlines = folders.enumerated().map {
      "<outline text='\($1)'><outline xmlUrl='https://\($0).example/'/></outline>"
    }
    let opml = "<opml><body>\(outlines.joined())</body></opml>"
    #expect(try await newsimport("opml", "import", "-", input: opml).status == 0)
    let names = try await newsimport("region", "list", "--fields", "name").out.split(separator: "\n").map {
      Array($0.utf8)
    }
    let expected = [
      "dashed", "imported", "\(long)a", "\(long)b", "\u{E9}t\u{E9}", String(tooLong.dropLast()),
    ]
    #expect(names.count == 6 && Set(names) == Set(expected.map { Array($0.utf8) }))
  }

  @Test(arguments: [
    """
    <!DOCTYPE opml SYSTEM "file:///etc/passwd"><opml><body>
    <outline text="A" xmlUrl="https://a.example/"/></body></opml>
    """,
    """
    <!DOCTYPE opml [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "http://127.0.0.1:1/p"> %p;]>
    <opml><body><outline text="A &x;" xmlUrl="https://a.example/"/></body></opml>
    """,
    """
    <!DOCTYPE opml [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
    <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">
    <!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;">
    <!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;"><!ENTITY h "&g;&g;&g;&g;&g;&g;&g;&g;&g;&g;">]>
    <opml><body><outline text="&h;"><outline text="A" xmlUrl="https://a.example/"/></outline></body></opml>
    """,
  ]) func `declarations in a document do no harm`(opml: String) async throws {
    let result = try await newsimport("opml", "import", "-", "--region", "world", input: opml)
    let listed = try await newsimport("region", "list", "--json").out
    #expect(!listed.contains("root:") && result.out.utf8.count < 1000 && result.err.utf8.count < 1000)
    if result.status == 0 {
      #expect(listed == "{\"name\":\"world\",\"feeds\":[\"https://a.example/\"],\"failing\":0,\"gone\":0}\n")
    } else {
      #expect(result.status == 65 && listed == "")
    }
  }
}
