import ArgumentParser
import TextOutput

/// Finds a word of a command line that is in the place of a command, but is not a command.
enum MistypedCommand {
  /// The names of our commands in other programs, and the names that people try first.
  private static let otherWords = [
    "add": "region add", "subscribe": "region add", "regions": "region list", "feeds": "region show",
    "import": "opml import", "update": "fetch", "refresh": "fetch", "reload": "fetch", "sync": "fetch",
    "ls": "list", "articles": "list", "cat": "show", "view": "show", "find": "search", "grep": "search",
    "read": "mark read", "unread": "mark unread", "star": "mark starred", "unstar": "mark unstarred",
    "rm": "feed remove", "del": "feed remove", "remove": "feed remove", "delete": "feed remove",
    "unsubscribe": "feed remove", "status": "stats", "discover": "region add", "check": "doctor",
    "backup": "store backup", "vacuum": "store vacuum", "configure": "config show",
  ]

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
      // The option parser adds a help command, which is followed by the names of commands.
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
      let meant = command == program ? otherWords[word.lowercased()] : nil
      let hint =
        (meant ?? nearestWord(to: word, among: names)).map { "did you mean \(path) \($0)?" }
        ?? "the commands are \(names.joined(separator: ", "))"
      return "\(named(word)): no such command; \(hint)"
    }
    return nil
  }
}
