import Foundation
import ManagedContext

/// Runs every design again and again, each time in a process of its own, in turn.
///
/// In turn, because the machine is not equally quiet all the time; a process of its own, because memory that one
/// design has touched would be the next one's peak.
struct Comparison {
  let options: Options
  private(set) var summaries: [Summary] = []
  /// The design of root, UI and workers at several levels of niceness.
  private(set) var nicenessSummaries: [Summary] = []

  init(_ options: Options) {
    self.options = options
  }

  /// Runs everything.
  ///
  /// - Throws: ``MeasuringError`` when a process fails.
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
      // The control does what the design beside it has done a moment ago.
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
    // Nothing of this design runs beside the main queue.
    self.niceness = design == .blocking ? 0 : niceness
    runs = results.count
    total = results.map(\.total).median
    heartbeat = Distribution(mediansOf: results.map(\.heartbeat))
    read = Distribution(mediansOf: results.map(\.read))
    peakMegabytes = results.map(\.peakMegabytes).median
    others = results.map(\.others).median
  }
}
