import CGlibc
import Foundation
import Glibc

/// A running pager, which reads the program's output from a pipe and writes it on the terminal.
@MainActor
struct Pager {
  private let process: pid_t
  /// Copies of the descriptors that the pipe replaces, with their numbers.
  private let replaced: [(number: Int32, copy: Int32)]

  /// The terminal, for its width.
  var terminal: Int32 { replaced[0].copy }

  /// Starts a pager, and replaces descriptors by the pipe to it.
  ///
  /// - Parameter numbers: Descriptors of the terminal, standard output first.
  /// - Returns: Nil if the pager cannot be started; the output then goes to the terminal.
  init?(_ command: String, replacing numbers: [Int32]) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Only the pager reacts to Ctrl-C, as it likes: a program that ended before it would leave the terminal to it and the
    // shell at once. When the pager has ended, a program that still computes can be ended again.
    signal(SIGINT, SIG_IGN)
    signal(SIGCHLD) { _ in signal(SIGINT, SIG_DFL) }
    guard let process = Self.spawn(PagerCommand.words(of: command), input: ends[0]) else {
      for end in ends { close(end) }
      signal(SIGINT, SIG_DFL)
      return nil
    }
    self.process = process
    var replaced: [(Int32, Int32)] = []
    for number in numbers {
      let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
      guard copy >= 0 else { break }
      dup2(ends[1], number)
      replaced.append((number, copy))
    }
    self.replaced = replaced
    for end in ends { close(end) }
    guard !replaced.isEmpty else {
      wait()
      return nil
    }
  }

  /// Ends the pipe, and waits until the user leaves the pager. Its exit status does not matter.
  func finish() {
    for (number, copy) in replaced {
      dup2(copy, number)
      close(copy)
    }
    wait()
  }

  private func wait() {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
  }

  /// Starts a program with a pipe as its standard input.
  private static func spawn(_ words: [String], input: Int32) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    // The program ignores these, and a pager must not.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var standard = sigset_t()
    sigemptyset(&standard)
    sigaddset(&standard, SIGINT)
    sigaddset(&standard, SIGPIPE)
    sigaddset(&standard, SIGXFSZ)
    posix_spawnattr_setsigdefault(&attributes, &standard)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    let environment = PagerCommand.environment(ProcessInfo.processInfo.environment)
    let arguments = words.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process = pid_t()
    let code = UserMask.whileStarting {
      posix_spawnp(&process, words[0], &actions, &attributes, arguments, variables)
    }
    return code == 0 ? process : nil
  }
}
