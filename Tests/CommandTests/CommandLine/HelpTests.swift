import ArgumentParser
import Testing

@testable import NewsCommand

@Suite struct HelpTests {
  /// The program, its groups of commands, and the commands.
  private static let all: [(name: String, command: any ParsableCommand.Type)] = commands(
    below: NewsImport.self, "")

  private static func commands(
    below command: any ParsableCommand.Type, _ path: String
  ) -> [(name: String, command: any ParsableCommand.Type)] {
    let path = path + " " + command._commandName
    return [(path, command)] + command.configuration.subcommands.flatMap { commands(below: $0, path) }
  }

  @Test(arguments: all.indices) func `a page of help fits into 80 columns and breaks no example`(place: Int) {
    let (name, command) = Self.all[place]
    let help = UsageMessage.wrappingUsage(NewsImport.helpMessage(for: command, columns: 80))
    for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(name): \(line)") }
    let lines = help.split(separator: "\n").map(String.init)
    let discussion = command.configuration.discussion.split(separator: "\n")
    for example in discussion where example.hasPrefix("  ") || example.hasPrefix("Example: ") {
      #expect(lines.contains(String(example)), "\(name): \(example)")
    }
  }

  @Test func `a usage line is wrapped between options`() {
    let options = String(repeating: " [--a-long-option <value>]", count: 5)
    #expect(
      UsageMessage.wrappingUsage("OVERVIEW\n\nUSAGE: newsimport list\(options) <id> ...\n") == """
        OVERVIEW

        USAGE: newsimport list [--a-long-option <value>] [--a-long-option <value>]
               [--a-long-option <value>] [--a-long-option <value>]
               [--a-long-option <value>] <id> ...

        """)
  }
}
