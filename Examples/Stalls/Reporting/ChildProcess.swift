import Foundation

/// A second process of this program, which measures one run.
enum ChildProcess {
  /// Runs a plan in a separate process.
  ///
  /// - Throws: ``MeasuringError`` if the process fails; the process has then reported the reason on standard error.
  static func result(of plan: RunPlan) throws -> RunResult {
    // Foundation's Process calls posix_spawn(3) and handles file descriptors and signals correctly.
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
