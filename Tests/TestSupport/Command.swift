internal import Foundation
internal import Threading

#if canImport(Glibc)
  internal import Glibc
#endif

/// Runs programs as a user would.
///
/// It uses posix_spawn(3). Foundation's `Process` crashes when several start at once, and the thread sanitizer reports
/// the locks of swift-subprocess as races.
public enum Command {
  /// The result of a run.
  public struct Result: Sendable, Equatable {
    /// The exit status; a negative number for the signal that ended the program.
    public var status: Int32
    public var out: String
    public var err: String

    public init(status: Int32, out: String, err: String) {
      self.status = status
      self.out = out
      self.err = err
    }
  }

  /// An error for a program that could not be started.
  public struct StartError: Error {
    public let program: String
    public let code: Int32
  }

  /// The folder of the running tests, which contains the programs and modules that were built with them.
  public static let builtProducts = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - program: A path, or a name that is searched in PATH.
  ///   - environment: The complete environment; nil inherits that of the tests.
  ///   - input: Its standard input; empty by default.
  ///   - terminal: The destination of its output, instead of files; the result's `out` then contains all output.
  ///   - meanwhile: Runs at the same time. It receives a function that sends a signal to the program.
  public static func run(
    _ program: String, _ arguments: [String], environment: [String: String]? = nil, input: String = "",
    on terminal: Terminal? = nil,
    meanwhile: @Sendable (_ signal: (Int32) -> Void) async throws -> Void = { _ in }
  ) async throws -> Result {
    let environment = environment ?? ProcessInfo.processInfo.environment
    return try await run(
      input: input, on: terminal,
      { try start(program, arguments, environment: environment, files: $0) }, meanwhile: meanwhile)
  }

  /// Runs a program to its end, as above.
  ///
  /// - Parameter starting: Starts the program with the paths of its standard input, output and error.
  public static func run(
    input: String = "", on terminal: Terminal? = nil,
    _ starting: @Sendable (_ files: [String]) throws -> Running,
    meanwhile: @Sendable (_ signal: (Int32) -> Void) async throws -> Void = { _ in }
  ) async throws -> Result {
    let folder = try TemporaryFolder()
    let files = [
      try folder.write("in", input.utf8), try folder.write("out", []), try folder.write("err", []),
    ]
    let places = terminal.map { [files[0], $0.path, $0.path] } ?? files
    let status = try await Turns.ofCommands.take {
      let running = try starting(places)
      do {
        try await meanwhile { running.signal($0) }
      } catch {
        running.signal(SIGKILL)
        _ = await running.end()
        throw error
      }
      return await running.end()
    }
    if let terminal { return Result(status: status, out: await terminal.text(), err: "") }
    return Result(
      status: status, out: try String(contentsOfFile: files[1], encoding: .utf8),
      err: try String(contentsOfFile: files[2], encoding: .utf8))
  }

  /// A program that was started.
  public struct Running: Sendable {
    /// The number of its process.
    public let process: Int32
    private let ending: ProcessEnd

    /// - Parameter process: A child of this process.
    init(_ process: Int32) throws {
      self.process = process
      ending = try ProcessEnd {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
          guard errno == EINTR else { fatalError("waitpid: \(errno)") }
        }
        return status
      }
    }

    /// - Parameters:
    ///   - process: A process that is not a child.
    ///   - path: A named pipe, to which its parent writes its status.
    init(_ process: Int32, statusAt path: String) throws {
      self.process = process
      ending = try ProcessEnd {
        let file = FileHandle(forReadingAtPath: path)
        unlink(path)
        let bytes = (try? file?.readToEnd()) ?? Data()
        guard bytes.count == MemoryLayout<Int32>.size else { fatalError("no status of process \(process)") }
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) }
      }
    }

    /// Sends a signal.
    public func signal(_ number: Int32) { kill(process, number) }

    /// Waits for the end; to be called once.
    ///
    /// - Returns: The exit status; a negative number for the signal that ended the program.
    public func end() async -> Int32 { await ending.status() }
  }

  /// Starts a program.
  ///
  /// - Parameter files: The paths of its standard input, output and error.
  public static func start(
    _ program: String, _ arguments: [String], environment: [String: String], files: [String]
  ) throws -> Running {
    try Running(spawn(program, arguments, environment, files))
  }

  /// The variables that programs built with a sanitizer need, like the tests that start them.
  private static let sanitizerOptions: Set = ["ASAN_OPTIONS", "TSAN_OPTIONS"]

  /// Starts a program with files as its descriptors 0, 1 and 2.
  private static func spawn(
    _ program: String, _ arguments: [String], _ environment: [String: String], _ files: [String]
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, file) in files.enumerated() {
      let mode = descriptor == 0 ? O_RDONLY : O_WRONLY | O_NOCTTY
      posix_spawn_file_actions_addopen(&actions, Int32(descriptor), file, mode, 0)
    }
    // The tests' threads may block signals, and a shell that starts the tests in the background ignores SIGINT: the program
    // would inherit both.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var ignored = sigset_t()
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&ignored, signal) }
    posix_spawnattr_setsigdefault(&attributes, &ignored)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let own = ProcessInfo.processInfo.environment.filter { sanitizerOptions.contains($0.key) }
    let variables = environment.merging(own) { $1 }.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process = pid_t()
    let code = posix_spawnp(&process, program, &actions, &attributes, words, variables)
    guard code == 0 else { throw StartError(program: program, code: code) }
    return process
  }
}

/// Waits for a process on a separate thread, so that no thread of the tests is blocked.
private final class ProcessEnd: Sendable {
  private let ends: AsyncStream<Int32>

  /// - Parameter wait: Waits for the process, and returns its status as waitpid(2) does.
  init(_ wait: @escaping @Sendable () -> Int32) throws {
    let (stream, continuation) = AsyncStream<Int32>.makeStream()
    ends = stream
    let thread = try OwnThread(name: "waitpid") {
      let status = wait()
      // The format of wait(2): the signal in the low seven bits, otherwise the exit status above them.
      let code = status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
      continuation.yield(code)
      continuation.finish()
    }
    thread.detach()
  }

  func status() async -> Int32 {
    for await status in ends { return status }
    return 0
  }
}
