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
    (["feed", "mv", "x"], "mv: no such command; there are show, move, remove, rename"),
    (["help", "fecth"], "fecth: no such command; did you mean newsimport help fetch?"),
    (["help", "region", "lsit"], "lsit: no such command; did you mean newsimport help region list?"),
    (["store", "chekc"], "chekc: no such command; did you mean newsimport store check?"),
    (["a\u{1B}[2Jb"], "a\\u001b[2Jb: no such command; there are region, feed,"),
  ]) func `a mistyped command is named with the one that is meant`(words: [String], message: String)
    async throws
  {
    let result = try await newsimport.run(words)
    #expect(result.status == 64 && result.out == "")
    #expect(result.err.hasPrefix("newsimport: \(message)") && result.err.split(separator: "\n").count == 1)
  }

  @Test(arguments: [["--help"], ["help"], ["help", "region"], ["region", "--help"]])
  func `asking for help is no mistake`(words: [String]) async throws {
    let result = try await newsimport.run(words)
    #expect(result.status == 0 && result.err == "")
  }

  @Test func `a mistyped option is named with the one that is meant`() async throws {
    let result = try await newsimport("fetch", "world", "--verbos")
    #expect(
      result
        == .init(
          status: 64, out: "",
          err: "newsimport: --verbos: no such option of newsimport fetch; did you mean --verbose?\n"))
  }

  @Test(arguments: [
    // What is missing otherwise is told after that.
    (["fetch", "--quite"], "--quite: no such option of newsimport fetch; did you mean --quiet?"),
    (["list", "world", "--limti=3"], "--limti: no such option of newsimport list; did you mean --limit?"),
    (["region", "add", "--jsno"], "--jsno: no such option of newsimport region add; did you mean --json?"),
    (
      ["fetch", "--bogus"], "--bogus: no such option of newsimport fetch; newsimport fetch --help lists them"
    ),
    (["list", "-z"], "-z: no such option of newsimport list; newsimport list --help lists them"),
    (["--versoin"], "--versoin: no such option of newsimport; did you mean --version?"),
  ]) func `an option that is none is told first`(words: [String], message: String) async throws {
    #expect(
      try await newsimport.run(words) == .init(status: 64, out: "", err: "newsimport: \(message)\n"))
  }

  @Test func `an option of the option parser itself is one`() async throws {
    let result = try await newsimport("--generate-completion-script", "csh")
    #expect(result.status == 64 && !result.err.contains("no such option"))
  }

  @Test func `a mistyped value is told with the one that is meant, and the command's usage`() async throws {
    let mark = try await newsimport("mark", "raed", "3")
    #expect(mark.status == 64 && mark.err.contains("invalid for '<mark>'. Did you mean 'read'? Please"))
    #expect(mark.err.contains("Usage: newsimport mark "))
    #expect(try await newsimport("list", "world", "--format", "jsno").err.contains("Did you mean 'json'?"))
    let number = try await newsimport("mark", "starred", "x")
    #expect(number.status == 64)
    #expect(number.err.hasPrefix("Error: 'x' is no article's number"))
    #expect(number.err.contains("\nUsage: newsimport mark ["))
    #expect(number.err.hasSuffix("\n  See 'newsimport mark --help' for more information.\n"))
  }

  @Test func `mistyped regions and feeds are named with those that are meant`() async throws {
    _ = try await newsimport("region", "add", "world", "https://world.example.com/rss.xml")
    _ = try await newsimport("region", "add", "tech", "https://tech.example.com/rss.xml")
    #expect(
      try await newsimport("fetch", "wurld")
        == .init(status: 66, out: "", err: "newsimport: wurld: no such region; did you mean world?\n"))
    #expect(
      try await newsimport("list", "sport")
        == .init(status: 66, out: "", err: "newsimport: sport: no such region; there are: tech, world\n"))
    #expect(
      try await newsimport("explain", "https://wrold.example.com/rss.xml").err
        == "newsimport: https://wrold.example.com/rss.xml: no such feed; "
        + "did you mean https://world.example.com/rss.xml?\n")
  }
}
