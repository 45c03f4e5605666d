import ArgumentParser
import HTMLText

/// The messages for errors on the command line.
enum UsageMessage {
  /// Returns a message of the option parser; if it lists values, with the value that was probably meant.
  static func suggestingValue(in message: String) -> String {
    guard
      let match = message.prefixMatch(
        of: #/Error: The value '(.*?)' is invalid for '.*?'\. (?=Please provide one of)/#)
    else { return message }
    let rest = message[match.range.upperBound...]
    let list = rest.firstRange(of: "\nHelp:").map { rest[..<$0.lowerBound] } ?? rest
    let values = list.matches(of: #/'([^']+)'|\n  - (\S+)/#).map { String($0.output.1 ?? $0.output.2 ?? "") }
    guard let meant = nearestWord(to: String(match.output.1), among: values) else { return message }
    return message[..<match.range.upperBound] + "Did you mean '\(meant)'? " + rest
  }

  /// Wraps the usage line of a help page, which the option parser leaves long, to 80 columns. Each option
  /// stays with its value.
  static func wrappingUsage(_ help: String) -> String {
    help.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.hasPrefix("USAGE: ") else { return String(line) }
      let whole = line.replacing(" <", with: "\u{A0}<").replacing("> ...", with: ">\u{A0}...")
      let start = "USAGE: ".count
      return HTMLText.wrappedKeepingWords(String(whole), columns: columns, indent: start)
        .joined(separator: "\n" + String(repeating: " ", count: start)).replacing("\u{A0}", with: " ")
    }.joined(separator: "\n")
  }

  /// The width of help texts, regardless of the terminal.
  static let columns = 80

  /// Returns the message for an error that a running command finds: with its own usage, not the program's.
  static func text(_ error: ValidationError, of command: any ParsableCommand.Type) -> String {
    let usage = NewsImport.usageString(for: command)
    let name = usage.split(separator: " ").prefix { $0.allSatisfy { $0.isLetter || $0 == "-" } }
    return
      "Error: \(error.message)\nUsage: \(usage)\n  See '\(name.joined(separator: " ")) --help' for more information."
  }
}
