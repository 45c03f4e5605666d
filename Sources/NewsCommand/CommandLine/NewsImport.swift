import ArgumentParser
import NewsConfiguration

/// The command and its subcommands.
struct NewsImport: AsyncParsableCommand {
  /// The first steps, for the help text.
  static let examples = """
    newsimport region add world https://world.example.com/rss.xml
    newsimport fetch world
    newsimport list world --since 1d
    newsimport list world --json | jq -r .url
    """

  /// The page that is printed without arguments: a newcomer's first commands, and the way to the others.
  static var firstCommands: String {
    let commands: [(call: String, command: any ParsableCommand.Type)] = [
      ("region add world URL", RegionCommand.Add.self), ("fetch world", FetchCommand.self),
      ("list world", ListCommand.self), ("show NUMBER", ShowCommand.self),
      ("search ferry", SearchCommand.self),
    ]
    let lines = commands.map { "  newsimport \($0.call)\n      \($0.command.configuration.abstract)\n" }
    return """
      \(configuration.abstract)

      \(lines.joined())
      All commands: newsimport help
      One command: newsimport help fetch

      """
  }

  /// The default paths, and the contact for publishers.
  static let places = """
    The store is at --store, or else $NEWSIMPORT_STORE, or else $XDG_DATA_HOME/newsimport/news.sqlite. The configuration is \
    at --config, or else $NEWSIMPORT_CONFIG, or else $XDG_CONFIG_HOME/newsimport/config.toml. Set contact = \
    "you@example.org" there, so that publishers can reach you before they block you.
    """

  static let configuration = CommandConfiguration(
    commandName: "newsimport",
    abstract: "Imports news feeds into one SQLite store, politely and fast.",
    discussion: """
      Examples:
      \(examples.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))

      \(places)
      Exit status: \(ExitStatus.summary).
      """,
    version: Version.text,
    subcommands: [ManualCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Feed", subcommands: [RegionCommand.self, FeedCommand.self, OPMLCommand.self]),
      CommandGroup(
        name: "Import",
        subcommands: [
          FetchCommand.self, ImportCommand.self, WatchCommand.self, ChangesCommand.self,
          HooksCommand.self, ParseCommand.self,
        ]),
      CommandGroup(
        name: "Article",
        subcommands: [
          ListCommand.self, SearchCommand.self, ShowCommand.self, DiffCommand.self,
          MarkCommand.self,
          ExportCommand.self, SQLCommand.self,
        ]),
      CommandGroup(
        name: "Care",
        subcommands: [
          StatsCommand.self, ExplainCommand.self, DoctorCommand.self, PruneCommand.self, ArchiveCommand.self,
          StoreCommand.self,
          ConfigCommand.self,
        ]),
    ])
}
