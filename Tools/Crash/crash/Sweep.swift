import CFaultVFS
import Foundation
import TestSupport
import Threading

/// Runs a scenario's command with a fault at every call, and checks the store after each.
struct Sweep: Sendable {
  let world: World
  let fault: Fault
  /// The distance between the numbers of calls; 1 for all.
  let step: Int
  /// The first number, from 1.
  let first: Int
  /// True if another program uses the store at the same time, each in turn.
  var hasCompanions = false
  /// The defect of a control.
  var defect: SeededDefect?

  struct Outcome: Sendable {
    /// The number of faults that happened.
    var faults = 0
    var problems: [String] = []
    /// The exit statuses with their numbers.
    var statuses: [Int32: Int] = [:]
  }

  /// Runs the command until the fault's number is not reached any more.
  func run() async throws -> Outcome {
    var outcome = Outcome()
    var (number, passes) = (first, 0)
    // Threads make the number of calls vary by a few: a single run that passes may not be the last.
    while passes < 3 {
      let folder = try world.folder(with: defect)
      let companion = companion(number)
      // An import takes less than a tenth of a second.
      let delay = Duration.milliseconds(number * 7 % 100)
      let companionAtWork = companion.map {
        RunningCompanion($0, world: world, folder: folder, delay: delay)
      }
      let run = try await world.run(in: folder, fault: fault.words(at: number), defect: defect)
      let complaints = try await companionAtWork?.end() ?? []
      if let call = run.failedCall {
        passes = 0
        outcome.faults += 1
        outcome.statuses[run.result.status, default: 0] += 1
        let beside = companion.map { " beside \($0)" } ?? ""
        let place = "\(world.scenario.name)\(beside): \(fault) at call \(number) (\(Fault.name(of: call)))"
        outcome.problems += (complaints + (await problems(after: run, in: folder))).map { "\(place): \($0)" }
      } else {
        passes += 1
      }
      number += step
    }
    return outcome
  }

  /// Returns the program that uses the store while the fault of this number happens.
  private func companion(_ number: Int) -> Companion? {
    guard hasCompanions else { return nil }
    let all = world.scenario.companions
    // With every n-th number, too, each has its turn.
    return all[(number / step + Int(fault.kind.rawValue)) % all.count]
  }

  private func problems(after run: Run, in folder: TemporaryFolder) async -> [String] {
    var problems = answerProblems(run)
    do {
      // Many faults come before the first change, and leave the same files.
      let files = try World.hash(of: folder)
      if run.result.status != 0, world.passed.withLock({ $0.contains(files) }) { return problems }
      let left = try StoreContents(path: folder.file("news.sqlite"))
      problems += StoreCheck(world: world).problems(in: left)
      if run.result.status == 0, world.scenario.name != "store backup" {
        problems += StoreCheck(world: world).differences(left.data, "although the exit status was 0")
      }
      let repair = try await world.repair(in: folder)
      try repair.check()
      let repaired = try StoreContents(path: folder.file("news.sqlite"))
      problems += StoreCheck(world: world).differences(repaired, "after a clean run")
      if problems.isEmpty { world.passed.withLock { _ = $0.insert(files) } }
    } catch {
      problems.append("\(error)")
    }
    return problems
  }

  /// Returns what is wrong with the exit status and the messages.
  private func answerProblems(_ run: Run) -> [String] {
    let (status, message) = (run.result.status, run.result.err)
    if fault.kills { return status == -9 || status == 137 ? [] : ["exit status \(status) instead of a kill"] }
    guard status != 0 else { return [] }
    // A file to attach that cannot be opened is refused as input.
    guard Self.statuses.contains(status) || (status == 65 && world.scenario.name == "store attach") else {
      return ["exit status \(status): \(message)"]
    }
    // A failure to open files that has passed has no cause any more. SQLite reports a journal that it could not truncate, and
    // an index of words that it could not read, in its own words.
    let unknown = ["unable to open", "disk I/O error", "readonly database", "vtable constructor failed"]
    let words = (fault.isFull ? ["full", "No space", "no space"] : ["Input/output"]) + unknown
    // The other program may hold a lock.
    if hasCompanions, status == 75 { return [] }
    let namesCause = message.split(separator: "\n").contains { line in
      line.hasPrefix("newsimport: ") && words.contains { line.contains($0) }
    }
    return namesCause ? [] : ["exit status \(status), and no line names the cause: \(message)"]
  }

  private static let statuses: Set<Int32> = [1, 69, 73, 74, 75]
}

/// Checks the contents of a store after an interruption.
struct StoreCheck: Sendable {
  let world: World

  /// Returns what a reader must not see: damage, and responses in parts.
  func problems(in contents: StoreContents) -> [String] {
    var problems = contents.damage.map { "damage: \($0)" } + partialResponses(contents.articles)
    for (feed, tag) in contents.validators {
      guard let tag, tag == world.after.validators[feed] ?? nil, tag != world.before.validators[feed] ?? nil,
        contents.articles[feed] != world.after.articles[feed]
      else { continue }
      problems.append("\(feed) has the validators of a body without all of its articles")
    }
    return problems
  }

  /// Returns the feeds with some of a response's articles, unless responses are saved in parts.
  func partialResponses(_ articles: [String: [String]]) -> [String] {
    guard world.scenario.wholeBytes == nil else { return [] }
    return articles.compactMap { feed, articles in
      [world.before.articles[feed] ?? [], world.after.articles[feed] ?? []].contains(articles)
        ? nil : "\(feed) has a part of a response: \(articles.count) articles"
    }
  }

  /// Returns how a store differs from the one that the command leaves without a fault.
  func differences(_ contents: StoreContents, _ occasion: String) -> [String] {
    let expected = contents.isDataOnly ? world.after.data : world.after
    guard contents != expected else { return [] }
    var parts: [String] = []
    let feeds = Set(contents.articles.keys).union(expected.articles.keys)
    for feed in feeds.sorted() where contents.articles[feed] != expected.articles[feed] {
      parts.append(
        "articles of \(feed): \(contents.articles[feed]?.count ?? 0), expected \(expected.articles[feed]?.count ?? 0)"
      )
    }
    if contents.validators != expected.validators { parts.append("validators") }
    if contents.rows != expected.rows {
      parts.append("rows \(Set(contents.rows).symmetricDifference(expected.rows).sorted())")
    }
    if contents.indexes != expected.indexes {
      parts.append("indexes \(Set(contents.indexes).symmetricDifference(expected.indexes).sorted())")
    }
    if contents.journalMode != expected.journalMode { parts.append("journal mode \(contents.journalMode)") }
    parts += contents.damage
    return ["\(occasion) the store differs: \(parts.joined(separator: "; "))"]
  }
}
