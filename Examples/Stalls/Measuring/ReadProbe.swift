import Dispatch
import ManagedContext

/// A small indexed read on the main queue, every 5 ms or so while an import runs: what a list on the screen asks.
@MainActor
final class ReadProbe {
  private var timer: (any DispatchSourceTimer)?
  private var durations: [Double] = []
  private var failure: (any Error)?
  private let read: () throws -> Void

  /// - Parameter read: What is timed.
  init(_ read: @escaping () throws -> Void) {
    self.read = read
  }

  /// Reads one shelf of the older articles, which is full whatever the import does.
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

  /// Begins to read every 5 ms.
  func begin() {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    self.timer = timer
    timer.schedule(deadline: .now(), repeating: .milliseconds(5), leeway: .nanoseconds(0))
    timer.setEventHandler { [weak self] in
      MainActor.assumeIsolated { self?.probe() }
    }
    timer.resume()
  }

  /// Stops.
  ///
  /// - Returns: How long each read took, in seconds.
  /// - Throws: What was wrong with the first read that failed.
  func end() throws -> [Double] {
    timer?.cancel()
    if let failure { throw failure }
    return durations
  }

  /// How long a read takes while nothing else happens, in seconds.
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

/// What makes a run worthless.
struct MeasuringError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
