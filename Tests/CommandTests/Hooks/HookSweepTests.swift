import Foundation
import LoopbackServer
import TestSupport
import Testing
import Threading

/// Everything that deletes articles, beside fetches and a hook that fails now and then: no article is lost without a word.
@Suite struct HookSweepTests {
  /// The number of requests for each path: the first answer of a feed has no articles, so that each article is new.
  private let requests = Locked<[String: Int]>([:])
  private let newsimport: CommandRun
  private let server: LoopbackHTTPServer
  private let region: String
  private let output = Locked("")
  /// The number of feeds that were added.
  private let added = Counter()

  init() async throws {
    newsimport = try CommandRun()
    region = "world"
    let requests = requests
    server = try LoopbackHTTPServer { request in
      let path = request.path
      let count = requests.withLock { requests in
        requests[path, default: 0] += 1
        return requests[path, default: 0] - 1
      }
      // Three new articles in each answer, all of the past.
      let items = (max(0, count * 3 - 6)..<max(0, count * 3)).map { ("\(path) \($0)", "Title \(path) \($0)") }
      return .ok(TestFeed.rss(items))
    }
    try configure(fails: false)
    for _ in 0..<3 { try await addFeed() }
    try await run("fetch", "--all", "-q")
  }

  private var log: String { newsimport.folder.file("log") }

  private func configure(fails: Bool) throws {
    let script = try newsimport.folder.write(
      "hook.sh", (fails ? "cat >/dev/null; exit 1" : "cat >> '\(log)'").utf8)
    _ = try newsimport.folder.write(
      ".config/newsimport/config.toml",
      "[region.\(region)]\non_new = [\"/bin/sh\", \"\(script)\"]\nhook_batch = 5\n".utf8)
  }

  private func addFeed() async throws {
    added.increment()
    try await run("region", "add", region, server.url("/feed-\(added.value)"))
  }

  private func feeds() async throws -> [String] {
    try await newsimport("feed", "list", "--json").out.matches(of: #/"feed":"([^"]*)"/#).map {
      String($0.output.1)
    }
  }

  /// Runs a command, and keeps what it says.
  @discardableResult
  private func run(_ arguments: String...) async throws -> CommandRun.Result {
    let result = try await newsimport.run(arguments)
    output.withLock { $0 += result.err }
    return result
  }

  /// Runs a command beside fetches.
  private func besideFetches(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 { group.addTask { try await run("fetch", "--all", "-q") } }
      group.addTask { try await body() }
      try await group.waitForAll()
    }
  }

  /// The number of articles that hooks reported as deleted.
  private var reported: Int {
    output.withLock { text in
      text.matches(of: #/([0-9,]+) articles? w(?:as|ere) deleted before/#).reduce(0) {
        $0 + (Int($1.output.1.replacing(",", with: "")) ?? 0)
      }
    }
  }

  /// Lets the hook work, and returns the articles that were saved and that it did not get.
  private func lost() async throws -> Set<String> {
    try configure(fails: false)
    #expect(try await run("hooks", "run", "--retry").status == 0)
    server.stop()
    let changes = try await newsimport("changes", "--since", "0", "--json")
    let tokens = { (text: String, name: String) -> Set<String> in
      Set(
        try text.split(separator: "\n").compactMap { line in
          let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
          return json?["change"] as? String == "insert" ? json?[name] as? String : nil
        })
    }
    let saved = try tokens(changes.out, "token")
    #expect(saved.count > 20)
    return saved.subtracting(try tokens((try? String(contentsOfFile: log, encoding: .utf8)) ?? "", "event"))
  }

  @Test(arguments: seeds(4)) func `what deletes old articles and merges feeds loses none of a hook`(seed: Int)
    async throws
  {
    var generator = SeededGenerator(seed: UInt64(seed))
    for round in 0..<6 {
      try configure(fails: Bool.random(using: &generator))
      let kind = (round + seed) % 3
      try await besideFetches {
        switch kind {
        case 0: for _ in 0..<3 { try await run("prune", "--keep-last", "1", "--yes") }
        case 1:
          // A store on a server has no archive.
          if newsimport.schema != nil { break }
          for _ in 0..<2 {
            try await run(
              "archive", "--before", "2024-01-01", "--to", newsimport.folder.file("old.sqlite"))
          }
        default:
          let feeds = try await feeds()
          if feeds.count > 1 { try await run("feed", "rename", feeds[0], feeds[1], "--yes") }
        }
      }
      try await run("hooks", "run", "--retry")
      if kind == 2 { try await addFeed() }
    }
    let lost = try await lost()
    #expect(lost.count == 0 && reported == 0, "\(lost) \(output.withLock { $0 })")
  }

  @Test(arguments: seeds(4)) func `hooks report each article that is deleted with its feed`(seed: Int)
    async throws
  {
    var generator = SeededGenerator(seed: UInt64(seed))
    for round in 0..<5 {
      try configure(fails: Bool.random(using: &generator))
      try await besideFetches {
        let all = try await feeds()
        let removed = (round + seed).isMultiple(of: 3) ? all : [try #require(all.first)]
        for feed in removed { try await run("feed", "remove", feed, "--yes") }
      }
      try await run("hooks", "run", "--retry")
      for _ in 0..<2 { try await addFeed() }
      for _ in 0..<2 { try await run("fetch", "--all", "-q") }
    }
    let lost = try await lost()
    #expect(lost.count <= reported, "\(lost.count) lost, \(reported) reported: \(output.withLock { $0 })")
  }
}
