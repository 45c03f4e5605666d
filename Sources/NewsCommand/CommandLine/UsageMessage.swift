import ArgumentParser
import HTMLText

/// The messages for errors on the command line.
enum UsageMessage {
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
