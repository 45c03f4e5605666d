import ArgumentParser
import Foundation
import GRDB
import TestSupport

/// Runs importers again and again over changing feeds, kills some of them, and checks the store after each round.
struct Soak: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract: "Run importers that are killed at random, and check the store after each round.")

  @Option(help: "The number of rounds.") var rounds = 1000
  @Option(help: "The number of rounds after which a new store begins.") var renew = 8
  @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1

  func run() async throws {
    let feeds = try ChangingFeeds(count: 40)
    defer { feeds.stop() }
    var random = SeededGenerator(seed: seed)
    var figures = Figures()
    var problems = 0
    var store = try SoakedStore(feeds: feeds)
    for round in 1...rounds {
      if round % renew == 0 { store = try SoakedStore(feeds: feeds) }
      let found = try await store.play(round: round, &random, &figures)
      problems += found.count
      for problem in found { printLine("  PROBLEM round \(round): \(problem)") }
      if round % 50 == 0 { printLine("\(round) rounds, \(figures.kills) kills, \(problems) problems") }
    }
    printLine("\(rounds) rounds, \(figures.runs) runs, \(figures.kills) kills, \(problems) problems")
    printLine(figures.memory)
    // A few runs say nothing about memory.
    if problems > 0 || (rounds >= 200 && !figures.isFlat) { throw ExitCode.failure }
  }

  /// Numbers of all rounds.
  struct Figures {
    var runs = 0
    var kills = 0
    /// The peak memory of each clean fetch, in bytes, and of each `watch`.
    var fetchMemory: [Int] = []
    var watchMemory: [Int] = []

    /// The medians of the first and of the last tenth.
    private static func ends(_ values: [Int]) -> (first: Int, last: Int) {
      let count = max(1, values.count / 10)
      func median(_ part: ArraySlice<Int>) -> Int { part.sorted().dropFirst(part.count / 2).first ?? 0 }
      return (median(values.prefix(count)), median(values.suffix(count)))
    }

    var memory: String {
      [("fetch", fetchMemory), ("watch", watchMemory)].map { name, values in
        let (first, last) = Self.ends(values)
        return
          "\(name): \(first / 1000 / 1000) MB in the first rounds, \(last / 1000 / 1000) MB in the last, "
          + "at most \((values.max() ?? 0) / 1000 / 1000) MB"
      }.joined(separator: "\n")
    }

    /// True if neither command takes more memory at the end than at the beginning.
    var isFlat: Bool {
      [fetchMemory, watchMemory].allSatisfy { values in
        let (first, last) = Self.ends(values)
        return last <= first + first / 10
      }
    }
  }
}

/// One store, over some rounds.
private struct SoakedStore {
  let feeds: ChangingFeeds
  private let folder: TemporaryFolder
  /// The title of each article that the store must have, by guid.
  private var expected: [String: String] = [:]

  init(feeds: ChangingFeeds) throws {
    self.feeds = feeds
    folder = try TemporaryFolder()
  }

  private var path: String { folder.file("news.sqlite") }

  mutating func play(
    round: Int, _ random: inout SeededGenerator, _ figures: inout Soak.Figures
  ) async throws -> [String] {
    feeds.begin(round: round, failures: 20)
    _ = try await run(["region", "add", "world"] + feeds.addresses)
    let watch = try start(["watch", "world", "--json"])
    try await disturb(&random, &figures)
    watch.signal(SIGTERM)
    figures.watchMemory.append(await watch.end().peakMemory)
    feeds.recover()
    let clean = try await run(["fetch", "world", "-q"])
    figures.fetchMemory.append(clean.peakMemory)
    var problems = clean.status == 0 ? [] : ["a clean fetch ended with \(clean.status): \(clean.err)"]
    for feed in 0..<feeds.count { expected.merge(ChangingFeeds.articles(feed, round: round)) { $1 } }
    problems += try check()
    return problems
  }

  /// Runs two or three importers and another command at once; some are killed.
  private func disturb(_ random: inout SeededGenerator, _ figures: inout Soak.Figures) async throws {
    let others = [
      ["list", "world"], ["search", "article"], ["mark", "read", "--region", "world"], ["stats"], ["doctor"],
      ["store", "check"], ["store", "vacuum"], ["store", "backup", folder.file("copy-\(figures.runs)")],
      ["export", "world", "-o", folder.file("page.html")],
    ]
    var programs: [Command.Running] = []
    for _ in 0..<Int.random(in: 2...3, using: &random) {
      programs.append(try start(["fetch", "world", "-q"]))
    }
    programs.append(try start(others.randomElement(using: &random) ?? ["list", "world"]))
    figures.runs += programs.count
    for program in programs where Int.random(in: 0..<3, using: &random) > 0 {
      // A pause of random length decides where the kill hits; no result depends on it.
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...40, using: &random)))
      program.signal(SIGKILL)
      figures.kills += 1
    }
    for program in programs { _ = await program.end() }
  }

  /// Returns what is wrong with the store after a clean run.
  private func check() throws -> [String] {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    return try queue.writeWithoutTransaction { db in
      var problems = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
      let rows = try Row.fetchAll(db, sql: "SELECT guid, title FROM articles")
      var found: [String: String] = [:]
      for row in rows where found.updateValue(row["title"], forKey: row["guid"]) != nil {
        problems.append("the article \(row["guid"] as String) exists twice")
      }
      for (guid, title) in expected where found[guid] != title {
        problems.append("the article \(guid) is “\(found[guid] ?? "missing")”, expected “\(title)”")
      }
      if found.count > expected.count { problems.append("\(found.count - expected.count) articles too many") }
      let claims = try Int.fetchOne(db, sql: "SELECT count(*) FROM feed WHERE claim IS NOT NULL") ?? 0
      if claims > 0 { problems.append("\(claims) claims are left") }
      return problems
    }
  }

  private struct Run {
    let status: Int32
    let err: String
    let peakMemory: Int
  }

  private func run(_ arguments: [String]) async throws -> Run {
    let ending = try await start(arguments).end()
    return Run(
      status: ending.status, err: try String(contentsOfFile: folder.file("err"), encoding: .utf8),
      peakMemory: ending.peakMemory)
  }

  private func start(_ arguments: [String]) throws -> Command.Running {
    let error = try folder.write("err", [])
    return try Command.start(
      Command.builtProducts + "/crash-subject", arguments,
      environment: ["HOME": folder.path, "NEWSIMPORT_STORE": path, "LC_ALL": "C.UTF-8", "TZ": "UTC"],
      files: ["/dev/null", "/dev/null", error])
  }
}
