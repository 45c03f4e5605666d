import Foundation
import HTMLText

/// Asks for confirmation before something is deleted.
@MainActor
enum Question {
  /// True if a person can answer at a terminal.
  static var isPossible: Bool { isatty(0) == 1 && Output.error.isTerminal }

  /// Returns whether the user confirms an action.
  ///
  /// - Parameters:
  ///   - action: The action: "remove …"; printable.
  ///   - isGiven: True if the user confirmed the action on the command line.
  /// - Throws: ``CommandFailure`` with status 64 if no person can answer.
  static func isConfirmed(_ action: String, isGiven: Bool) throws -> Bool {
    if isGiven { return true }
    guard isPossible else {
      throw CommandFailure(.usage, "\(action): nothing was done; give --yes to confirm it without a question")
    }
    let answers = "[y/N] "
    if DisplayWidth.columns(of: "\(action)? \(answers)") < Output.error.columns ?? .max {
      Output.error.write("\(action)? \(answers)")
    } else {
      Output.error.print("\(action)?\n")
      Output.error.write(answers)
    }
    guard let answer = readLine() else {
      // The terminal's cursor is still after the question.
      Output.error.write("\n")
      return false
    }
    return isYes(answer)
  }

  /// Returns true if an answer means yes.
  nonisolated static func isYes(_ answer: String) -> Bool {
    ["y", "yes"].contains(answer.trimmingCharacters(in: .whitespaces).lowercased())
  }
}
