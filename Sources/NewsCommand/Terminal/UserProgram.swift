import ArticleHooks
import CGlibc
import Foundation
import Glibc

/// A program that works for the user in this terminal, such as a pager.
///
/// Foundation's `Process` would put it into its own process group, where it could not read from the terminal.
struct UserProgram {
  private let process: pid_t

  /// Starts a program from PATH.
  ///
  /// - Parameters:
  ///   - words: The program and its arguments.
  ///   - input: Its standard input.
  ///   - environment: Its environment.
  /// - Returns: Nil if it cannot be started.
  init?(
    _ words: [String], input: Int32 = 0,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The program would inherit the signals that this process ignores.
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGPIPE, SIGXFSZ] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    let arguments = words.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process = pid_t()
    let code = UserMask.whileStarting {
      posix_spawnp(&process, words[0], &actions, &attributes, arguments, variables)
    }
    guard code == 0 else { return nil }
    self.process = process
  }

  /// Waits for the program's end.
  func wait() {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}
