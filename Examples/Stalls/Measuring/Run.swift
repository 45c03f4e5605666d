import Dispatch
import Foundation
import ManagedContext
import SQLiteStore

/// The plan of one run, for the process that measures it.
struct RunPlan: Codable, Sendable {
  var design: DesignName
  var records: Int
  var niceness: Int32
  /// The folder for the stores; each run creates a store there and removes it.
  var folder: String
  /// The load that the control reproduces.
  var load = ControlLoad.Load()
}

/// The measurements of one process.
struct RunResult: Codable, Sendable {
  var plan: RunPlan
  var total: Double
  var heartbeat: Distribution
  var read: Distribution
  var peakMegabytes: Double
  /// The mean number of processors that other processes used during the run.
  var others: Double
  /// The load of the run, for the control to reproduce.
  var load: ControlLoad.Load
}

extension RunPlan {
  /// Imports the workload with the design, into a store of its own, while it measures the main queue.
  ///
  /// - Throws: ``MeasuringError`` if not every record is in the store afterwards, or if a read returned a wrong result;
  ///   otherwise the error of the design or the store.
  @MainActor
  func run() async throws -> RunResult {
    let path = folder + "/\(design.rawValue)-\(ProcessInfo.processInfo.processIdentifier)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var options = SQLiteStoreOptions()
    // The program is used interactively, so shorter pauses are worth more work in total.
    options.checkpointBytes = 512 << 10
    let store = try SQLiteStore(
      path: path + "/articles.sqlite", model: Article.model,
      identity: StoreIdentity(applicationID: 0x5354_414C), options: options)
    let coordinator = PersistentStoreCoordinator(model: Article.model, store: store)
    try Workload.putOlderRecords(into: coordinator)

    let design = design.makeDesign(over: coordinator, niceness: niceness, load: load)
    let probe =
      if let main = design.main {
        ReadProbe.reading(main)
      } else {
        ReadProbe { (design as? ControlLoad)?.read() }
      }
    let heartbeat = Heartbeat()
    let idleRead = try probe.idleDuration()
    heartbeat.begin()
    probe.begin()
    let meter = ProcessorMeter()
    let start = DispatchTime.now()
    try await design.run(Workload(records: records))
    let total = start.elapsed
    let others = meter.othersSinceStart
    let beats = heartbeat.end()
    let reads = try probe.end()

    try check(coordinator, design)
    return RunResult(
      plan: self, total: total, heartbeat: Distribution(beats), read: Distribution(reads),
      peakMegabytes: ProcessUsage.peakMegabytes, others: others,
      load: .init(threads: ProcessUsage.designThreads, duration: total, read: idleRead))
  }

  @MainActor
  private func check(_ coordinator: PersistentStoreCoordinator, _ design: any Design) throws {
    guard let main = design.main else { return }
    let expected = records + Workload.olderRecords
    let stored = try ManagedObjectContext(parent: coordinator).count(FetchRequest(Article.self))
    guard stored == expected else {
      throw MeasuringError("the store has \(stored) articles, not \(expected)")
    }
    let seen = try main.context.count(FetchRequest(Article.self))
    guard seen == expected else {
      throw MeasuringError("the main context sees \(seen) articles, not \(expected)")
    }
  }
}
