internal import CRunServer
internal import Foundation
internal import Synchronization

/// Starts runs of the program as copies of a process that has loaded it: see `run_server.h`. The tests of commands take a fifth
/// less time than with starts of the program.
public final class RunServer: Sendable {
  private let ends: Mutex<(requests: FileHandle, replies: FileHandle)>

  /// The server of all tests of this process.
  public static let shared = Result { try RunServer() }

  /// The folder of the files in which the runs' statuses arrive.
  private let folder: TemporaryFolder

  private init() throws {
    folder = try TemporaryFolder()
    let (requests, replies) = (folder.file("requests"), folder.file("replies"))
    guard mkfifo(requests, 0o600) == 0, mkfifo(replies, 0o600) == 0 else {
      throw Failure(description: "mkfifo: \(String(cString: strerror(errno)))")
    }
    // With both ends open, none waits for the other: posix_spawn(3) returns after the new process has opened its own.
    let held = [requests, replies].map { (path: String) in open(path, O_RDWR | O_CLOEXEC) }
    defer { for descriptor in held { close(descriptor) } }
    _ = try Command.start(
      Command.builtProducts + "/crash-subject", [], environment: ["CRASH_SERVES": "1"],
      files: [requests, replies, try folder.write("err", [])])
    guard let requestEnd = FileHandle(forWritingAtPath: requests),
      let replyEnd = FileHandle(forReadingAtPath: replies)
    else {
      throw Failure(description: "crash-subject: does not serve")
    }
    ends = Mutex((requestEnd, replyEnd))
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Starts a run.
  ///
  /// - Parameters:
  ///   - environment: The complete environment.
  ///   - files: The paths of its standard input, output and error.
  ///   - limit: The number of seconds after which SIGALRM ends the run, because a program that hangs is a fault of its own; 0 for
  ///     none.
  public func start(
    _ arguments: [String], environment: [String: String], files: [String], limit: UInt32 = 0
  ) throws -> Command.Running {
    let status = folder.file(UUID().uuidString)
    guard mkfifo(status, 0o600) == 0 else {
      throw Failure(description: "mkfifo: \(String(cString: strerror(errno)))")
    }
    let texts = [status] + files + arguments + environment.map { "\($0.key)=\($0.value)" }
    let bytes = Data(texts.flatMap { Array($0.utf8) + [0] })
    var request = run_request(length: UInt32(bytes.count), arguments: UInt32(arguments.count), limit: limit)
    let header = withUnsafeBytes(of: &request) { Data($0) }
    let process = try ends.withLock { ends in
      try ends.requests.write(contentsOf: header + bytes)
      var process: Int32 = -1
      let reply = try ends.replies.read(upToCount: MemoryLayout<Int32>.size) ?? Data()
      withUnsafeMutableBytes(of: &process) { $0.copyBytes(from: reply) }
      return process
    }
    guard process > 0 else { throw Failure(description: "crash-subject: cannot start a run") }
    return try Command.Running(process, statusAt: status)
  }
}
