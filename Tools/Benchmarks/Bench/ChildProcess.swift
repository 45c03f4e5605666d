import Foundation

/// A child process and its resource usage.
struct ChildProcess {
  /// The resource usage of a process that has ended.
  struct End {
    let status: Int32
    /// CPU seconds, in the program and in the kernel.
    let user: Double
    let system: Double
    let wall: Double
    /// The peak memory, in bytes. It is at least that of the parent process.
    let peak: Int
  }

  private let id: pid_t
  private let start = ContinuousClock.now

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: The program's path and its arguments.
  ///   - environment: Variables to add to this process's environment.
  ///   - output: The file for standard output and error; nil inherits both.
  ///   - descriptors: Descriptors to keep open in the program, with the same numbers.
  init(
    _ arguments: [String], environment: [String: String] = [:], output: String? = nil,
    descriptors: [Int32] = []
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let output {
      posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
      posix_spawn_file_actions_adddup2(&actions, 1, 2)
    }
    // A duplicate onto itself clears the close-on-exec flag.
    for descriptor in descriptors { posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor) }
    let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var id: pid_t = 0
    let code = posix_spawnp(&id, arguments[0], &actions, nil, &words, &variables)
    guard code == 0 else { throw Failure.system(arguments[0], code) }
    self.id = id
  }

  /// Sends a termination signal to the program.
  func terminate() {
    kill(id, SIGTERM)
  }

  /// Waits for the program's end.
  func wait() throws -> End {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(id, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw Failure.system("wait4") }
    }
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return End(
      status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F,
      user: seconds(usage.ru_utime), system: seconds(usage.ru_stime),
      wall: (ContinuousClock.now - start) / .seconds(1),
      peak: usage.ru_maxrss * 1024)
  }

  /// Runs a program that must succeed.
  ///
  /// - Returns: Its resource usage, and the content of `output`.
  @discardableResult
  static func run(
    _ arguments: [String], environment: [String: String] = [:], output: String, descriptors: [Int32] = []
  ) throws -> (end: End, text: String) {
    let end = try ChildProcess(
      arguments, environment: environment, output: output, descriptors: descriptors
    ).wait()
    let text = FileManager.default.contents(atPath: output).map { String(decoding: $0, as: UTF8.self) } ?? ""
    guard end.status == 0 else {
      throw Failure(
        "\(arguments.prefix(3).joined(separator: " ")) ended with \(end.status):\n\(text.suffix(2000))")
    }
    return (end, text)
  }

  /// The path of the running program.
  static var ownPath: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
  }
}
