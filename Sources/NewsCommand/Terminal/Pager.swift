import CGlibc
import Foundation
import Glibc

/// A running pager, which reads the program's output from a pipe and writes it on the terminal.
@MainActor
struct Pager {
  private let program: UserProgram
  /// Copies of the descriptors that the pipe replaces, with their numbers.
  private let replaced: [(number: Int32, copy: Int32)]

  /// The terminal, for its width.
  var terminal: Int32 { replaced[0].copy }

  /// Starts a pager, and replaces descriptors by the pipe to it.
  ///
  /// - Parameter numbers: The terminal's descriptors, standard output first.
  /// - Returns: Nil if the pager cannot be started; the output then goes to the terminal.
  init?(_ command: String, replacing numbers: [Int32]) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Only the pager reacts to Ctrl-C, as it likes: a program that ended before it would leave the terminal
    // to it and the shell at once. When the pager has ended, a program that still computes can be ended
    // again.
    signal(SIGINT, SIG_IGN)
    signal(SIGCHLD) { _ in signal(SIGINT, SIG_DFL) }
    let program = UserProgram(
      PagerCommand.words(of: command), input: ends[0],
      environment: PagerCommand.environment(ProcessInfo.processInfo.environment))
    guard let program else {
      for end in ends { close(end) }
      signal(SIGINT, SIG_DFL)
      return nil
    }
    self.program = program
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
      program.wait()
      return nil
    }
  }

  /// Ends the pipe, and waits until the user leaves the pager. Its exit status does not matter.
  func finish() {
    for (number, copy) in replaced {
      dup2(copy, number)
      close(copy)
    }
    program.wait()
  }
}
