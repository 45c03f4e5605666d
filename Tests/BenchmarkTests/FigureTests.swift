import Foundation
import Testing

@testable import bench

struct FigureTests {
  @Test func `the median of each figure is computed by itself`() {
    let measure = Measure(
      "x",
      runs: [Sample(cpu: 3, wall: 1, rows: 5), Sample(cpu: 1, wall: 9, rows: 5), Sample(cpu: 2, wall: 2)])
    #expect(measure.median == Sample(cpu: 2, wall: 2, rows: 5))
    #expect(Measure("nothing").median == Sample())
  }

  @Test func `one slow run of three does not move the median`() {
    #expect(Measure("x", runs: [1, 1.1, 40].map { Sample(cpu: $0) }).median.cpu == 1.1)
  }

  private let report = BenchmarkReport(
    subject: "some feeds",
    measures: [
      Measure("parse", partOf: .init("cold"), runs: [Sample(cpu: 1, wall: 1, bytes: 2_000_000)]),
      Measure("commit", partOf: .init("cold"), runs: [Sample(cpu: 2)]),
      Measure("lookup", partOf: .init("changed", part: 0.25), runs: [Sample(cpu: 2)]),
      Measure("cold", runs: [Sample(cpu: 4, wall: 2, rows: 9, peak: 3 << 20)]),
      Measure("changed", runs: [Sample(cpu: 1)]),
      Measure("stray", partOf: .init("nowhere"), runs: [Sample(cpu: 1)]),
    ])

  @Test func `a stage's share refers to its import`() {
    #expect(report.measures.map(report.share) == [0.25, 0.5, 0.5, nil, nil, nil])
  }

  @Test func `the rest is the time that no stage covers`() {
    #expect(report.rest(of: "cold") == 1)
    #expect(report.rest(of: "nowhere") == nil)
  }

  @Test func `the table has a line for each measure`() {
    let lines = report.table.split(separator: "\n").map(String.init)
    #expect(lines[0] == "some feeds; medians of 1 interleaved rounds")
    #expect(lines[2].contains("25 % of cold"))
    #expect(lines.filter { $0.hasPrefix("the rest") }.count == 1)
    #expect(lines.contains { $0.hasPrefix("the rest") && $0.hasSuffix("25 % of cold") })
    #expect(lines.contains { $0.hasPrefix("cold") && $0.hasSuffix("2.00") })
    #expect(lines.allSatisfy { !$0.hasSuffix(" ") })
  }

  @Test func `the JSON has medians, shares and runs`() throws {
    let object = try #require(try JSONSerialization.jsonObject(with: report.json) as? [String: Any])
    let measures = try #require(object["measures"] as? [[String: Any]])
    #expect(measures.map { $0["name"] as? String }.count == 6)
    #expect(measures[1]["share"] as? Double == 0.5)
    #expect((measures[1]["runs"] as? [Any])?.count == 1)
  }
}

struct StageCountTests {
  private let kept = StageCounts(
    command: "make counts", versions: ["SQLite": "3.40.1"],
    counts: ["parse": [.instructions: 1000], "commit": [.instructions: 2000]])

  private func counts(parse: Int, commit: Int, sqlite: String = "3.40.1") -> StageCounts {
    StageCounts(
      command: "make counts", versions: ["SQLite": sqlite],
      counts: ["parse": [.instructions: parse], "commit": [.instructions: commit]])
  }

  @Test(arguments: [(1000, 2000), (1020, 2040), (10, 10)])
  func `counts within or below the tolerance are accepted`(parse: Int, commit: Int) {
    guard case .kept(let lines) = kept.verdict(on: counts(parse: parse, commit: commit))
    else {
      Issue.record("not kept")
      return
    }
    #expect(lines.count == 2)
  }

  @Test func `a stage above the tolerance is named`() {
    let verdict = kept.verdict(on: counts(parse: 1021, commit: 2000))
    #expect(
      verdict
        == .exceeded(["commit: 2000 instructions, +0.0 %", "parse: 1021 instructions, +2.1 %  too many"]))
  }

  @Test func `for a stage with fewer instructions the report suggests an update`() {
    let verdict = kept.verdict(on: counts(parse: 900, commit: 2000))
    #expect(
      verdict
        == .kept([
          "commit: 2000 instructions, +0.0 %", "parse: 900 instructions, -10.0 %  fewer: update the count",
        ]))
  }

  @Test func `a difference below the printed precision has no sign`() {
    let before = StageCounts(command: "", versions: [:], counts: ["parse": [.instructions: 1_000_000]])
    let after = StageCounts(command: "", versions: [:], counts: ["parse": [.instructions: 999_999]])
    #expect(
      before.verdict(on: after) == .kept(["parse: 999999 instructions, +0.0 %"]))
  }

  @Test func `counts with other library versions are not compared`() {
    let verdict = kept.verdict(on: counts(parse: 1, commit: 1, sqlite: "3.50.0"))
    #expect(verdict == .incomparable("SQLite 3.50.0 instead of 3.40.1"))
  }

  @Test func `cache misses may grow by half`() {
    func counts(_ misses: Int) -> StageCounts {
      StageCounts(command: "", versions: [:], counts: ["parse": [.dataMisses: misses]])
    }
    #expect(counts(1000).verdict(on: counts(1500)) == .kept(["parse: 1500 D1 misses, +50.0 %"]))
    #expect(counts(1000).verdict(on: counts(1501)) == .exceeded(["parse: 1501 D1 misses, +50.1 %  too many"]))
  }

  @Test func `counts of other stages are not compared`() {
    var other = kept
    other.counts["rows"] = [.instructions: 1]
    #expect(kept.verdict(on: other) == .incomparable("other stages are counted"))
  }
}
