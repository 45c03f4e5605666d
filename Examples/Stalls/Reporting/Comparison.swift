import Foundation
import ManagedContext

/// Runs every design repeatedly and in turn, each run in a separate process.
///
/// The designs take turns because the noise of the machine varies over time. Separate processes are needed because
/// memory that one design has touched would count as the peak of the next one.
struct Comparison {
  let options: Options
  private(set) var summaries: [Summary] = []
  /// The results of the design of root, UI and workers at several levels of niceness.
  private(set) var nicenessSummaries: [Summary] = []

  init(_ options: Options) {
    self.options = options
  }

  /// Runs all designs with all numbers of records.
  ///
  /// - Throws: ``MeasuringError`` if a process fails.
  mutating func run() throws {
    for records in options.records {
      let isLast = records == options.records.last
      let others: [Int32] =
        isLast && options.designs.contains(.rootUIWorkers) ? [0, 10, 19, ThreadExecutor.idle] : []
      try run(records, nicenessLevels: others)
    }
  }

  private mutating func run(_ records: Int, nicenessLevels: [Int32]) throws {
    var results: [DesignName: [RunResult]] = [:]
    var byNiceness: [Int32: [RunResult]] = [:]
    for round in 1...options.repetitions {
      var load = ControlLoad.Load()
      // The control reproduces the load of the run before it.
      if options.designs.contains(.rootUIWorkers) || options.designs.contains(.control) {
        let result = try result(of: .rootUIWorkers, records, options.niceness, round, load)
        load = result.load
        results[.rootUIWorkers, default: []].append(result)
        byNiceness[options.niceness, default: []].append(result)
      }
      for design in options.designs where design != .rootUIWorkers {
        results[design, default: []].append(
          try result(of: design, records, options.niceness, round, load))
      }
      for level in nicenessLevels where level != options.niceness {
        byNiceness[level, default: []].append(
          try result(of: .rootUIWorkers, records, level, round, load))
      }
    }
    summaries += options.designs.map { Summary(results[$0] ?? [], $0, records, options.niceness) }
    if !nicenessLevels.isEmpty {
      nicenessSummaries = byNiceness.sorted { $0.key < $1.key }.map {
        Summary($0.value, .rootUIWorkers, records, $0.key)
      }
    }
  }

  private func result(
    of design: DesignName, _ records: Int, _ niceness: Int32, _ round: Int, _ load: ControlLoad.Load
  ) throws -> RunResult {
    let plan = RunPlan(
      design: design, records: records, niceness: niceness, folder: options.folder, load: load)
    let result = try ChildProcess.result(of: plan)
    Console.note(
      "\(records) records, run \(round) of \(options.repetitions), \(design.rawValue), niceness \(niceness): "
        + "\(Console.number(result.total, 2)) s, heartbeat p99.9 \(Console.number(result.heartbeat.p999, 2)) ms"
    )
    return result
  }
}

/// The medians of several runs of a design.
struct Summary: Codable {
  let design: DesignName
  let records: Int
  let niceness: Int32
  let runs: Int
  let total: Double
  let heartbeat: Distribution
  let read: Distribution
  let peakMegabytes: Double
  let others: Double

  enum CodingKeys: String, CodingKey {
    case design, records, niceness, runs
    case total = "total_s"
    case heartbeat = "heartbeat_ms"
    case read = "read_ms"
    case peakMegabytes = "peak_mb"
    case others = "others_cpu"
  }

  init(_ results: [RunResult], _ design: DesignName, _ records: Int, _ niceness: Int32) {
    self.design = design
    self.records = records
    // This design has no threads other than the main queue's.
    self.niceness = design == .blocking ? 0 : niceness
    runs = results.count
    total = results.map(\.total).median
    heartbeat = Distribution(mediansOf: results.map(\.heartbeat))
    read = Distribution(mediansOf: results.map(\.read))
    peakMegabytes = results.map(\.peakMegabytes).median
    others = results.map(\.others).median
  }
}
