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
    #expect(result.status == 64 && result.err.contains("--verbose"))
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
