import Foundation
import HTMLText

/// The messages for errors on the command line.
enum UsageMessage {
  /// Returns a help page as it is printed.
  static func page(_ help: String) -> String { wrappingUsage(withoutSecondVersion(help)) }

  /// Removes the option parser's `--version` from a help page if the command's own option takes precedence.
  private static func withoutSecondVersion(_ help: String) -> String {
    guard help.contains("\n  --version <") else { return help }
    return help.replacing(#/\n  --version +Show the version\./#, with: "")
  }

  /// Wraps a help page's long usage line to 80 columns. Each option stays with its value.
  static func wrappingUsage(_ help: String) -> String {
    help.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.hasPrefix("USAGE: ") else { return String(line) }
      let whole = line.replacing(" <", with: "\u{A0}<").replacing("> ...", with: ">\u{A0}...")
      let start = "USAGE: ".count
      return HTMLText.wrappedKeepingWords(String(whole), columns: columns, indent: start)
        .joined(separator: "\n" + String(repeating: " ", count: start)).replacing("\u{A0}", with: " ")
    }.joined(separator: "\n")
  }

  /// The width for help texts, regardless of the terminal.
  static let columns = 80

  /// Returns the message for a mistake on the command line as one line with the next step.
  ///
  /// - Parameters:
  ///   - message: The message from the option parser, or from an option.
  ///   - path: The words that call the command: "newsimport list".
  static func line(_ message: String, of path: String) -> String {
    var text = message.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }.joined(separator: " ")
    if text.hasSuffix(".") { text.removeLast() }
    // A sentence becomes a part of the line, unless it begins with a name.
    if let first = text.first, first.isUppercase, text.dropFirst().first?.isLowercase == true {
      text = first.lowercased() + text.dropFirst()
    }
    return text + (text.hasSuffix("?") ? " See" : "; see") + " \(path) --help"
  }
}
