import Foundation
import LoopbackServer
import TestSupport
import Testing
import Threading

@testable import NewsCommand
@testable import NewsConfiguration

@Suite struct CronCommandTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  @Test func `a persistent failure is reported once, and its end once`() async throws {
    let isBroken = Locked(true)
    let server = try LoopbackHTTPServer { request in
      request.path == "/bad" && isBroken.withLock { $0 } ? .status(500) : .ok(TestFeed.rss(count: 1))
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/bad"), server.url("/good"))
    let silent = CommandRun.Result(status: 0, out: "", err: "")
    func run() async throws -> CommandRun.Result {
      try await newsimport("fetch", "world", "--quiet", "--report-after", "2")
    }
    #expect(try await run() == silent)
    let told = try await run()
    #expect(told.status == 1 && told.out == "")
    #expect(told.err.hasPrefix("newsimport: \(server.url("/bad")): HTTP 500"))
    #expect(told.err.contains(", 2nd failure in a row; ") && told.err.split(separator: "\n").count == 1)
    #expect(try await run() == silent)
    isBroken.withLock { $0 = false }
    #expect(
      try await run()
        == .init(status: 0, out: "", err: "newsimport: \(server.url("/bad")): works again after 3 failures\n")
    )
    #expect(try await run() == silent)
    #expect(try await newsimport("fetch", "world", "--report-after", "0").status == 64)
  }

  @Test func `a terminal shows no progress of a fetch with nothing due`() async throws {
    let server = try LoopbackHTTPServer { _ in .ok(TestFeed.rss(count: 1)) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/"))
    let first = try await newsimport.run(["fetch", "--due"], on: try Terminal(columns: 80))
    #expect(first.out.contains("0/1"), "\(first)")
    let second = try await newsimport.run(["fetch", "--due"], on: try Terminal(columns: 80))
    #expect(second.out.contains("nothing due; next at") && !second.out.contains("0/0"), "\(second)")
  }

  @Test func `failures during a run by hand are reported by the next run that reports`() async throws {
    let isBroken = Locked(true)
    let server = try LoopbackHTTPServer { request in
      request.path == "/bad" && isBroken.withLock { $0 } ? .status(500) : .ok(TestFeed.rss(count: 1))
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/bad"), server.url("/good"))
    for _ in 0..<3 { _ = try await newsimport("fetch", "world", "--quiet") }
    #expect(try await newsimport("fetch", "world", "--quiet", "--report-after", "9").err == "")
    let told = try await newsimport("fetch", "world", "--quiet", "--report-after", "2")
    #expect(told.status == 1 && told.err.contains(", 5th failure in a row; "))
    #expect(try await newsimport("fetch", "world", "--quiet", "--report-after", "2").err == "")
    isBroken.withLock { $0 = false }
    _ = try await newsimport("fetch", "world", "--quiet")
    let due = ["fetch", "--due", "--quiet", "--report-after", "2"]
    #expect(
      try await newsimport.run(due)
        == .init(status: 0, out: "", err: "newsimport: \(server.url("/bad")): works again\n"))
    #expect(try await newsimport.run(due).err == "")
    // A feed that worked in between counts as failing again, even if only runs by hand saw it.
    isBroken.withLock { $0 = true }
    for _ in 0..<2 { _ = try await newsimport("fetch", "world", "--quiet", "--report-after", "2") }
    isBroken.withLock { $0 = false }
    _ = try await newsimport("fetch", "world", "--quiet")
    isBroken.withLock { $0 = true }
    for _ in 0..<3 { _ = try await newsimport("fetch", "world", "--quiet") }
    #expect(
      try await newsimport("fetch", "world", "-q", "--report-after", "2").err.contains(
        ", 4th failure in a row; "))
    #expect(try await newsimport("fetch", "world", "-q", "--report-after", "2").err == "")
    isBroken.withLock { $0 = false }
    #expect(try await newsimport("fetch", "world", "-q", "--report-after", "2").err.contains("works again"))
    // The record of reports is deleted with the feed.
    isBroken.withLock { $0 = true }
    _ = try await newsimport("fetch", "world", "--quiet", "--report-after", "1")
    #expect(try await newsimport("feed", "remove", server.url("/bad"), "--yes").status == 0)
    #expect(try await newsimport("store", "check").status == 0)
  }

  @Test func `a feed that ended is reported immediately, and again if it is added again and ends again`()
    async throws
  {
    let isBack = Locked(false)
    let server = try LoopbackHTTPServer { _ in
      isBack.withLock { $0 } ? .ok(TestFeed.rss(count: 1)) : .status(410, "Gone")
    }
    defer { server.stop() }
    let feed = server.url("/feed")
    let add = ["region", "add", "world", feed]
    func run() async throws -> CommandRun.Result {
      try await newsimport("fetch", "--due", "--quiet", "--report-after", "3")
    }
    let silent = CommandRun.Result(status: 0, out: "", err: "")
    let ended =
      "newsimport: \(feed): HTTP 410 (gone); the publisher ended the feed; it is not polled again "
      + "unless you add it again (newsimport region add)\n"
    _ = try await newsimport.run(add)
    #expect(try await run() == .init(status: 69, out: "", err: ended))
    #expect(try await run() == silent && server.requests.count == 1)
    _ = try await newsimport.run(add)
    #expect(try await run() == .init(status: 69, out: "", err: ended), "whoever added it wants to know")
    _ = try await newsimport.run(add)
    isBack.withLock { $0 = true }
    #expect(try await run() == silent, "it starts anew, without failures that would be over")
    #expect(server.requests.count == 3)
  }

  @Test func `a run with many failing feeds names twenty and counts the others`() async throws {
    let server = try LoopbackHTTPServer { _ in .status(500) }
    defer { server.stop() }
    _ = try await newsimport.run(["region", "add", "world"] + (0..<25).map { server.url("/\($0)") })
    let told = try await newsimport("fetch", "world", "--quiet", "--report-after", "1")
    let lines = told.err.split(separator: "\n")
    #expect(told.status == 69 && lines.count == 21)
    #expect(
      lines.last == "newsimport: 5 other feeds also failed; newsimport doctor lists all")
  }

  @Test func `the metrics of a run are written for a collector`() async throws {
    let server = try LoopbackHTTPServer { request in
      request.path == "/bad" ? .status(500) : .ok(TestFeed.rss(count: 3))
    }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "the \"world\"", server.url("/bad"), server.url("/good"))
    let file = newsimport.folder.file("metrics.prom")
    _ = try newsimport.folder.write("metrics.prom", "old".utf8)
    let result = try await newsimport("fetch", "--all", "--quiet", "--metrics", file)
    #expect(result.status == 1)
    let numbers = try StrictMetrics(try String(contentsOfFile: file, encoding: .utf8)).samples
    #expect(numbers["newsimport_run_exit_status"] == 1)
    #expect(numbers["newsimport_run_feeds{outcome=\"failed\"}"] == 1)
    #expect(numbers["newsimport_run_feeds{outcome=\"updated\"}"] == 1)
    #expect(numbers["newsimport_run_articles{change=\"new\"}"] == 3)
    #expect(numbers["newsimport_articles{region=\"the \\\"world\\\"\"}"] == 3)
    #expect(numbers["newsimport_feeds{region=\"the \\\"world\\\"\",state=\"failing\"}"] == 1)
    #expect((numbers["newsimport_run_body_bytes"] ?? 0) > 100)
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o644)
    let files = try FileManager.default.contentsOfDirectory(atPath: newsimport.folder.path)
    #expect(!files.contains { $0.contains("part") })
    #expect(numbers["newsimport_polls_total{outcome=\"updated\"}"] == 1)
    #expect(numbers["newsimport_poll_failures_total{cause=\"http-status\"}"] == 1)
    #expect(numbers["newsimport_imported_articles_total{change=\"new\"}"] == 3)
    // Counters count all runs, also those without metrics.
    _ = try await newsimport("fetch", "--all", "-q")
    _ = try await newsimport("fetch", "--all", "-q", "--metrics", file)
    let later = try StrictMetrics(try String(contentsOfFile: file, encoding: .utf8)).samples
    #expect(later["newsimport_polls_total{outcome=\"not_modified\"}"] == 2)
    #expect(later["newsimport_polls_total{outcome=\"failed\"}"] == 3)
    #expect(later["newsimport_poll_failures_total{cause=\"http-status\"}"] == 3)
    #expect(later["newsimport_imported_articles_total{change=\"new\"}"] == 3)
    #expect(later["newsimport_received_bytes_total"] == numbers["newsimport_run_body_bytes"].map { $0 * 3 })
    let unwritable = try await newsimport("fetch", "--all", "-q", "--metrics", "/proc/none/metrics.prom")
    #expect(unwritable.status == 1, "the failures of feeds go first")
    _ = try await newsimport("feed", "remove", "/bad", "--yes")
    let told = try await newsimport("fetch", "--all", "-q", "--metrics", "/proc/none/metrics.prom")
    #expect(told.status == 73 && told.err.contains("what was fetched is saved"))
  }
}

@Suite struct OpenMetricsTests {
  @Test func `the text follows the format's grammar`() throws {
    var metrics = OpenMetrics()
    metrics.add("a_seconds", "A \"line\"\nwith \\ in it.", 1.5)
    metrics.add("b", "B.", [([("x", "1"), ("y", "\"\\\n")], 3), ([], 1e20)])
    metrics.add("none", "Nothing.", [])
    metrics.add("c", "C.", [([("x", "1")], 2)], kind: .counter)
    #expect(
      metrics.text == """
        # TYPE a_seconds gauge
        # HELP a_seconds A \\"line\\"\\nwith \\\\ in it.
        a_seconds 1.5
        # TYPE b gauge
        # HELP b B.
        b{x="1",y="\\"\\\\\\n"} 3
        b 1e+20
        # TYPE c counter
        # HELP c C.
        c_total{x="1"} 2
        # EOF

        """)
    #expect(try StrictMetrics(metrics.text).samples.count == 4)
  }

  @Test(arguments: [
    "a 1\n# EOF\n", "# TYPE a gauge\na 1\n", "# TYPE a gauge\na 1\n# EOF", "# TYPE a counter\na 1\n# EOF\n",
    "# TYPE a gauge\na 1\na 2\n# EOF\n", "# TYPE a gauge\na x\n# EOF\n",
    "# TYPE a gauge\na{b=\"\"c} 1\n# EOF\n",
  ]) func `text that violates the grammar is found`(text: String) {
    #expect(throws: StrictMetrics.Mistake.self) { try StrictMetrics(text) }
  }
}

/// Reads OpenMetrics text with gauges and counters only, and refuses text that the format does not allow.
struct StrictMetrics {
  struct Mistake: Error {
    let line: String
  }

  /// The values by their names with labels.
  private(set) var samples: [String: Double] = [:]

  init(_ text: String) throws {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.popLast() == "", lines.popLast() == "# EOF" else { throw Mistake(line: "EOF") }
    var families: Set<String> = []
    var name = ""
    var isCounter = false
    for line in lines {
      if let match = line.wholeMatch(of: #/# TYPE ([a-z_]+) (gauge|counter)/#) {
        name = String(match.output.1)
        isCounter = match.output.2 == "counter"
        guard families.insert(name).inserted else { throw Mistake(line: line) }
      } else if line.hasPrefix("# HELP \(name) "), !name.isEmpty {
        continue
      } else {
        let label = #/[a-z_]+="(?:[^"\\]|\\["\\n])*"/#
        let sample = #/([a-z_]+)(\{[^ ].*\})? ([-+.0-9eE]+)/#
        guard let match = line.wholeMatch(of: sample), let value = Double(match.output.3),
          match.output.1 == name + (isCounter ? "_total" : "")
        else { throw Mistake(line: line) }
        var labels = (match.output.2 ?? "{}").dropFirst().dropLast()
        while !labels.isEmpty {
          guard let next = labels.prefixMatch(of: label) else { throw Mistake(line: line) }
          labels = labels[next.range.upperBound...]
          if labels.first == "," {
            labels = labels.dropFirst()
          } else if !labels.isEmpty {
            throw Mistake(line: line)
          }
        }
        let key = String(match.output.1) + (match.output.2 ?? "")
        guard samples.updateValue(value, forKey: key) == nil else { throw Mistake(line: line) }
      }
    }
  }
}
