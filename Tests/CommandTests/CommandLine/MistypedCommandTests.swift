import Foundation
import TestSupport
import Testing

@Suite struct MistypedCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @Test(arguments: [
    (["fecth", "world"], "fecth: no such command; did you mean newsimport fetch?"),
    (["region", "lsit"], "lsit: no such command; did you mean newsimport region list?"),
    (["feed", "mv", "x"], "mv: no such command; the commands are list, remove, rename"),
    (["help", "fecth"], "fecth: no such command; did you mean newsimport help fetch?"),
    (["help", "region", "lsit"], "lsit: no such command; did you mean newsimport help region list?"),
    (["store", "chekc"], "chekc: no such command; did you mean newsimport store check?"),
    ([""], "'': no such command; the commands are region, feed,"),
    (["a\u{1B}[2Jb"], "a\\u001b[2Jb: no such command; the commands are region, feed,"),
  ]) func `a mistyped command is named with the one that is meant`(words: [String], message: String)
    async throws
  {
    let result = try await newsimport.run(words)
    #expect(result.status == 64 && result.out == "")
    #expect(result.err.hasPrefix("newsimport: \(message)") && result.err.split(separator: "\n").count == 1)
  }

  @Test(arguments: [["--store", "s.db"], ["--store=s.db"]])
  func `a store may be named before the command`(option: [String]) async throws {
    let folder = newsimport.folder.path
    func run(_ words: [String]) async throws -> Command.Result {
      try await newsimport.run(words.map { $0.replacing("s.db", with: "\(folder)/s.db") })
    }
    let added = try await run(option + ["region", "add", "--", "world", "https://a.example/feed"])
    #expect(added.status == 0 && added.err == "")
    #expect(
      try await run(option + ["region", "list", "--fields", "name"])
        == .init(status: 0, out: "world\n", err: ""))
    #expect(FileManager.default.fileExists(atPath: "\(folder)/s.db"))
  }

  @Test func `a configuration may be named before the command, also with a store`() async throws {
    let config = try newsimport.folder.write("c.toml", "[fetch]\njobs = 7\n".utf8)
    let store = newsimport.folder.file("s.db")
    for options in [
      ["--config", config], ["--config=\(config)"], ["--store", store, "--config", config],
      ["--config=\(config)", "--store=\(store)"],
    ] {
      let shown = try await newsimport.run(options + ["config", "check"])
      #expect(
        shown.status == 0 && shown.out.contains(/fetch.jobs +7\n/), "\(options)")
    }
    let other = try await newsimport("--config", config, "region", "list")
    #expect(
      other.status == 64
        && other.err.hasPrefix("newsimport: unknown option '--config'; see newsimport region list"))
    #expect(try await newsimport("--configure", config, "list").status == 64)
  }

  @Test(arguments: ["list", "search x", "archive --to x.db --before 1d"])
  func `a limit below one is refused with the reason`(words: String) async throws {
    let result = try await newsimport.run(words.split(separator: " ").map(String.init) + ["--limit", "-1"])
    #expect(result.status == 64 && result.err.contains("'-1' is not a number from 1"))
  }

  @Test(arguments: [["--help"], ["help"], ["help", "region"], ["region", "--help"]])
  func `a request for help is not an error`(words: [String]) async throws {
    let result = try await newsimport.run(words)
    #expect(result.status == 0 && result.err == "")
  }

  @Test(arguments: [
    (["fetch", "world", "--verbos"], "'--verbos'"), (["list", "world", "--limti=3"], "'--limti'"),
    (["list", "-z"], "'-z'"),
    (["list", "m", "--since", "-1d"], "--since <since>"),
    (["list", "m", "--fields", "-0"], "--fields <names>"),
    (["mark", "raed", "3"], "'raed'"), (["list", "m", "--format", "jsno"], "'jsno'"),
  ]) func `an unknown option or value is told in one line that names the command's help`(
    words: [String], name: String
  ) async throws {
    let result = try await newsimport.run(words)
    #expect(result.status == 64 && result.out == "" && result.err.contains(name), "\(result)")
    #expect(
      result.err.hasPrefix("newsimport: ") && result.err.hasSuffix("ee newsimport \(words[0]) --help\n")
        && result.err.split(separator: "\n").count == 1, "\(result)")
  }

  @Test(arguments: [["list", "-h"], ["fetch", "-qh"], ["search", "-third", "--help"], ["fetch", "-vh"]])
  func `help is printed even beside other arguments`(words: [String]) async throws {
    let result = try await newsimport.run(words)
    #expect(result.status == 0 && result.err == "" && result.out.contains("USAGE: newsimport \(words[0])"))
  }

  @Test(arguments: [["list", "m"], ["search", "m"], ["export", "m"]], ["abc", "0", "1.5"])
  func `a limit that is not a number is reported with the valid values`(words: [String], limit: String)
    async throws
  {
    let result = try await newsimport.run(words + ["--limit", limit])
    #expect(result.status == 64 && result.out.isEmpty)
    #expect(
      result.err.contains("'\(limit)' is not a number from 1, such as 20; see newsimport "), "\(result)")
    #expect(try await newsimport.run(words + ["--limit=-1"]).err.contains("'-1' is not a number from 1"))
  }

  @Test func `a mistyped number is reported in one line that names the command's help`() async throws {
    let number = try await newsimport("mark", "starred", "x")
    #expect(number.status == 64)
    #expect(
      number.err
        == "newsimport: 'x' is not the number of an article; newsimport list shows the numbers; see newsimport mark --help\n"
    )
  }

  @Test func `mistyped regions and feeds are reported with suggestions`() async throws {
    _ = try await newsimport("region", "add", "world", "https://world.example.com/rss.xml")
    _ = try await newsimport("region", "add", "tech", "https://tech.example.com/rss.xml")
    #expect(
      try await newsimport("fetch", "wurld")
        == .init(status: 66, out: "", err: "newsimport: wurld: no such region; did you mean world?\n"))
    #expect(
      try await newsimport("list", "sport")
        == .init(status: 66, out: "", err: "newsimport: sport: no such region; the regions are tech, world\n")
    )
    #expect(
      try await newsimport("explain", "https://wrold.example.com/rss.xml").err
        == "newsimport: https://wrold.example.com/rss.xml: no such feed; "
        + "did you mean https://world.example.com/rss.xml?\n")
  }

  @Test(arguments: [
    ["store", "backup", "ADDRESS"], ["fetch", "ADDRESS"], ["ADDRESS"], ["help", "ADDRESS"],
    ["search", "ADDRESS"],
    ["archive", "--before", "1d", "--to", "ADDRESS"], ["export", "--output=ADDRESS"],
    ["store", "check", "ADDRESS"],
  ]) func `an address of a server in another place is named without its password`(words: [String])
    async throws
  {
    let words = words.map { $0.replacing("ADDRESS", with: "postgresql://me:secret@127.0.0.1:1/news") }
    let cause = """
      the address of a store is given with --store; newsimport store copy FROM TO copies a store to a server or back
      """
    #expect(
      try await newsimport.run(words)
        == .init(status: 64, out: "", err: "newsimport: postgresql://me@127.0.0.1:1/news: \(cause)\n"))
  }

  @Test func `an address without a password may be searched for`() async throws {
    _ = try await newsimport("region", "add", "world", "http://127.0.0.1:1/")
    #expect(try await newsimport("search", "postgresql://news").err.contains("--store") == false)
  }

  @Test func `a shell gets completions beside an address`() async throws {
    _ = try await newsimport("region", "add", "world", "http://127.0.0.1:1/")
    let words = ["newsimport", "fetch", "postgresql:///news", ""]
    let result = try await newsimport.run(["---completion", "fetch", "--", "positional@0", "2", "0"] + words)
    #expect(!result.err.contains("--store"), "\(result)")
  }
}
