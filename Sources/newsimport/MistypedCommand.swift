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
    for (place, word) in arguments.enumerated() {
      let commands = command.configuration.subcommands
      // What begins with a hyphen asks for help or for completions.
      if commands.isEmpty || word.hasPrefix("-") { return nil }
      // The option parser adds a command for help, which commands follow.
      if word == "help" {
        if place > 0 { return nil }
        path += " help"
        continue
      }
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
