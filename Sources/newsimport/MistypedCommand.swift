import ArgumentParser

/// Finds the word of a command line that should be a command and is none.
enum MistypedCommand {
  /// What to tell of it; nil where each command is one.
  ///
  /// - Parameter arguments: What stands behind the program's name.
  static func message(
    _ arguments: some Sequence<String>, of program: any ParsableCommand.Type = NewsImport.self
  ) -> String? {
    var command = program
    var path = program._commandName
    for word in arguments {
      let commands = command.configuration.subcommands
      // What begins with a hyphen asks for help or for completions, and the option parser adds a command for help.
      if commands.isEmpty || word.hasPrefix("-") || word == "help" { return nil }
      if let next = commands.first(where: { $0._commandName == word }) {
        command = next
        path += " \(word)"
        continue
      }
      let names = commands.filter { $0.configuration.shouldDisplay }.map {
        $0._commandName
      }
      let hint =
        nearestWord(to: word, among: names).map { "did you mean \(path) \($0)?" }
        ?? "there are \(names.joined(separator: ", "))"
      return "\(word): no such command; \(hint)"
    }
    return nil
  }
}
