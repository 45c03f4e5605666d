import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct CommandLineTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @Test(arguments: [
    ["frobnicate"], ["fetch"], ["fetch", "world", "--all"], ["fetch", "world", "--jobs", "0"],
    ["fetch", "world", "--jobs", "many"], ["fetch", "world", "--per-host", "65"],
    ["fetch", "world", "--timeout", "0"], ["fetch", "world", "--frob"],
    ["fetch", "world", "--max-body", "much"], ["list", "world", "--limit", "0"],
    ["list", "world", "--since", "soon"],
    ["list", "world", "--json", "--fields", "colour"], ["region", "add", "world"],
    ["region", "add", "", "http://a/"],
  ]) func `an error on the command line is explained on standard error, with status 64`(arguments: [String])
    async throws
  {
    let result = try await newsimport.run(arguments)
    #expect(result.status == 64)
    #expect(result.out == "")
    #expect(!result.err.isEmpty)
  }

  @Test(arguments: [
    "file:///etc/passwd", "gopher://127.0.0.1:1/x", "/etc/passwd", "javascript:x",
    "http://127.0.0.1/a\nHost: evil",
    "http://127.0.0.1/a b", "",
  ]) func `an address that is not http or https is refused when it is added`(url: String) async throws {
    let result = try await newsimport("region", "add", "world", url)
    #expect(result.status == 65)
    #expect(result.err.hasPrefix("newsimport: "))
    #expect(result.err.filter { $0 == "\n" }.count == 1)
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
  }

  @Test func `an unknown region is named with the existing regions`() async throws {
    _ = try await newsimport("region", "add", "world", "https://example.org/feed")
    for command in [["fetch", "wurld"], ["list", "wurld"], ["region", "remove", "wurld"]] {
      #expect(
        try await newsimport.run(command)
          == .init(status: 66, out: "", err: "newsimport: wurld: no such region; did you mean world?\n"))
    }
  }

  @Test func `control characters on the command line are not echoed`() async throws {
    _ = try await newsimport("region", "add", "world", "https://example.org/feed")
    let result = try await newsimport("fetch", "a\u{1B}]0;owned\u{7}b")
    #expect(result.status == 66)
    #expect(result.err.contains(#"a\u001b]0;owned\u0007b: no such region"#))
  }

  @Test func `regions are listed and removed`() async throws {
    _ = try await newsimport("region", "add", "world", "https://a.example/", "https://b.example/")
    _ = try await newsimport("region", "add", "tech", "https://a.example/")
    #expect(try await newsimport("region", "list").out == "tech    1 feed\nworld   2 feeds\n")
    #expect(
      try await newsimport("region", "list", "--json").out == """
        {"name":"tech","feeds":["https://a.example/"],"failing":0,"gone":0}
        {"name":"world","feeds":["https://a.example/","https://b.example/"],"failing":0,"gone":0}

        """)
    #expect(try await newsimport("region", "remove", "world", "--yes").status == 0)
    #expect(try await newsimport("region", "list").out == "tech   1 feed\n")
  }

  @Test func `adding a feed again changes nothing and reports that`() async throws {
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    #expect(
      try await newsimport("region", "add", "world", "https://a.example/", "https://b.example/").out
        == "added  1 feed to region world, 1 already there.   Next: newsimport fetch world\n")
  }

  @Test func `a list of feeds in OPML is imported, from standard input too`() async throws {
    let opml = """
      <opml version="2.0"><body><outline text="Tech"><outline text="A" xmlUrl="https://a.example/"/>
      <outline text="B" xmlUrl="https://b.example/"/></outline>
      <outline text="C" xmlUrl="file:///etc/passwd"/></body></opml>
      """
    let file = try newsimport.folder.write("feeds.opml", opml.utf8)
    #expect(
      try await newsimport("opml", "import", file, "--region", "all").out == """
        added  2 feeds to all
        refused  1 (not an http or https address)
        Next: newsimport fetch all

        """)
    #expect(
      try await newsimport("opml", "import", "-", input: opml).out.hasPrefix("added  2 feeds to Tech\n"))
    #expect(try await newsimport("region", "list").out == "Tech   2 feeds\nall    2 feeds\n")
  }

  @Test func `a feed in two folders of a list belongs to both regions`() async throws {
    let opml = """
      <opml><body><outline text="A"><outline xmlUrl="https://a.example/"/></outline>
      <outline text="B"><outline xmlUrl="https://a.example/"/></outline></body></opml>
      """
    #expect(try await newsimport("opml", "import", "-", input: opml).status == 0)
    #expect(try await newsimport("region", "list").out == "A   1 feed\nB   1 feed\n")
  }

  @Test func `commands that only read create no store`() async throws {
    #expect(try await newsimport("list", "world").status == 66)
    #expect(try await newsimport("fetch", "world").status == 66)
    #expect(try await newsimport("region", "list").status == 66)
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
  }

  @Test func `a missing file ends with status 66, and a file without feeds with 65`() async throws {
    #expect(
      try await newsimport("opml", "import", "/no/such/file")
        == .init(status: 66, out: "", err: "newsimport: /no/such/file: no such file\n"))
    let file = try newsimport.folder.write("a.opml", "<html/>".utf8)
    #expect(try await newsimport("opml", "import", file).status == 65)
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root can start a program as another user"),
    arguments: [
      ["opml", "import"], ["opml", "sync"], ["import"], ["parse"], ["config", "check", "--config"],
    ])
  func `a file in a folder that the user may not enter is not reported as missing`(command: [String])
    async throws
  {
    let closed = try newsimport.folder.write("closed/feeds.opml", "<opml/>".utf8)
    let script = """
      chmod 755 '\(newsimport.folder.path)' && chmod 700 '\(newsimport.folder.file("closed"))'
      install -m 755 '\(Command.builtProducts)/newsimport' '\(newsimport.folder.file("newsimport"))'
      export NEWSIMPORT_STORE=/nonexistent/news.sqlite HOME=/nonexistent
      cd / && setpriv --reuid 4242 --regid 4242 --clear-groups '\(newsimport.folder.file("newsimport"))' "$@"
      """
    let result = try await Command.run("bash", ["-c", script, "bash"] + command + [closed])
    #expect(result.status == ["import": 65, "parse": 65, "config": 78][command[0], default: 74], "\(result)")
    #expect(result.err.hasPrefix("newsimport: \(closed): permission denied; allow this user to read it"))
  }

  @Test func `a file that is not a store is refused and left unchanged`() async throws {
    let text =
      "This is a letter, not a store, and long enough to have had a header of a hundred bytes in it, really."
    _ = try newsimport.folder.write("news.db", text.utf8)
    let result = try await newsimport("region", "list")
    #expect(result.status == 65)
    #expect(result.err.contains(newsimport.store))
    #expect(try String(contentsOfFile: newsimport.store, encoding: .utf8) == text)
  }

  @Test func `several processes can add to one new region at the same time`() async throws {
    let command = newsimport
    let results = try await withThrowingTaskGroup(of: CommandRun.Result.self) { group in
      for number in 0..<8 {
        group.addTask {
          try await command("region", "add", "world", "http://a.example/\(number)", "http://a.example/all")
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.map(\.status) == Array(repeating: 0, count: 8), "\(results.map(\.err))")
    #expect(try await newsimport("region", "list").out == "world   9 feeds\n")
  }

  @Test func `a folder in place of the store is named, with status 73`() async throws {
    let result = try await newsimport("region", "list", "--store", newsimport.folder.path)
    #expect(result.status == 73)
    #expect(result.err.contains("is a folder"))
  }

  @Test func `arguments are found although a preloaded library has moved the environment`() async throws {
    let folder = newsimport.folder
    let source = try folder.write(
      "moved.c",
      """
      #include <stdlib.h>
      __attribute__((constructor)) static void move(void) { setenv("A_NEW_ONE", "1", 1); }
      """.utf8)
    let library = folder.file("moved.so")
    let compiled = try await Command.run("clang", ["-shared", "-fPIC", "-o", library, source])
    try #require(compiled.status == 0, "\(compiled.err)")
    let result = try await newsimport.run(["--version"], variables: ["LD_PRELOAD": library])
    #expect(result.status == 0 && result.out.hasPrefix("newsimport "), "\(result)")
  }
}
