import Foundation
import HTMLText

/// Asks people before something is deleted.
@MainActor
enum Question {
  /// Whether there is somebody to ask.
  static var isPossible: Bool { isatty(0) == 1 && Output.error.isTerminal }

  /// Whether something may be done.
  ///
  /// - Parameters:
  ///   - deed: What is to be done: "remove …"; printable.
  ///   - isGiven: Whether the user said so on the command line.
  /// - Throws: ``CommandFailure`` with status 64 where there is nobody to ask.
  static func isConfirmed(_ deed: String, isGiven: Bool) throws -> Bool {
    if isGiven { return true }
    guard isPossible else {
      throw CommandFailure(.usage, "\(deed): nothing was done; to do it without being asked, give --yes")
    }
    let answers = "[y/N] "
    if DisplayWidth.columns(of: "\(deed)? \(answers)") < Output.error.columns ?? .max {
      Output.error.write("\(deed)? \(answers)")
    } else {
      Output.error.tell("\(deed)?\n")
      Output.error.write(answers)
    }
    guard let answer = readLine() else {
      // The terminal's cursor stands behind the question still.
      Output.error.write("\n")
      return false
    }
    return isYes(answer)
  }

  /// Whether an answer is a yes.
  nonisolated static func isYes(_ answer: String) -> Bool {
    ["y", "yes"].contains(answer.trimmingCharacters(in: .whitespaces).lowercased())
  }
}
