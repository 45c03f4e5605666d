import Foundation
import TestSupport
import Threading

/// A store from which articles are deleted beside fetches, while a hook waits for them. Each new article must reach the hook.
struct PrunedStore: Sendable {
  private let feeds: ChangingFeeds
  private let folder: TemporaryFolder
  /// The guids of the articles that the hook must have got.
  private var expected: Set<String> = []
  private var isFirst = true

  init(feeds: ChangingFeeds) throws {
    self.feeds = feeds
    folder = try TemporaryFolder()
    _ = try folder.write(
      ".config/newsimport/config.toml",
      """
      [region.world]
      on_new = ["/bin/sh", "-c", "cat >> '\(folder.file("got"))'"]
      hook_batch = 10
      """.utf8)
  }

  /// Runs importers and deletions at once, kills some of them, and returns what the hook did not get after a clean run.
  mutating func play(
    round: Int, _ random: inout SeededGenerator, _ figures: inout Soak.Figures
  ) async throws -> [String] {
    // Several articles are new in each document, so that some of them are old enough to be deleted.
    let first = round * Self.steps * Self.step
    if isFirst {
      // The articles of a first import are not the hook's.
      feeds.begin(round: first - Self.step, failures: 0)
      _ = try await start(["region", "add", "world"] + feeds.addresses).end()
      _ = try await start(["fetch", "world", "-q"]).end()
      isFirst = false
    }
    try await disturb(from: first, &random, &figures)
    feeds.recover()
    let status = try await start(["fetch", "world", "-q"]).end()
    var problems: [String] = []
    if status != 0, status != 1 {
      problems.append("a clean fetch with a hook ended with \(status): \(try folder.messages())")
    }
    // The command of a run that was killed may still run.
    var ended: Int32 = 75
    for _ in 0..<100 where ended != 0 {
      ended = try await start(["hooks", "run"]).end()
      if ended != 0 { try await Task.sleep(for: .milliseconds(20)) }
    }
    if ended != 0 { problems.append("hooks run ended with \(ended): \(try folder.messages())") }
    let text = (try? String(contentsOfFile: folder.file("got"), encoding: .utf8)) ?? ""
    let missing = expected.subtracting(text.matches(of: #/"guid":"([^"]*)"/#).map { String($0.output.1) })
    if !missing.isEmpty {
      problems.append("\(missing.count) articles did not reach the hook: \(missing.sorted().prefix(5))")
      expected.subtract(missing)
    }
    return problems
  }

  private mutating func disturb(
    from first: Int, _ random: inout SeededGenerator, _ figures: inout Soak.Figures
  ) async throws {
    for step in 0..<Self.steps {
      feeds.begin(round: first + step * Self.step, failures: 20)
      // Those of the first document may have left the last one, which is certainly read.
      if step > 0 { expect(first + step * Self.step) }
      let fetch = try start(["fetch", "world", "-q"])
      let isOver = Locked(false)
      let seeds = (0..<2).map { _ in UInt64.random(in: 0...(.max), using: &random) }
      let store = self
      let isKilled = Int.random(in: 0..<6, using: &random) == 0
      let (runs, kills) = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
        for seed in seeds {
          group.addTask { try await store.delete(SeededGenerator(seed: seed), until: isOver) }
        }
        if isKilled {
          try await Task.sleep(for: .milliseconds(100))
          fetch.signal(SIGKILL)
        }
        _ = await fetch.end()
        isOver.withLock { $0 = true }
        return try await group.reduce(into: (1, isKilled ? 1 : 0)) {
          ($0.0, $0.1) = ($0.0 + $1.0, $0.1 + $1.1)
        }
      }
      figures.runs += runs
      figures.kills += kills
    }
  }

  /// Deletes articles again and again while others fetch, and kills some of the deletions.
  ///
  /// - Returns: The numbers of deletions and kills.
  private func delete(
    _ generator: SeededGenerator, until isOver: Locked<Bool>
  ) async throws -> (runs: Int, kills: Int) {
    let deletions = [
      ["prune", "--keep-last", "1", "--yes"], ["prune", "--keep-last", "3", "--yes"],
      ["archive", "--before", "2100-01-01", "--to", folder.file("old.sqlite")],
    ]
    var random = generator
    var (runs, kills) = (0, 0)
    while !isOver.withLock(\.self) {
      let program = try start(deletions.randomElement(using: &random) ?? deletions[0])
      runs += 1
      if Int.random(in: 0..<8, using: &random) == 0 {
        // A pause of random length decides where the kill hits; no result depends on it.
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &random)))
        program.signal(SIGKILL)
        kills += 1
      }
      _ = await program.end()
    }
    return (runs, kills)
  }

  /// The numbers of documents in each round and of new articles in each document.
  private static let (steps, step) = (4, 4)

  /// Notes that the hook must get the new articles of a document.
  private mutating func expect(_ round: Int) {
    for feed in 0..<feeds.count {
      let (new, old) = (
        ChangingFeeds.articles(feed, round: round), ChangingFeeds.articles(feed, round: round - Self.step)
      )
      expected.formUnion(Set(new.keys).subtracting(old.keys))
    }
  }

  private func start(_ arguments: [String]) throws -> Command.Running {
    var environment = folder.environment()
    environment["PATH"] = "/usr/bin:/bin"
    return try folder.start(arguments, environment)
  }
}
