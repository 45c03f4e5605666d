import Foundation
import ManagedContext
import Threading

/// The control: as much work on as many threads as the last design has, without a context and without a store.
///
/// What the main queue suffers here is the machine's own noise, and the price of sharing two or three processors
/// with three busy threads. The threads pace themselves, so that the work is spread over the same time.
final class ControlLoad: Design {
  /// What a run of the last design took.
  struct Load: Codable, Sendable {
    /// Processor seconds of each of its threads, the main queue's aside.
    var threads: [Double] = []
    /// How long the import took, in seconds.
    var duration: Double = 0
    /// How long the main queue works for one small read of an idle store, in seconds.
    var read: Double = 0
  }

  private let load: Load
  private let niceness: Int32
  var main: MainContext? { nil }

  init(_ load: Load, niceness: Int32) {
    self.load = load
    self.niceness = niceness
  }

  func run(_ workload: Workload) async throws {
    var threads: [OwnThread] = []
    let running = Monitor(load.threads.count)
    for (number, seconds) in load.threads.enumerated() {
      let load = load
      threads.append(
        try OwnThread(name: "worker \(number + 1)", niceness: niceness) {
          Self.work(for: seconds, over: load.duration)
          running.update { $0 -= 1 }
        })
    }
    await withCheckedContinuation { continuation in
      // The main queue must not wait, so that another thread does.
      Thread.detachNewThread {
        running.wait { $0 == 0 ? () : nil }
        continuation.resume()
      }
    }
    threads.forEach { $0.join() }
  }

  /// What stands for a small read on the main queue: as long, in memory.
  func read() {
    let start = ThreadClock.seconds
    var number = 0
    while ThreadClock.seconds - start < load.read {
      number += Record(number).content.utf8.count
    }
  }

  /// Makes and drops batches of records until the thread has used so much processor time, evenly over a time.
  private nonisolated static func work(for seconds: Double, over duration: Double) {
    let start = DispatchTime.now()
    let cpuStart = ThreadClock.seconds
    var batch: [Record] = []
    var number = 0
    while true {
      let used = ThreadClock.seconds - cpuStart
      if used >= seconds { return }
      let elapsed = start.elapsed
      let ahead = used / seconds * duration - elapsed
      if ahead > 0.002 { Thread.sleep(forTimeInterval: ahead) }
      for _ in 0..<Workload.batchSize {
        batch.append(Record(number))
        number += 1
      }
      if batch.count >= 10 * Workload.batchSize { batch.removeAll(keepingCapacity: true) }
    }
  }
}
