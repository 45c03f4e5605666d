import Foundation
import ManagedContext

/// Reports the measurements: as tables for the user, and as a file for programs.
struct Report {
  let comparison: Comparison

  /// Prints the tables, and compares the design of root, UI and workers with its aims.
  func print() {
    for records in comparison.options.records {
      let summaries = comparison.summaries.filter { $0.records == records }
      Console.print(
        "\(records) records, medians of \(comparison.options.repetitions) runs; times in ms, others: processors that other processes used"
      )
      lines(of: summaries).forEach(Console.print)
      Console.print("")
      if records == comparison.options.records.last { printAims(summaries) }
    }
    guard !comparison.nicenessSummaries.isEmpty else { return }
    Console.print("niceness of the root's and the workers' threads (root-ui-workers)")
    nicenessLines.forEach(Console.print)
  }

  /// Writes the medians of all designs as JSON.
  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try Self.write(try encoder.encode(comparison.summaries), to: path)
  }

  /// Draws the results of all designs for the largest number of records.
  func draw(to path: String) throws {
    let drawn = comparison.summaries.filter { $0.records == comparison.options.records.last }
    try Self.write(Data(StallsChart(drawn).svg.utf8), to: path)
  }

  private static func write(_ content: Data, to path: String) throws {
    let file = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try content.write(to: file)
  }

  private func lines(of summaries: [Summary]) -> [String] {
    var table = Table([
      "", "total s", "beat p50", "p99", "p99.9", "max", "read p50", "p99", "p99.9", "max", "peak MB",
      "others",
    ])
    for summary in summaries {
      let times = [summary.heartbeat, summary.read].flatMap { [$0.p50, $0.p99, $0.p999, $0.max] }
      table.append(
        [summary.design.rawValue, Console.number(summary.total, 2)]
          + times.map { Console.number($0, 2) } + [
            Console.number(summary.peakMegabytes, 0), Console.number(summary.others, 2),
          ])
    }
    return table.lines
  }

  private var nicenessLines: [String] {
    var table = Table(["", "total s", "beat p99", "p99.9", "max", "read p99", "others"])
    for summary in comparison.nicenessSummaries {
      table.append([
        summary.niceness == ThreadExecutor.idle ? "idle" : "niceness \(summary.niceness)",
        Console.number(summary.total, 2),
        Console.number(summary.heartbeat.p99, 2), Console.number(summary.heartbeat.p999, 2),
        Console.number(summary.heartbeat.max, 2), Console.number(summary.read.p99, 2),
        Console.number(summary.others, 2),
      ])
    }
    return table.lines
  }

  private func printAims(_ summaries: [Summary]) {
    guard let design = summaries.first(where: { $0.design == .rootUIWorkers }),
      let control = summaries.first(where: { $0.design == .control }), control.heartbeat.p999 > 0
    else { return }
    let ratio = design.heartbeat.p999 / control.heartbeat.p999
    Console.print(
      "root-ui-workers: heartbeat p99 \(Console.number(design.heartbeat.p99, 2)) ms (aim: under 2), "
        + "p99.9 \(Console.number(ratio, 2)) times the control's (aim: at most 1.5), "
        + "read p99 \(Console.number(design.read.p99, 2)) ms (aim: under 2)")
    Console.print("")
  }
}
