import ArgumentParser
import TextOutput

/// Finds a word on a command line that is in a command's place, but is not a command.
enum MistypedCommand {
  /// Returns the message; nil if all commands exist.
  ///
  /// - Parameter arguments: The arguments after the program's name.
  static func message(
    _ arguments: some Sequence<String>, of program: any ParsableCommand.Type = NewsImport.self
  ) -> String? {
    var command = program
    var path = program._commandName
    for (place, word) in arguments.enumerated() {
      let commands = command.configuration.subcommands
      // A word that begins with a hyphen asks for help or for completions.
      if commands.isEmpty || word.hasPrefix("-") { return nil }
      // The option parser adds a help command, which is followed by command names.
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
        ?? "the commands are \(names.joined(separator: ", "))"
      return "\(named(word)): no such command; \(hint)"
    }
    return nil
  }
}
