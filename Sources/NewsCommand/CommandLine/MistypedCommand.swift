import ArgumentParser
import TextOutput

/// Finds the word of a command line that should be a command and is none.
enum MistypedCommand {
  /// What other programs call our commands, or what the words are that come to mind first.
  private static let otherWords = [
    "add": "region add", "subscribe": "region add", "regions": "region list", "feeds": "region show",
    "import": "opml import", "update": "fetch", "refresh": "fetch", "reload": "fetch", "sync": "fetch",
    "ls": "list", "articles": "list", "cat": "show", "view": "show", "find": "search", "grep": "search",
    "read": "mark read", "unread": "mark unread", "star": "mark starred", "unstar": "mark unstarred",
    "rm": "feed remove", "del": "feed remove", "remove": "feed remove", "delete": "feed remove",
    "unsubscribe": "feed remove", "status": "stats", "discover": "region add", "check": "doctor",
    "backup": "store backup", "vacuum": "store vacuum", "configure": "config show",
  ]

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
      let meant = command == program ? otherWords[word.lowercased()] : nil
      let hint =
        (meant ?? nearestWord(to: word, among: names)).map { "did you mean \(path) \($0)?" }
        ?? "there are \(names.joined(separator: ", "))"
      return "\(named(word)): no such command; \(hint)"
    }
    return nil
  }
}
