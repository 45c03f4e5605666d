import ArgumentParser
import Foundation

/// A command's description, as the option parser prints it for programs (`--experimental-dump-help`).
struct CommandDescription: Decodable {
  let commandName: String
  let abstract: String?
  let discussion: String?
  let shouldDisplay: Bool
  let subcommands: [CommandDescription]?
  let arguments: [Argument]?

  /// An option, a flag, or a positional argument.
  struct Argument: Decodable, Hashable {
    let kind: String
    let isOptional: Bool
    let isRepeating: Bool
    let shouldDisplay: Bool
    let names: [Name]?
    let valueName: String?
    let defaultValue: String?
    let allValues: [String]?
    let abstract: String?

    /// `--name` or `-n`.
    struct Name: Decodable, Hashable {
      let kind: String
      let name: String
    }
  }

  /// The options and arguments that the help shows, without the option parser's own.
  var shownArguments: [Argument] { (arguments ?? []).filter { $0.shouldDisplay && !$0.isOfParser } }

  /// Returns a program's description with all its commands.
  ///
  /// - Throws: `DecodingError` if the option parser uses another form.
  static func of(_ program: any ParsableCommand.Type) throws -> CommandDescription {
    struct Document: Decodable { let command: CommandDescription }
    return try JSONDecoder().decode(Document.self, from: Data(program._dumpHelp().utf8)).command
  }

  /// Returns the commands without subcommands, each with the words that call it, except hidden ones.
  func leaves(after path: [String] = []) -> [(name: String, command: CommandDescription)] {
    let path = path + [commandName]
    // The option parser adds a help command to each command with subcommands.
    let commands = (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
    if commands.isEmpty { return [(path.joined(separator: " "), self)] }
    return commands.flatMap { $0.leaves(after: path) }
  }
}

extension CommandDescription.Argument {
  var isPositional: Bool { kind == "positional" }

  /// True for the flags that the option parser adds to each command.
  var isOfParser: Bool {
    kind == "flag" && (spellings.contains("--help") || spellings.contains("--version"))
  }

  /// The spellings as typed, the short one first: "-q", "--quiet".
  var spellings: [String] {
    (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }.sorted { $0.count < $1.count }
  }

  /// The help text with the default value.
  var explanation: String {
    var text = abstract ?? ""
    if let allValues { text += " One of: \(allValues.joined(separator: ", "))." }
    if let defaultValue, kind == "option" { text += " Default: \(defaultValue)." }
    return text
  }
}
