import Foundation

/// This program once more, to measure one run.
enum ChildProcess {
  /// Runs a plan in a process of its own.
  ///
  /// - Throws: ``MeasuringError`` when it fails; it has said why on standard error.
  static func result(of plan: RunPlan) throws -> RunResult {
    // Foundation's Process is posix_spawn(3) with the care that file descriptors and signals need.
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
    process.arguments = ["--run", String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw MeasuringError("\(plan.design.rawValue) failed with \(plan.records) records")
    }
    return try JSONDecoder().decode(RunResult.self, from: answer)
  }
}
