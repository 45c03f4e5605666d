import ArgumentParser
import CFaultVFS
import Foundation
import GRDB
import TestSupport

/// Runs importers again and again over changing feeds, kills some of them, and checks the store after each round. In a second
/// store, articles are deleted beside the importers, and a hook waits for them.
struct Soak: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract: "Run importers that are killed at random, and check the store after each round.")

  @Option(help: "The number of rounds.") var rounds = 1000
  @Option(help: "The number of rounds after which a new store begins.") var renew = 8
  @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1

  func run() async throws {
    let feeds = try ChangingFeeds(count: 40)
    let prunedFeeds = try ChangingFeeds(count: 8)
    defer {
      feeds.stop()
      prunedFeeds.stop()
    }
    var random = SeededGenerator(seed: seed)
    var figures = Figures()
    var problems = 0
    var store = try SoakedStore(feeds: feeds)
    var pruned = try PrunedStore(feeds: prunedFeeds)
    for round in 1...rounds {
      if round % renew == 0 {
        try await store.end(&figures)
        store = try SoakedStore(feeds: feeds)
        pruned = try PrunedStore(feeds: prunedFeeds)
      }
      var found = try await store.play(round: round, &random, &figures)
      found += try await pruned.play(round: round, &random, &figures)
      problems += found.count
      for problem in found { printLine("  PROBLEM round \(round): \(problem)") }
      if round % 50 == 0 { printLine("\(round) rounds, \(figures.kills) kills, \(problems) problems") }
    }
    try await store.end(&figures)
    printLine("\(rounds) rounds, \(figures.runs) runs, \(figures.kills) kills, \(problems) problems")
    printLine(figures.summary)
    // A few runs say nothing about memory.
    if problems > 0 || (rounds >= 200 && !figures.areWithinLimits) { throw ExitCode.failure }
  }

  /// Numbers of all rounds.
  struct Figures {
    var runs = 0
    var kills = 0
    /// The peak memory of each clean fetch, in KiB.
    var fetchMemory: [Int] = []
    /// The peak memory of each `watch`, which lasts as long as its store, in KiB.
    var watchMemory: [Int] = []
    /// The open files of each `watch` after the first round of its store, and after the last one.
    var watchFiles: (first: [Int], last: [Int]) = ([], [])

    /// The medians of the first and of the last tenth.
    private static func ends(_ values: [Int]) -> (first: Int, last: Int) {
      let count = max(1, values.count / 10)
      return (median(values.prefix(count)), median(values.suffix(count)))
    }

    private static func median(_ part: ArraySlice<Int>) -> Int {
      part.sorted().dropFirst(part.count / 2).first ?? 0
    }

    private static func megabytes(_ kibibytes: Int) -> Int { (kibibytes << 10) / 1_000_000 }

    var summary: String {
      let memory = [("fetch", fetchMemory), ("watch", watchMemory)].map { name, values in
        let (first, last) = Self.ends(values)
        return
          "\(name): \(Self.megabytes(first)) MB in the first rounds, \(Self.megabytes(last)) MB in the last, "
          + "at most \(Self.megabytes(values.max() ?? 0)) MB"
      }
      let files =
        "open files of watch: \(Self.median(watchFiles.first[...])) after the first round of a store, "
        + "\(Self.median(watchFiles.last[...])) after the last"
      return (memory + [files]).joined(separator: "\n")
    }

    /// True if memory and open files do not grow, and memory is below its limits.
    var areWithinLimits: Bool {
      let isBelow = (fetchMemory.max() ?? 0) < Soak.fetchLimit && (watchMemory.max() ?? 0) < Soak.watchLimit
      let staysFlat = [fetchMemory, watchMemory].allSatisfy { values in
        let (first, last) = Self.ends(values)
        return last <= first + first / 10
      }
      return isBelow && staysFlat && Self.median(watchFiles.last[...]) <= Self.median(watchFiles.first[...])
    }
  }

  /// The memory that the commands may take, in KiB.
  private static let (fetchLimit, watchLimit) = (45_000_000 >> 10, 40_000_000 >> 10)
}

/// One store, over some rounds.
private struct SoakedStore {
  let feeds: ChangingFeeds
  private let folder: TemporaryFolder
  /// The title of each article that the store must have, by guid.
  private var expected: [String: String] = [:]
  /// `watch`, since the first round.
  private var watch: Command.Running?

  init(feeds: ChangingFeeds) throws {
    self.feeds = feeds
    folder = try TemporaryFolder()
  }

  mutating func play(
    round: Int, _ random: inout SeededGenerator, _ figures: inout Soak.Figures
  ) async throws -> [String] {
    feeds.begin(round: round, failures: 20)
    _ = try await start(["region", "add", "world"] + feeds.addresses).end()
    let isFirst = watch == nil
    if isFirst { watch = try start(["watch", "world", "--json"], state: "watch-state") }
    try await disturb(&random, &figures)
    feeds.recover()
    let status = try await start(["fetch", "world", "-q"], state: "fetch-state").end()
    let message = try folder.messages()
    figures.fetchMemory.append(Int(Run.state(of: folder.file("fetch-state")).peak_memory))
    if isFirst { figures.watchFiles.first.append(try openFiles()) }
    var problems = status == 0 ? [] : ["a clean fetch ended with \(status): \(message)"]
    for feed in 0..<feeds.count { expected.merge(ChangingFeeds.articles(feed, round: round)) { $1 } }
    problems += try check()
    return problems
  }

  func end(_ figures: inout Soak.Figures) async throws {
    guard let watch else { return }
    figures.watchFiles.last.append(try openFiles())
    watch.signal(SIGTERM)
    _ = await watch.end()
    figures.watchMemory.append(Int(Run.state(of: folder.file("watch-state")).peak_memory))
  }

  /// The number of files that `watch` has opened.
  private func openFiles() throws -> Int {
    guard let watch else { return 0 }
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/\(watch.process)/fd").count
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
    let queue = try DatabaseQueue(path: folder.file("news.sqlite"))
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
      let claims = try Int.fetchOne(db, sql: "SELECT count(*) FROM publisher_claim") ?? 0
      if claims > 0 { problems.append("\(claims) claims are left") }
      return problems
    }
  }

  /// Starts the program, which leaves its state (see ``Run/state(of:)``) in a file of this name.
  private func start(_ arguments: [String], state: String? = nil) throws -> Command.Running {
    var environment = folder.environment()
    environment["CRASH_STATE"] = state.map(folder.file)
    return try folder.start(arguments, environment, errors: state == "watch-state" ? "watch-err" : "err")
  }
}
