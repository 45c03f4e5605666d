import CGlibc
import Foundation
import Glibc
import TextOutput
import Threading

/// Ends a hook's running command, and those that follow.
package final class HookStop: Sendable {
  /// The pipe end that becomes readable with the stop.
  fileprivate let reading: Int32
  private let writing: Int32
  private let isSet = Locked(false)

  package init() {
    var ends: [Int32] = [-1, -1]
    if pipe2(&ends, O_CLOEXEC | O_NONBLOCK) != 0 { ends = [-1, -1] }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    for end in [reading, writing] where end >= 0 { close(end) }
  }

  /// True after ``stop()``.
  package var isStopped: Bool { isSet.withLock { $0 } }

  package func stop() {
    isSet.withLock { $0 = true }
    var byte: UInt8 = 0
    _ = write(writing, &byte, 1)
  }
}

/// A hook's command: a program in its own process group.
///
/// It is started with posix_spawn(3). Foundation's `Process` neither ends a group nor limits the output.
struct HookProcess: Sendable {
  let words: [String]
  let environment: [String: String]
  /// The longest time in seconds.
  let timeout: TimeInterval
  /// The descriptor of the hook's lock, which the command inherits as descriptor 3.
  let lock: Int32

  enum End: Sendable, Equatable {
    case success
    case failure(HookError)
    /// The user has stopped the run, so the command was ended.
    case stopped
  }

  /// The most bytes that are kept from each output.
  static let keptOutput = 64 << 10
  /// The most output that a command may write before it is ended, in bytes.
  static let mostOutput = 1 << 30
  /// The time between the request to end and the end by force, in seconds.
  static let grace: TimeInterval = 2

  /// Runs the command to its end on its own thread.
  ///
  /// - Parameter input: Its standard input.
  func run(_ input: [UInt8], until stop: HookStop) async -> End {
    await withCheckedContinuation { continuation in
      do throws(OwnThread.StartError) {
        try OwnThread(name: "hook") {
          var running = RunningHook(self, input, stop)
          continuation.resume(returning: running.run())
        }.detach()
      } catch {
        continuation.resume(returning: .failure(.system(error.code)))
      }
    }
  }

  /// Starts the program, which leads a process group.
  ///
  /// - Parameter ends: Its standard input, output and error.
  /// - Returns: The process's number, or the error from posix_spawnp(3).
  fileprivate func spawn(_ ends: [Int32]) -> Result<pid_t, HookError> {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, end) in ends.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, end, Int32(number))
    }
    posix_spawn_file_actions_adddup2(&actions, lock, Int32(ends.count))
    posix_spawn_file_actions_addclosefrom_np(&actions, Int32(ends.count) + 1)
    let home = environment["HOME"] ?? ""
    let isHome = home.hasPrefix("/") && access(home, X_OK) == 0
    posix_spawn_file_actions_addchdir_np(&actions, isHome ? home : "/")
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This program ignores some signals, and this thread blocks all.
    var (all, none) = (sigset_t(), sigset_t())
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    let arguments = words.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process = pid_t()
    let code = UserMask.whileStarting {
      posix_spawnp(&process, words[0], &actions, &attributes, arguments, variables)
    }
    if code == 0 { return .success(process) }
    let isThere = HookProgram.problem(of: words[0], ProcessInfo.processInfo.environment) == nil
    return .failure(code == ENOENT && isThere ? .noInterpreter : .notStarted(code))
  }
}

/// A command while it runs: passes the input, reads the output and keeps the limits. It blocks its thread.
private struct RunningHook {
  private let command: HookProcess
  private let input: [UInt8]
  private let stop: HookStop
  private var written = 0
  /// Our pipe ends; -1 after they were closed.
  private var (standardInput, output, error, ended) = (Int32(-1), Int32(-1), Int32(-1), Int32(-1))
  private var process: pid_t = 0
  private var bytes = 0
  private var messages: [UInt8] = []
  /// Set when the command is ended before its own end.
  private var verdict: HookProcess.End?
  /// The time until the next step: the request to end, the end by force, or giving up.
  private var patience: RunningTime
  private var isKilled = false

  init(_ command: HookProcess, _ input: [UInt8], _ stop: HookStop) {
    (self.command, self.input, self.stop) = (command, input, stop)
    patience = RunningTime(of: command.timeout)
  }

  mutating func run() -> HookProcess.End {
    if let failure = start() { return .failure(failure) }
    defer { for end in [standardInput, output, error, ended] where end >= 0 { close(end) } }
    var buffer = [UInt8](repeating: 0, count: HookProcess.keptOutput)
    while true {
      let isStopped = verdict == nil && stop.isStopped
      if isStopped || patience.isOver {
        guard advance(isStopped ? .stopped : .failure(.timeout(command.timeout))) else { break }
      }
      var waited = [
        pollfd(fd: standardInput, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: output, events: Int16(POLLIN), revents: 0),
        pollfd(fd: error, events: Int16(POLLIN), revents: 0),
        pollfd(fd: ended, events: Int16(POLLIN), revents: 0),
        pollfd(fd: verdict == nil ? stop.reading : -1, events: Int16(POLLIN), revents: 0),
      ]
      let count = patience.waiting { poll(&waited, nfds_t(waited.count), $0) }
      guard count > 0 else { continue }
      if waited[0].revents != 0 { writeInput() }
      if waited[1].revents != 0 { Self.read(&output, &buffer, &bytes) { _ in } }
      if waited[2].revents != 0 { readMessages(&buffer) }
      if bytes > HookProcess.mostOutput, verdict == nil { _ = advance(.failure(.output)) }
      if waited[3].revents != 0 {
        // The rest of the command's output. A process that it has started may still write to the pipe.
        readMessages(&buffer)
        break
      }
    }
    return end()
  }

  /// Starts the command, and a thread that waits for its end.
  private mutating func start() -> HookError? {
    var pipes: [[Int32]] = []
    for _ in 0..<4 {
      var ends: [Int32] = [-1, -1]
      guard pipe2(&ends, O_CLOEXEC) == 0 else {
        let code = errno
        for end in pipes.flatMap(\.self) { close(end) }
        return .system(code)
      }
      pipes.append(ends)
    }
    (standardInput, output, error, ended) = (pipes[0][1], pipes[1][0], pipes[2][0], pipes[3][0])
    for end in [standardInput, output, error] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    let started = command.spawn([pipes[0][0], pipes[1][1], pipes[2][1]])
    for end in [pipes[0][0], pipes[1][1], pipes[2][1]] { close(end) }
    let signal = pipes[3][1]
    switch started {
    case .failure(let error):
      for end in [standardInput, output, self.error, ended, signal] { close(end) }
      return error
    case .success(let process): self.process = process
    }
    do throws(OwnThread.StartError) {
      let process = process
      try OwnThread(name: "hook end") {
        // The process stays until its number is no longer needed to end its group.
        var end = siginfo_t()
        while waitid(P_PID, id_t(process), &end, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        close(signal)
      }.detach()
    } catch {
      close(signal)
      kill(-process, SIGKILL)
      verdict = .failure(.system(error.code))
    }
    return nil
  }

  /// Takes the next step to end the command.
  ///
  /// - Parameter cause: The result for a command that is ended.
  /// - Returns: False if the command does not end even by force.
  private mutating func advance(_ cause: HookProcess.End) -> Bool {
    if verdict == nil {
      verdict = cause
      kill(-process, SIGTERM)
    } else if !isKilled {
      isKilled = true
      kill(-process, SIGKILL)
    } else {
      return false
    }
    patience = RunningTime(of: HookProcess.grace)
    return true
  }

  private mutating func writeInput() {
    let count = input[written...].withUnsafeBytes { write(standardInput, $0.baseAddress, $0.count) }
    if count > 0 { written += count }
    // A program may succeed without reading everything.
    let isOver = written == input.count || (count < 0 && errno != EAGAIN && errno != EINTR)
    if isOver {
      close(standardInput)
      standardInput = -1
    }
  }

  private mutating func readMessages(_ buffer: inout [UInt8]) {
    var last = messages
    Self.read(&error, &buffer, &bytes) { part in
      last.append(contentsOf: part)
      if last.count > HookProcess.keptOutput { last.removeFirst(last.count - HookProcess.keptOutput) }
    }
    messages = last
  }

  private static func read(
    _ end: inout Int32, _ buffer: inout [UInt8], _ bytes: inout Int, _ body: (ArraySlice<UInt8>) -> Void
  ) {
    guard end >= 0 else { return }
    let count = buffer.withUnsafeMutableBytes { Glibc.read(end, $0.baseAddress, $0.count) }
    if count > 0 {
      bytes += count
      body(buffer[..<count])
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      close(end)
      end = -1
    }
  }

  /// Returns the result when a command has ended.
  private func end() -> HookProcess.End {
    // The group still has the process's number, because the process was not waited for.
    if verdict != nil { kill(-process, SIGKILL) }
    var status: Int32 = 0
    // A process that cannot be ended keeps running.
    let options = isKilled ? WNOHANG : 0
    while waitpid(process, &status, options) < 0 && errno == EINTR {}
    if let verdict { return verdict }
    // The format of wait(2): the signal in the low seven bits, otherwise the exit status above them.
    let (signal, code) = (status & 0x7F, status >> 8 & 0xFF)
    if signal != 0 { return .failure(.signal(signal, detail: Self.lastLine(messages))) }
    return code == 0 ? .success : .failure(.exit(code, detail: Self.lastLine(messages)))
  }

  /// Returns the last message line in at most 200 bytes; nil without one.
  static func lastLine(_ messages: [UInt8]) -> String? {
    let lines = messages.split(separator: UInt8(ascii: "\n"))
    let last = lines.last { !$0.allSatisfy { $0 <= 0x20 } }
    return last.map { printable(String(decoding: $0.prefix(200), as: UTF8.self)) }
  }
}
