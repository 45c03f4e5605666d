import Dispatch
import ManagedContext

/// Runs a small indexed read on the main queue about every 5 ms during an import, like a list on the screen.
@MainActor
final class ReadProbe {
  private var timer: (any DispatchSourceTimer)?
  private var durations: [Double] = []
  private var failure: (any Error)?
  private let read: () throws -> Void

  /// - Parameter read: The operation to measure.
  init(_ read: @escaping () throws -> Void) {
    self.read = read
  }

  /// Creates a probe that reads one shelf of the older articles. The import does not change those shelves, so they stay
  /// full.
  static func reading(_ main: MainContext) -> ReadProbe {
    var generator = Generator(7)
    let shelves = Workload.olderRecords / Workload.shelfSize
    return ReadProbe {
      let shelf = -1 - generator.next(below: shelves)
      let found = try main.context.fetch(
        FetchRequest(Article.self, where: \.shelf == shelf, limit: Workload.shelfSize))
      guard found.count == Workload.shelfSize else {
        throw MeasuringError("a read found \(found.count) articles on shelf \(shelf)")
      }
    }
  }

  /// Starts a read every 5 ms.
  func begin() {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    self.timer = timer
    timer.schedule(deadline: .now(), repeating: .milliseconds(5), leeway: .nanoseconds(0))
    timer.setEventHandler { [weak self] in
      MainActor.assumeIsolated { self?.probe() }
    }
    timer.resume()
  }

  /// Stops the reads.
  ///
  /// - Returns: The duration of each read, in seconds.
  /// - Throws: The error of the first read that failed.
  func end() throws -> [Double] {
    timer?.cancel()
    if let failure { throw failure }
    return durations
  }

  /// Returns the median duration of a read while the process is otherwise idle, in seconds.
  func idleDuration() throws -> Double {
    for _ in 0..<200 { probe() }
    defer { durations = [] }
    return Array(try end().suffix(100)).median
  }

  private func probe() {
    let start = DispatchTime.now()
    do {
      try read()
    } catch {
      failure = failure ?? error
    }
    durations.append(start.elapsed)
  }
}

/// An error that invalidates a run.
struct MeasuringError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
