package import Foundation
import TextOutput

/// The reason why a command did not handle its articles.
package enum HookError: Error, Sendable, Equatable {
  /// The program cannot be started, with the system's error.
  case notStarted(Int32)
  /// The program's file exists, but the interpreter in its first line does not.
  case noInterpreter
  /// It ended with another status than 0. The detail is the last line on its standard error.
  case exit(Int32, detail: String?)
  /// It was ended by a signal.
  case signal(Int32, detail: String?)
  /// It was ended after a time in seconds.
  case timeout(TimeInterval)
  /// It was ended because it wrote too much.
  case output
  /// This program has no descriptor or thread left.
  case system(Int32)

  /// True if no article can be the cause.
  package var isOfHook: Bool {
    switch self {
    case .notStarted, .noInterpreter, .system: true
    default: false
    }
  }

  /// True if the command was ended at a limit.
  var isStall: Bool {
    switch self {
    case .timeout, .output: true
    default: false
    }
  }

  /// The exit status; nil if the program did not end by itself.
  package var status: Int? { if case .exit(let status, _) = self { Int(status) } else { nil } }

  /// Returns the cause in words.
  ///
  /// - Parameter program: The command's first word.
  package func text(of program: String) -> String {
    let cause =
      switch self {
      case .notStarted(ENOENT):
        program.utf8.first == UInt8(ascii: "~") ? "no such program; ~ is not expanded" : "no such program"
      case .notStarted(let code): "cannot be started: \(systemCause(code))"
      case .noInterpreter: "the interpreter in its first line does not exist"
      case .exit(let status, let detail): "exited with status \(status)" + Self.end(detail)
      case .signal(let number, let detail): "was ended by signal \(number)" + Self.end(detail)
      case .timeout(let seconds): "was stopped after \(durationText(seconds))"
      case .output: "was stopped because it wrote more than 1 GB"
      case .system(let code): "cannot be started: \(systemCause(code))"
      }
    return "\(program): \(cause)"
  }

  private static func end(_ detail: String?) -> String { detail.map { ": \($0)" } ?? "" }
}

/// A failure as the store keeps it: a code, and for some codes a number and a text.
extension HookError {
  private enum Code: String {
    case notStarted = "not_started"
    case noInterpreter = "no_interpreter"
    case exit, signal, timeout, output, system
  }

  /// Reads stored values; nil if another program has written others.
  init?(code: String, number: Int?, detail: String?) {
    let whole = number.flatMap(Int32.init(exactly:))
    switch (Code(rawValue: code), whole) {
    case (.notStarted, let number?): self = .notStarted(number)
    case (.noInterpreter, _): self = .noInterpreter
    case (.exit, let number?): self = .exit(number, detail: detail)
    case (.signal, let number?): self = .signal(number, detail: detail)
    case (.timeout, let number?): self = .timeout(TimeInterval(number))
    case (.output, _): self = .output
    case (.system, let number?): self = .system(number)
    default: return nil
    }
  }

  /// The code, the number (a status, a signal, a system error, or seconds) and the text.
  var stored: (code: String, number: Int?, detail: String?) {
    let (code, number, detail): (Code, Int32?, String?) =
      switch self {
      case .notStarted(let number): (.notStarted, number, nil)
      case .noInterpreter: (.noInterpreter, nil, nil)
      case .exit(let number, let detail): (.exit, number, detail)
      case .signal(let number, let detail): (.signal, number, detail)
      case .timeout(let seconds): (.timeout, Int32(clamping: Int(min(max(0, seconds.rounded()), 1e9))), nil)
      case .output: (.output, nil, nil)
      case .system(let number): (.system, number, nil)
      }
    return (code.rawValue, number.map(Int.init), detail)
  }
}
