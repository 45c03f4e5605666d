import Foundation

/// How text stands out on a terminal that can show it (ECMA-48); elsewhere, and with `NO_COLOR`, it does not.
@MainActor
enum Style {
  /// A headline.
  static func bold(_ text: String, on output: Output) -> String {
    isPlain(output) ? text : "\u{1B}[1m\(text)\u{1B}[0m"
  }

  /// What was looked for.
  static func hit(_ text: String, on output: Output) -> String {
    isPlain(output) ? "«\(text)»" : bold(text, on: output)
  }

  /// Whether it is a terminal that can take back what it shows: a line that tells how far something is would otherwise
  /// stay, once for each time that it changes.
  static func canRedraw(_ output: Output) -> Bool {
    output.isTerminal && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// Whether nothing can stand out.
  static func isPlain(_ output: Output) -> Bool {
    let environment = ProcessInfo.processInfo.environment
    return !output.isTerminal || environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] == "dumb"
  }
}
