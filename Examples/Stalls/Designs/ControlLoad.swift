import Foundation
import ManagedContext
import Threading

/// The control: the same work on the same number of threads as the last design, without contexts and without a store.
///
/// Stalls of the main queue in this design result from the machine's own noise, and from sharing two or three
/// processors with three busy threads. The threads pace themselves, so that the work is spread over the same time.
final class ControlLoad: Design {
  /// The measured load of a run of the last design.
  struct Load: Codable, Sendable {
    /// The processor time of each of its threads, in seconds, without the main queue.
    var threads: [Double] = []
    /// The duration of the import, in seconds.
    var duration: Double = 0
    /// The duration of one small read from an idle store on the main queue, in seconds.
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
      // The main queue must not be blocked, so another thread waits.
      Thread.detachNewThread {
        running.wait { $0 == 0 ? () : nil }
        continuation.resume()
      }
    }
    threads.forEach { $0.join() }
  }

  /// Replaces a small read on the main queue: work in memory of the same duration.
  func read() {
    let start = ThreadClock.seconds
    var number = 0
    while ThreadClock.seconds - start < load.read {
      number += Record(number).content.utf8.count
    }
  }

  /// Creates and drops batches of records until the thread has used `seconds` of processor time, evenly over
  /// `duration`.
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
