import ArgumentParser
import Foundation

/// What a command says of itself, as the option parser tells it to other programs (`--experimental-dump-help`).
struct CommandDescription: Decodable {
  let commandName: String
  let abstract: String?
  let discussion: String?
  let shouldDisplay: Bool
  let subcommands: [CommandDescription]?
  let arguments: [Argument]?

  /// An option, a flag, or what stands without a name.
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

  /// Returns the description of a program with all its commands.
  ///
  /// - Throws: `DecodingError` where the option parser tells it in another form.
  static func of(_ program: any ParsableCommand.Type) throws -> CommandDescription {
    struct Document: Decodable { let command: CommandDescription }
    return try JSONDecoder().decode(Document.self, from: Data(program._dumpHelp().utf8)).command
  }

  /// Whether it or one of its commands has an option of a name.
  func knows(_ option: String) -> Bool {
    (arguments ?? []).contains { $0.spellings.contains(option) }
      || (subcommands ?? []).contains { $0.knows(option) }
  }

  /// The commands that do something, each with the words that call it; those that are hidden are left out.
  func leaves(after path: [String] = []) -> [(name: String, command: CommandDescription)] {
    let path = path + [commandName]
    // The option parser adds a command for help to each that has others.
    let commands = (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
    if commands.isEmpty { return [(path.joined(separator: " "), self)] }
    return commands.flatMap { $0.leaves(after: path) }
  }
}

extension CommandDescription.Argument {
  var isPositional: Bool { kind == "positional" }

  /// As they are typed, the short one first: "-q", "--quiet".
  var spellings: [String] {
    (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }.sorted { $0.count < $1.count }
  }

  /// What it is and which value holds without it.
  var explanation: String {
    var text = abstract ?? ""
    if let allValues { text += " One of: \(allValues.joined(separator: ", "))." }
    if let defaultValue, kind == "option" { text += " Default: \(defaultValue)." }
    return text
  }
}
