import Foundation

/// Highlights text on terminals that support it (ECMA-48), unless `NO_COLOR` is set.
@MainActor
enum Style {
  /// Returns a headline in bold.
  static func bold(_ text: String, on output: Output) -> String {
    isPlain(output) ? text : "\u{1B}[1m\(text)\u{1B}[0m"
  }

  /// Returns text that is less important than the rest of its line.
  static func dim(_ text: String, on output: Output) -> String {
    isPlain(output) || text.isEmpty ? text : "\u{1B}[2m\(text)\u{1B}[0m"
  }

  /// Returns a highlighted search hit.
  static func hit(_ text: String, on output: Output) -> String {
    isPlain(output) ? "«\(text)»" : bold(text, on: output)
  }

  /// The changes that colours show.
  enum Change {
    case removed, added
  }

  /// Returns text in a change's colour.
  static func marked(_ text: String, _ change: Change, on output: Output) -> String {
    isPlain(output) || text.isEmpty ? text : "\u{1B}[\(change == .removed ? "9;31" : "32")m\(text)\u{1B}[0m"
  }

  /// Returns true if the output is a terminal that can erase a line. On other outputs, each update of a
  /// progress line would remain.
  static func canRedraw(_ output: Output) -> Bool {
    output.isTerminal && !Output.standard.isPaged && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// Returns true if the output cannot highlight text.
  static func isPlain(_ output: Output) -> Bool {
    let environment = ProcessInfo.processInfo.environment
    return !output.isTerminal || environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] == "dumb"
  }
}
