import Foundation
import TestSupport

#if canImport(Glibc)
  import Glibc
#endif

/// Runs the built command as a user would: a store of its own, nothing of the user's.
struct CommandRun: Sendable {
  /// How a run ended.
  struct Result: Sendable, Equatable {
    var status: Int32
    var out: String
    var err: String
  }

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  var store: String { folder.file("news.db") }

  /// The command that was built with the tests stands beside them.
  private static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("newsimport")

  /// Runs to the end.
  func callAsFunction(_ arguments: String..., input: String? = nil) async throws -> Result {
    try await start(arguments, input: input).result()
  }

  /// Starts without waiting.
  func start(_ arguments: [String], input: String? = nil) throws -> Running {
    try Running(Self.program, arguments, folder: folder, store: store, input: input)
  }

  /// A command that runs.
  final class Running: Sendable {
    private let process: Process
    private let outPath: String
    private let errPath: String
    private let ended: AsyncStream<Int32>

    fileprivate init(
      _ program: URL, _ arguments: [String], folder: TemporaryFolder, store: String, input: String?
    ) throws {
      let process = Process()
      process.executableURL = program
      process.arguments = arguments
      process.environment = [
        "NEWSIMPORT_STORE": store, "HOME": folder.path, "TZ": "UTC", "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
      ]
      let run = UUID().uuidString
      outPath = try folder.write("\(run).out", [])
      errPath = try folder.write("\(run).err", [])
      process.standardOutput = FileHandle(forWritingAtPath: outPath)
      process.standardError = FileHandle(forWritingAtPath: errPath)
      process.standardInput = FileHandle(
        forReadingAtPath: try input.map { try folder.write("\(run).in", $0.utf8) } ?? "/dev/null")
      let (stream, continuation) = AsyncStream<Int32>.makeStream()
      process.terminationHandler = { process in
        continuation.yield(
          process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
        continuation.finish()
      }
      ended = stream
      self.process = process
      try process.run()
    }

    /// Sends a signal.
    func signal(_ number: Int32) {
      kill(process.processIdentifier, number)
    }

    /// Waits for the end.
    func result() async throws -> Result {
      var status: Int32 = 0
      for await value in ended { status = value }
      return Result(
        status: status, out: try String(contentsOfFile: outPath, encoding: .utf8),
        err: try String(contentsOfFile: errPath, encoding: .utf8))
    }
  }
}
