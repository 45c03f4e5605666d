import ArgumentParser

extension ParsableCommand {
  /// Returns the words that call a command line's command: "newsimport feed list".
  ///
  /// It reads only the command names. ``CommandDescription``, which also has all options, takes as long to
  /// build as everything else that the program does before a command runs.
  static func path(of arguments: some Sequence<String>) -> String {
    var command: any ParsableCommand.Type = self
    var path = _commandName
    for word in arguments {
      let commands = command.configuration.subcommands
      // The option parser adds a help command to the program.
      if command == self, word == "help", !commands.isEmpty { return path + " help" }
      guard let next = commands.first(where: { $0._commandName == word }) else { break }
      command = next
      path += " \(word)"
    }
    return path
  }
}
