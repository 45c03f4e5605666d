import ArgumentParser
import TestSupport
import Testing

@testable import NewsCommand
@testable import NewsConfiguration

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
    let help = UsageMessage.page(NewsImport.helpMessage(for: command, columns: 80))
    for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(name): \(line)") }
    let lines = help.split(separator: "\n").map(String.init)
    let discussion = command.configuration.discussion.split(separator: "\n")
    for example in discussion where example.hasPrefix("  ") || example.hasPrefix("Example: ") {
      #expect(lines.contains(String(example)), "\(name): \(example)")
    }
  }

  @Test(arguments: all.indices) func `a page of help names each option once`(place: Int) {
    let (name, command) = Self.all[place]
    let help = UsageMessage.page(NewsImport.helpMessage(for: command, columns: 80))
    let options = help.matches(of: #/\n  (?:-[a-z], )?(--[a-z-]+)/#).map { String($0.output.1) }
    #expect(options.count == Set(options).count, "\(name): \(options)")
    #expect(options.contains("--version"), "\(name)")
  }

  @Test(arguments: [60, 80, nil])
  func `without arguments, the first commands and the way to the others are printed`(
    columns: Int?
  ) async throws {
    let terminal = try columns.map { try Terminal(columns: $0) }
    let result = try await CommandRun().run([], on: terminal)
    #expect(result.status == 64)
    let lines = (result.out + result.err).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 24 && lines.allSatisfy { $0.count <= columns ?? 80 }, "\(result)")
    let text = lines.joined(separator: "\n")
    for command in [
      "region add world URL", "fetch world", "list world", "show NUMBER", "search ferry", "help",
    ] {
      #expect(text.contains("newsimport \(command)"), "\(command)")
    }
  }

  @Test(arguments: [["help"], ["--help"]]) func `the full help has every command`(words: [String])
    async throws
  {
    let help = try await CommandRun().run(words)
    #expect(help.status == 0)
    for command in NewsImport.configuration.groupedSubcommands.flatMap(\.subcommands) {
      #expect(help.out.contains("\n  \(command._commandName) "))
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

  @Test(
    arguments: [
      ("Give --quiet or --verbose, not both.", "give --quiet or --verbose, not both"),
      ("--days is a number from 1 to 90.", "--days is a number from 1 to 90"),
      ("Unexpected argument 'x'", "unexpected argument 'x'"),
      ("One\n  line.\n", "one line"),
      ("NUL bytes are invalid.", "NUL bytes are invalid"),
    ])
  func `a mistake on the command line is one line in the voice of all messages`(
    message: String, cause: String
  ) {
    #expect(UsageMessage.line(message, of: "newsimport list") == "\(cause); see newsimport list --help")
  }

  @Test(
    arguments: [
      (["fetch"], "name the regions to fetch, or give --all, --due or --failed; see newsimport fetch --help"),
      (["show"], "missing expected argument '<id> ...'; see newsimport show --help"),
      (["show", "1", "--html", "--json"], "give --html or --json, not both; see newsimport show --help"),
      (
        ["fetch", "--all", "--jobs", "many"],
        "the value 'many' is invalid for '--jobs <jobs>'; see newsimport fetch --help"
      ),
      (["region", "list", "more"], "unexpected argument 'more'; see newsimport region list --help"),
      (
        ["list", "--since", "never"],
        "the value 'never' is invalid for '--since <since>': 'never' is not a time; write it like \(Since.examples); "
          + "see newsimport list --help"
      ),
    ] as [([String], String)])
  func `each mistake is reported with the prefix of the program`(words: [String], line: String) async throws {
    let newsimport = try CommandRun()
    #expect(try await newsimport.run(words) == .init(status: 64, out: "", err: "newsimport: \(line)\n"))
  }
}
