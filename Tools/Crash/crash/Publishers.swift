import ArgumentParser
import Foundation
import GRDB
import LoopbackServer
import TestSupport
import Threading

/// Runs several importers over one store at once, kills and stops some of them, and reads what the publishers have seen: all
/// runs must be one polite client.
struct Publishers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publishers",
    abstract: "Run importers at once, kill some, and check the connections and requests of each publisher.")

  @Option(help: "The number of rounds.") var rounds = 100
  @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1

  func run() async throws {
    var random = SeededGenerator(seed: seed)
    let round = try PoliteRounds()
    defer { round.stop() }
    var problems = 0
    for number in 1...rounds {
      for problem in try await round.play(number, &random) {
        problems += 1
        printLine("  PROBLEM round \(number): \(problem)")
      }
      if number % 20 == 0 { printLine("\(number) rounds, \(round.summary), \(problems) problems") }
    }
    printLine("\(rounds) rounds, \(round.summary), \(problems) problems")
    if problems > 0 { throw ExitCode.failure }
  }
}

/// One publisher: a server that answers slowly, or rejects everything for an hour.
private final class Publisher: Sendable {
  private struct Journal: Sendable {
    var requests: [String: Int] = [:]
    var rejects = false
  }

  let server: LoopbackHTTPServer
  private let journal: Locked<Journal>
  let feeds: Int
  private let target: String?

  /// - Parameters:
  ///   - feeds: The number of feeds. If there is a target, the first one redirects there.
  ///   - target: The address of another publisher; nil for none.
  init(feeds: Int, target: String?) throws {
    let journal = Locked(Journal())
    (self.journal, self.feeds, self.target) = (journal, feeds, target)
    let target = target ?? ""
    server = try LoopbackHTTPServer { request in
      let rejects = journal.withLock { journal in
        journal.requests[request.path, default: 0] += 1
        return journal.rejects
      }
      // The time for which a kill finds the request unanswered.
      usleep(20_000)
      if rejects { return .status(429, "Too Many Requests", headers: ["Retry-After: 3600"]) }
      if request.path.hasPrefix("/away") { return .redirect(302, to: target + request.path.dropFirst(5)) }
      return .ok(
        "<rss version=\"2.0\"><channel><title>t</title><item><guid>\(request.path)</guid></item></channel></rss>"
      )
    }
  }

  var addresses: [String] {
    (0..<feeds).map { $0 == 0 && target != nil ? server.url("/away/\(server.port)") : server.url("/\($0)") }
  }

  /// Begins a round.
  ///
  /// - Parameter rejects: True to reject all requests, for an hour.
  func begin(rejects: Bool) { journal.withLock { $0 = Journal(rejects: rejects) } }

  var requests: [String: Int] { journal.withLock { $0.requests } }
}

/// Rounds in which all feeds become due again, except those that are paused.
private final class PoliteRounds {
  private let publishers: [Publisher]
  private let folder: TemporaryFolder
  /// The publishers that have asked for a pause of an hour in an earlier round.
  private var paused: Set<Int> = []
  private var (runs, kills, stops, requests) = (0, 0, 0, 0)

  init() throws {
    folder = try TemporaryFolder()
    let large = try [60, 40, 20].map { try Publisher(feeds: $0, target: nil) }
    // The first feeds of the others redirect to the largest publisher, or to one that will reject requests.
    let small = try (0..<30).map { try Publisher(feeds: 8, target: large[$0 % 2].server.url("/target")) }
    publishers = large + small
  }

  func stop() { for publisher in publishers { publisher.server.stop() } }

  var summary: String { "\(runs) runs, \(kills) kills, \(stops) stops, \(requests) requests" }

  private var path: String { folder.file("news.sqlite") }

  /// What is special about a round.
  private enum Kind: Equatable {
    case usual
    /// One publisher rejects all requests, and asks for a pause of an hour.
    case rejects
    /// Importers poll also feeds that are not due.
    case byHand
    /// The clock of one importer is a day ahead or behind. For it, pauses are over or feeds are due again.
    case wrongClock(Int)

    init(_ number: Int) {
      self =
        switch number % 10 {
        case 4: .rejects
        case 7: .byHand
        // The next round has another store, without dates of this clock.
        case 0: .wrongClock(number % 20 == 0 ? 86_400 : -86_400)
        default: .usual
        }
    }

    /// The publisher that rejects all requests.
    static let rejecting = 1
  }

  func play(_ number: Int, _ random: inout SeededGenerator) async throws -> [String] {
    if number % 10 == 1 { try await beginStore() }
    let kind = Kind(number)
    for (place, publisher) in publishers.enumerated() {
      publisher.begin(rejects: kind == .rejects && place == Kind.rejecting)
    }
    try makeDue()
    try await disturb(kind, &random)
    var problems: [String] = []
    // What killed runs held is free at once.
    let status = try await start(["fetch", "--due", "-q"]).end()
    if status != 0, kind != .rejects {
      problems.append("a clean fetch ended with \(status): \(try errors())")
    }
    problems += try check(kind)
    if kind == .rejects { paused.insert(Kind.rejecting) }
    return problems
  }

  /// Begins a new store, with all feeds.
  private func beginStore() async throws {
    for ending in ["", "-wal", "-shm", "-locks"] {
      try? FileManager.default.removeItem(atPath: path + ending)
    }
    paused = []
    // Publishers alternate, so that parts have several of them.
    let addresses = (0..<60).flatMap { place in
      publishers.compactMap { place < $0.feeds ? $0.addresses[place] : nil }
    }
    _ = try await start(["region", "add", "world"] + addresses).end()
  }

  /// Makes all feeds due. Pauses stay.
  private func makeDue() throws {
    try write("UPDATE feed SET next_fetch = 0")
    try write("DELETE FROM fetch")
  }

  private func write(_ sql: String) throws {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    try queue.write { db in try db.execute(sql: sql) }
  }

  /// Runs three to five importers and another command at once; some are killed, or stopped for a moment. One has other settings.
  private func disturb(_ kind: Kind, _ random: inout SeededGenerator) async throws {
    var programs: [Command.Running] = []
    let victim = publishers[0].addresses.randomElement(using: &random) ?? ""
    let others = [
      ["feed", "rename", victim, "--title", "title"], ["feed", "remove", victim], ["list", "world"],
      ["feed", "rename", victim, publishers[2].server.url("/renamed")], ["stats"],
    ]
    for place in 0..<Int.random(in: 3...5, using: &random) {
      let jobs = [1, 16, 256].randomElement(using: &random) ?? 16
      let limits = place == 0 ? ["--per-host", "2"] : []
      let arguments = kind == .byHand ? ["fetch", "world"] : ["fetch", "--due"]
      var clock = 0
      if case .wrongClock(let seconds) = kind, place == 1 { clock = seconds }
      programs.append(try start(arguments + ["-q", "--jobs", "\(jobs)"] + limits, clock: clock))
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...30, using: &random)))
    }
    programs.append(try start(others.randomElement(using: &random) ?? ["stats"]))
    runs += programs.count
    for program in programs where Int.random(in: 0..<3, using: &random) > 0 {
      // The pause decides where the signal hits; no result depends on it.
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...200, using: &random)))
      if Int.random(in: 0..<4, using: &random) == 0 {
        program.signal(SIGSTOP)
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &random)))
        program.signal(SIGCONT)
        stops += 1
      } else {
        program.signal(SIGKILL)
        kills += 1
      }
    }
    for program in programs { _ = await program.end() }
  }

  /// Returns what is wrong after a round.
  private func check(_ kind: Kind) throws -> [String] {
    var hasWrongClock = false
    if case .wrongClock = kind { hasWrongClock = true }
    var problems: [String] = []
    for (place, publisher) in publishers.enumerated() {
      let seen = publisher.requests
      requests += seen.values.reduce(0, +)
      let most = publisher.server.mostConnectionsAtOnce
      if most > 4 { problems.append("publisher \(place) had \(most) connections at once") }
      if paused.contains(place), !seen.isEmpty, !hasWrongClock {
        problems.append("publisher \(place) got \(seen.values.reduce(0, +)) requests in its pause")
      }
    }
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    return try queue.read { db in
      problems += try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
      problems += try String.fetchAll(db, sql: "SELECT origin || ' is claimed' FROM publisher_claim")
      guard !hasWrongClock, kind != .byHand else { return problems }
      // An answer that was committed makes the feed not due. A second answer in the round would be a second request.
      problems += try String.fetchAll(
        db,
        sql: """
          SELECT f.url || ' has ' || count(*) || ' answers in one round' FROM fetch l JOIN feed f ON f.id = l.feed_id \
          GROUP BY f.id HAVING count(*) > 1
          """)
      let unpolled = try String.fetchAll(
        db,
        sql: """
          SELECT url FROM feed f WHERE EXISTS (SELECT 1 FROM membership WHERE feed_id = f.id) \
          AND NOT EXISTS (SELECT 1 FROM fetch WHERE feed_id = f.id)
          """)
      let isExcused = { (url: String) in
        // A redirect to a publisher that is paused has no answer.
        url.contains("/away/") && (kind == .rejects || !self.paused.isEmpty)
          || self.publishers.indices.contains {
            (self.paused.contains($0) || $0 == Kind.rejecting && kind == .rejects)
              && url.hasPrefix(self.publishers[$0].server.url(""))
          }
      }
      problems += unpolled.filter { !isExcused($0) }.map { "\($0) was not polled" }
      return problems
    }
  }

  private func errors() throws -> String { try String(contentsOfFile: folder.file("err"), encoding: .utf8) }

  private func start(_ arguments: [String], clock: Int = 0) throws -> Command.Running {
    let error = try folder.write("err", [])
    let environment = [
      "HOME": folder.path, "NEWSIMPORT_STORE": path, "LC_ALL": "C.UTF-8", "TZ": "UTC",
      "CRASH_CLOCK": "\(clock)",
    ]
    return try Command.start(
      Command.builtProducts + "/crash-subject", arguments, environment: environment,
      files: ["/dev/null", "/dev/null", error])
  }
}
